import type { ListPlan } from '../../../../plans.ts';
import type { StoredCollection } from '../../../../schema.ts';
import { column, columnKind, recordTable } from '../../../../sql/names.ts';
import { join, raw, type Sql, sql } from '../../../../sql/tag.ts';
import type { Database } from '../../connection/database.ts';
import { countersOf, readCounters } from '../current-schema.ts';
import { Best, type Order, orderOf, type Placed } from './compare.ts';
import { rowsSliced, type Sliced } from './slices.ts';
import { chooseSource } from './source.ts';

/** Characters of a text by which records are sorted first: whole texts of a million records would be hundreds of megabytes. */
const beginning = 24;
/** Records whose whole texts are compared at a time, where their beginnings are the same. */
const mostAlike = 4_000;

/** The places of all that match, in an order that no index has. */
export function* arrangeSliced(
  db: Database,
  collection: StoredCollection,
  plan: Omit<ListPlan, 'offset' | 'key'>,
): Sliced<readonly number[]> {
  const counters = readCounters(db, collection, countersOf(collection));
  const source = yield* chooseSource(db, collection, plan.where, counters.seq);
  const order = orderOf(plan.sort);
  const best = new Best(order, Number.POSITIVE_INFINITY);
  const beginnings = order.keys.map(({ name }) => {
    const target = column(collection, name);
    return isText(collection, name) ? sql`substr(${target}, 1, ${raw(String(beginning))})` : target;
  });
  yield* rowsSliced(db, { collection, where: plan.where, source }, beginnings, (rows) => {
    best.add(rows);
    return 'more';
  });
  const placed = best.sorted();
  const places: number[] = [];
  for (let start = 0; start < placed.length; ) {
    const end = endOfAlike(collection, order, placed, start);
    const alike = placed.slice(start, end);
    const sorted = alike.length === 1 ? alike : yield* sortWhole(db, collection, order, alike);
    for (const [seq] of sorted) places.push(seq);
    start = end;
  }
  return places;
}

const isText = (collection: StoredCollection, name: string) => columnKind(collection, name) === 'text';

/** Where those end that are the same up to a text of which only the beginning is known. */
function endOfAlike(
  collection: StoredCollection,
  { keys }: Order,
  placed: readonly Placed[],
  start: number,
): number {
  const first = placed[start];
  const cut = keys.findIndex(({ name }, index) => {
    return isText(collection, name) && isCut(String(first?.[index + 1] ?? ''));
  });
  let end = start + 1;
  if (cut < 0) return end;
  const same = (other: Placed | undefined) =>
    keys.slice(0, cut + 1).every((_, index) => other?.[index + 1] === first?.[index + 1]);
  while (end < placed.length && same(placed[end])) end += 1;
  return end;
}

/** It may have been longer. A character beyond U+FFFF counts as two here and as one there. */
const isCut = (text: string) => text.length >= beginning;

function* sortWhole(
  db: Database,
  collection: StoredCollection,
  order: Order,
  alike: readonly Placed[],
): Sliced<readonly Placed[]> {
  const columns: Sql[] = [raw('seq'), ...order.keys.map(({ name }) => column(collection, name))];
  const best = new Best(order, Number.POSITIVE_INFINITY);
  for (let start = 0; start < alike.length; start += mostAlike) {
    const seqs = JSON.stringify(alike.slice(start, start + mostAlike).map(([seq]) => seq));
    const these = sql`seq IN (SELECT value FROM json_each(${seqs}))`;
    best.add(
      db.rows(sql`SELECT ${join(columns, ', ')} FROM ${recordTable(collection)} NOT INDEXED WHERE ${these}`),
    );
    yield;
  }
  return best.sorted();
}
