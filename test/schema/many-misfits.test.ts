import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { JsonObject } from '../../src/model/json.ts';
import { watched } from '../export/support.ts';
import { startApp, type TestApp } from '../harness.ts';
import { definition, type Records, type Row, resultOf } from '../support.ts';
import { Schema, text } from './support.ts';

/** More than are tried again while nobody can write. */
const pairs = 1_200;
/** They are copied after the pairs, so that there is time. */
const others = 12_000;

/** Of the change under way: both of each pair were carried over, and what comes of it is decided. */
let carried = Promise.withResolvers<void>();
let decided = false;

let app: TestApp;
before(async () => {
  app = await startApp(
    watched((store) => ({
      changeCollection: (plan, progress) =>
        store
          .changeCollection(plan, (done, total) => {
            if (done >= 2 * pairs) carried.resolve();
            progress(done, total);
          })
          .finally(() => {
            decided = true;
            carried.resolve();
          }),
    })),
  );
});
after(() => app.close());

async function batches(records: Records, method: 'create' | 'update', bodies: JsonObject[]): Promise<Row[]> {
  const rows: Row[] = [];
  for (let at = 0; at < bodies.length; at += 600) {
    const { created, updated } = resultOf(
      await records.call('POST', '/batch', { [method]: bodies.slice(at, at + 600) }),
    ) as Record<string, Row[]>;
    rows.push(...(created ?? []), ...(updated ?? []));
  }
  return rows;
}

const codes = (count: number, letter: string) =>
  Array.from({ length: count }, (_, n) => ({ code: `${letter}${n}` }));

/** Whether all duplicates were parted before the end of the change, and how it was answered. */
async function changeMeanwhile(): Promise<{ inTime: boolean; status: number; text: string }> {
  const schema = await Schema.make(app, definition('things', { code: text }));
  const things = schema.records('things');
  const first = await batches(things, 'create', codes(pairs, 'a'));
  await batches(things, 'create', codes(pairs, 'a'));
  await batches(things, 'create', codes(others, 'z'));
  [carried, decided] = [Promise.withResolvers(), false];
  const changing = schema.put('things', definition('things', { code: { ...text, unique: true } }));
  await carried.promise;
  await batches(
    things,
    'update',
    first.map(({ _id }, n) => ({ _id, code: `b${n}` })),
  );
  const inTime = !decided;
  const { status, text: answer } = await changing;
  return { inTime, status, text: answer };
}

describe('a change that very many records contradict', () => {
  it('is made where they no longer do at its end', async () => {
    for (let turn = 0; turn < 6; turn++) {
      const { inTime, status, text: answer } = await changeMeanwhile();
      if (!inTime) continue;
      assert.equal(status, 200, answer);
      return;
    }
    assert.fail('each change was over before the records fit');
  });
});
