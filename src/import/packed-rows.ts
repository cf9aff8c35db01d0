import type { Json } from '../model/json.ts';
import type { Binding, Values } from '../model/payload.ts';
import type { CheckedRow } from './row.ts';

type GoodRow = Extract<CheckedRow, { values: Values }>;
type BadRow = Exclude<CheckedRow, GoodRow>;

/**
 * Rows for the way from one thread to another: few long lists are copied in half the time of many small objects. Bad rows come
 * first at the other end.
 */
export interface PackedRows {
  readonly bad: BadRow[];
  readonly lines: number[];
  /** Three for each row. */
  readonly texts: string[];
  /** As many for each row as there are fields. */
  readonly values: (Json | undefined)[];
  /** One for each row; none if all are empty. */
  readonly bindings: Binding[];
}

/** `fields`: the names of all fields of the collection. */
export function packRows(rows: readonly CheckedRow[], fields: readonly string[]): PackedRows {
  const packed: PackedRows = { bad: [], lines: [], texts: [], values: [], bindings: [] };
  const good: GoodRow[] = [];
  for (const row of rows) {
    if ('fault' in row) packed.bad.push(row);
    else good.push(row);
  }
  for (const { line, id, valuesJson, searchText, values } of good) {
    packed.lines.push(line);
    packed.texts.push(id, valuesJson, searchText);
    for (const name of fields) packed.values.push(values[name]);
  }
  const isBound = ({ binding: { owner, workspace } }: GoodRow) =>
    owner !== undefined || workspace !== undefined;
  return good.some(isBound) ? { ...packed, bindings: good.map(({ binding }) => binding) } : packed;
}

export function unpackRows(packed: PackedRows, fields: readonly string[]): CheckedRow[] {
  const { bad, lines, texts, bindings } = packed;
  const rows: CheckedRow[] = [...bad];
  let [text, value] = [0, 0];
  for (let index = 0; index < lines.length; index++) {
    const values: Record<string, Json> = {};
    for (const name of fields) values[name] = packed.values[value++] ?? null;
    rows.push({
      line: lines[index] ?? 0,
      id: texts[text++] ?? '',
      valuesJson: texts[text++] ?? '',
      searchText: texts[text++] ?? '',
      values,
      binding: bindings[index] ?? {},
    });
  }
  return rows;
}
