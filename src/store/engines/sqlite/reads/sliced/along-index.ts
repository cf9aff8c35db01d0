import type { ColumnValue } from '../../../../../model/field.ts';
import type { Position } from '../../../../plans.ts';
import { column, recordTable } from '../../../../sql/names.ts';
import { beyond, equals } from '../../../../sql/records/keyset.ts';
import { raw, type Sql, sql } from '../../../../sql/tag.ts';
import type { Database } from '../../connection/database.ts';
import { addMark, markBefore, type OrderMarks, stride } from '../index-marks.ts';
import { type IndexOrder, isReversed } from '../index-order.ts';
import type { Sliced } from './slices.ts';

/** Index entries skipped at a time: a fraction of a millisecond. */
const slice = 4_000;

/** An index entry. */
interface Entry {
  readonly value: ColumnValue;
  readonly seq: number;
}

/**
 * The sequence numbers of records in index order, from an offset or after a position. However many records share a value, it
 * reads at most twice as many entries as are skipped and returned.
 */
export function* findAlongIndex(
  db: Database,
  order: IndexOrder,
  { offset = 0, after, limit }: { offset?: number; after?: Position | undefined; limit: number },
  marks?: OrderMarks,
): Sliced<readonly number[]> {
  if (after) {
    const value = after.values[0] ?? null;
    const rest = sql`seq ${raw(order.descending ? '<' : '>')} ${after.seq}`;
    return fill(db, order, value, ofValue(db, order, value, limit, { rest }), limit);
  }
  if (offset === 0) return fill(db, order, undefined, [], limit);
  const mark = marks && markBefore(marks, offset);
  // From a mark on, the entries before the page are read along with it: finding its first entry would take several statements.
  const skipped = mark?.skipped ?? 0;
  const first = mark ? entryOfRecord(db, order, mark.seq) : yield* entryAt(db, order, offset, marks);
  if (!first) return [];
  const rest = sql`seq ${raw(order.descending ? '<=' : '>=')} ${first.seq}`;
  const most = skipped + limit;
  return fill(db, order, first.value, ofValue(db, order, first.value, most, { rest }), most).slice(skipped);
}

const valueIs = ({ collection, key }: IndexOrder, value: ColumnValue) =>
  equals(column(collection, key.name), value);

/** The sequence numbers of records with one value, in the requested order. */
function ofValue(
  db: Database,
  order: IndexOrder,
  value: ColumnValue,
  limit: number,
  { rest = raw('TRUE'), offset = 0 }: { rest?: Sql; offset?: number } = {},
): number[] {
  const rows = db.rows(sql`
    SELECT seq FROM ${recordTable(order.collection)} WHERE ${valueIs(order, value)} AND ${rest}
    ORDER BY seq${raw(order.descending ? ' DESC' : '')} LIMIT ${limit} OFFSET ${offset}`);
  return rows.map(([seq]) => Number(seq));
}

/** Appends those with values after `value`, up to `limit` in total. */
function fill(
  db: Database,
  order: IndexOrder,
  value: ColumnValue | undefined,
  seqs: number[],
  limit: number,
): readonly number[] {
  for (const range of valuesAfter(order, value)) {
    const missing = limit - seqs.length;
    if (missing <= 0) break;
    const entries = db.rows(entriesOf(order, range, missing, 0)).map(entryOf);
    for (const seq of arranged(db, order, entries, entries.length === missing)) seqs.push(seq);
  }
  return seqs;
}

/** Converts index entries to sequence numbers in the requested order. `cut`: there may be more entries with the last value. */
function arranged(db: Database, order: IndexOrder, entries: readonly Entry[], cut: boolean): number[] {
  if (!isReversed(order)) return entries.map(({ seq }) => seq);
  const seqs: number[] = [];
  for (let start = 0; start < entries.length; ) {
    const { value } = entries[start] as Entry;
    let end = start + 1;
    while (end < entries.length && entries[end]?.value === value) end += 1;
    const group = entries.slice(start, end).map(({ seq }) => seq);
    const whole = !cut || end < entries.length;
    for (const seq of whole ? group.reverse() : ofValue(db, order, value, group.length)) seqs.push(seq);
    start = end;
  }
  return seqs;
}

