import type { StoredCollection } from '../../../../schema.ts';
import { column, columnKind, recordTable } from '../../../../sql/names.ts';
import { join, raw, type Sql, sql } from '../../../../sql/tag.ts';
import type { Database } from '../../connection/database.ts';
import { Best, type Order, type Placed } from './compare.ts';
import { rowsSliced, type Scan, type Sliced } from './slices.ts';

/**
 * Number of characters of a text to sort by, first and then among those with the same beginning: whole texts can be a megabyte
 * each.
 */
const lengths = [24, 400, Number.MAX_SAFE_INTEGER] as const;
/** Records whose longer texts are read at a time, if their beginnings are the same. */
const mostAlike = 500;

export interface Found {
  readonly seqs: readonly number[];
  /** Number of matches; if nobody counts, among the records examined. */
  readonly matching: number;
}

/** The sequence numbers of matching records, sorted by their values: `limit` of them from `offset` on. */
export function* findOrdered(
  db: Database,
  scan: Scan,
  order: Order,
  { offset, limit }: { readonly offset: number; readonly limit: number },
): Sliced<Found> {
  const { collection } = scan;
  const best = new Best(order, offset + limit, (one, other) =>
    isAlike(collection, order, one, other, lengths[0]),
  );
  let matching = 0;
  yield* rowsSliced(db, scan, keysOf(collection, order, lengths[0]), (rows) => {
    matching += rows.length;
    best.add(rows);
    return 'more';
  });
  const sorted = yield* refine(db, collection, order, best.sorted(), 0, { offset, limit });
  return { seqs: sorted.slice(offset, offset + limit).map(([seq]) => seq), matching };
}

function keysOf(collection: StoredCollection, { keys }: Order, length: number): Sql[] {
  return keys.map(({ name }) => {
    const target = column(collection, name);
    if (!isText(collection, name) || length === Number.MAX_SAFE_INTEGER) return target;
    return sql`substr(${target}, 1, ${raw(String(length))})`;
  });
}

const isText = (collection: StoredCollection, name: string) => columnKind(collection, name) === 'text';

/** Whether two records are equal as far as known: up to the first text of which only the beginning is known. */
function isAlike(
  collection: StoredCollection,
  { keys }: Order,
  one: Placed,
  other: Placed,
  length: number,
): boolean {
  for (const [index, { name }] of keys.entries()) {
    const value = one[index + 1];
    if (value !== other[index + 1]) return false;
    // A character beyond U+FFFF counts as two here but as one in SQLite: more texts are taken to be cut than are.
    if (typeof value === 'string' && isText(collection, name) && value.length >= length) return true;
  }
  return false;
}

/** Sorts groups of records with the same beginnings by longer texts, as far as they are among those wanted. */
function* refine(
  db: Database,
  collection: StoredCollection,
  order: Order,
  placed: readonly Placed[],
  level: number,
  wanted: { readonly offset: number; readonly limit: number },
): Sliced<readonly Placed[]> {
  const [length, next] = [lengths[level], lengths[level + 1]];
  if (length === undefined || next === undefined) return placed;
  const refined: Placed[] = [];
  for (let start = 0; start < placed.length; ) {
    const first = placed[start] as Placed;
    let end = start + 1;
    while (end < placed.length && isAlike(collection, order, first, placed[end] as Placed, length)) end += 1;
    const group = placed.slice(start, end);
    const isWanted = end > wanted.offset && start < wanted.offset + wanted.limit;
    if (group.length > 1 && isWanted) {
      const within = { offset: wanted.offset - start, limit: wanted.limit };
      const longer = yield* readLonger(db, collection, order, group, next);
      for (const one of yield* refine(db, collection, order, longer, level + 1, within)) refined.push(one);
    } else for (const one of group) refined.push(one);
    start = end;
  }
  return refined;
}

function* readLonger(
  db: Database,
  collection: StoredCollection,
  order: Order,
  alike: readonly Placed[],
  length: number,
): Sliced<readonly Placed[]> {
  const columns = join([raw('seq'), ...keysOf(collection, order, length)], ', ');
  const best = new Best(order, Number.POSITIVE_INFINITY, () => false);
  for (let start = 0; start < alike.length; start += mostAlike) {
    const seqs = JSON.stringify(alike.slice(start, start + mostAlike).map(([seq]) => seq));
    const these = sql`seq IN (SELECT value FROM json_each(${seqs}))`;
    best.add(db.rows(sql`SELECT ${columns} FROM ${recordTable(collection)} NOT INDEXED WHERE ${these}`));
    yield;
  }
  return best.sorted();
}
