import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Json } from '../model/json.ts';
import { packRows, unpackRows } from './packed-rows.ts';
import type { CheckedRow } from './row.ts';

const fields = ['title', 'tags', 'price'];
const pick = <T>(choices: readonly T[]): T => choices[Math.floor(Math.random() * choices.length)] as T;

function randomRow(line: number, withBindings: boolean): CheckedRow {
  if (Math.random() < 0.3) return { line, fault: `fault ${line}` };
  const values: Record<string, Json> = {};
  for (const name of fields) values[name] = pick<Json>([null, '', 'ä€😀', 0, false, [], ['a', 'b'], 1.5]);
  const binding = withBindings ? pick([{}, { owner: 'o' }, { owner: null, workspace: 'w' }]) : {};
  return {
    line,
    id: `id ${line}`,
    values,
    valuesJson: JSON.stringify(values),
    searchText: `t${line}`,
    binding,
  };
}

const byLine = (rows: readonly CheckedRow[]) => rows.toSorted((one, other) => one.line - other.line);

describe('rows on their way from one thread to another', () => {
  it('are the same at the other end, whatever is in them', () => {
    for (let round = 0; round < 200; round++) {
      const withBindings = round % 2 === 1;
      const rows = Array.from({ length: round % 7 }, (_, line) => randomRow(line, withBindings));
      assert.deepEqual(byLine(unpackRows(structuredClone(packRows(rows, fields)), fields)), rows);
    }
  });
});