/** The entry preceded by `offset` others. With marks, starts from the last one before it and adds more of them. */
function* entryAt(
  db: Database,
  order: IndexOrder,
  offset: number,
  marks: OrderMarks | undefined,
): Sliced<Entry | undefined> {
  const marked = Math.min(marks?.length ?? 0, Math.floor(offset / stride));
  let entry = marked > 0 ? entryOfRecord(db, order, marks?.[marked - 1] ?? 0) : undefined;
  const step = marks ? stride : slice;
  // `done`: number of entries up to and including this one.
  for (let done = marked > 0 ? marked * stride + 1 : 0; done <= offset; ) {
    const count = Math.min(done === 0 ? step + 1 : step, offset + 1 - done);
    entry = next(db, order, entry, count);
    if (!entry) return undefined;
    done += count;
    if (marks && done === (marks.length + 1) * stride + 1) addMark(marks, entry.seq);
    yield;
  }
  return entry;
}

function entryOfRecord(db: Database, { collection, key }: IndexOrder, seq: number): Entry | undefined {
  const row = db.row(
    sql`SELECT ${column(collection, key.name)}, seq FROM ${recordTable(collection)} WHERE seq = ${seq}`,
  );
  return row && entryOf(row);
}

/** The entry that comes `count` entries after another, in the requested order. */
function next(db: Database, order: IndexOrder, from: Entry | undefined, count: number): Entry | undefined {
  const table = recordTable(order.collection);
  let missing = count;
  if (from) {
    const rest = sql`seq ${raw(order.descending ? '<' : '>')} ${from.seq}`;
    const [seq] = ofValue(db, order, from.value, 1, { rest, offset: missing - 1 });
    if (seq !== undefined) return { value: from.value, seq };
    missing -= Number(
      db.row(sql`SELECT count(*) FROM ${table} WHERE ${valueIs(order, from.value)} AND ${rest}`)?.[0],
    );
  }
  for (const range of valuesAfter(order, from?.value)) {
    const row = db.row(entriesOf(order, range, 1, missing - 1));
    if (row) return inOrder(db, order, entryOf(row));
    missing -= Number(db.row(sql`SELECT count(*) FROM ${table} WHERE ${range}`)?.[0]);
  }
  return undefined;
}

/** Converts an entry found in index order into the one at the same offset in the requested order. */
function inOrder(db: Database, order: IndexOrder, { value, seq }: Entry): Entry {
  const { key, collection } = order;
  if (!isReversed(order)) return { value, seq };
  const before = sql`seq ${raw(key.descending ? '>' : '<')} ${seq}`;
  const skipped = db.row(
    sql`SELECT count(*) FROM ${recordTable(collection)} WHERE ${valueIs(order, value)} AND ${before}`,
  );
  const [asked = seq] = ofValue(db, order, value, 1, { offset: Number(skipped?.[0]) });
  return { value, seq: asked };
}

/** The values after one, or all of them, as consecutive ranges of the index. */
function valuesAfter({ collection, key }: IndexOrder, value: ColumnValue | undefined): Sql[] {
  return value === undefined ? [raw('TRUE')] : beyond(collection, key, value);
}

/** In index order, forwards or backwards. */
function entriesOf({ collection, key }: IndexOrder, range: Sql, limit: number, offset: number): Sql {
  const value = column(collection, key.name);
  const way = raw(key.descending ? ' DESC' : '');
  return sql`
    SELECT ${value}, seq FROM ${recordTable(collection)} WHERE ${range}
    ORDER BY ${value}${way}, seq${way} LIMIT ${limit} OFFSET ${offset}`;
}

const entryOf = ([value = null, seq]: readonly ColumnValue[]): Entry => ({ value, seq: Number(seq) });
