import type { ColumnValue } from '../../../../model/field.ts';
import type { WalkAnswer, WalkPlan } from '../../../plans.ts';
import { lengthOf } from '../../../record-texts.ts';
import type { StoredCollection } from '../../../schema.ts';
import { largePage, roomOf } from '../../../sizes.ts';
import { column, recordTable } from '../../../sql/names.ts';
import { type KeyRanges, rangesAfter } from '../../../sql/records/keyset.ts';
import { join, raw, type Sql, sql } from '../../../sql/tag.ts';
import type { Database } from '../connection/database.ts';
import { largestOf } from '../tables/sizes.ts';
import { filterClause } from './filter-shapes.ts';
import { includeSliced } from './include-records.ts';
import { orderBy } from './order.ts';
import { recordText } from './record-text.ts';
import { type Bound, boundedRanges, boundedWhere } from './sliced/conditions.ts';
import { readLarge, readTexts } from './sliced/page.ts';
import type { Sliced } from './sliced/slices.ts';

/** Looks for one record more than requested, to know whether there is a next page. Includes are read in slices. */
export function* walkByStatement(
  db: Database,
  collection: StoredCollection,
  plan: WalkPlan,
  bound?: Bound,
): Sliced<WalkAnswer> {
  const [where, ranges] =
    bound === undefined
      ? [filterClause(collection, plan.where)]
      : [boundedWhere(collection, plan.where, bound), boundedRanges];
  const room = roomOf(plan);
  const measured = (plan.limit + 1) * largestOf(db, collection) > Math.min(room, largePage);
  const what = measured ? raw('octet_length(json)') : recordText(plan.extra);
  const rows = readRows(db, collection, { ...plan, where, ranges }, what);
  const sizes = measured ? rows.map(([size]) => Number(size)) : [];
  const { count, isLarge } = measured
    ? fitting(sizes, plan.limit, room)
    : { count: plan.limit, isLarge: false };
  const page = rows.slice(0, count);
  const last = rows.length > page.length ? page.at(-1) : undefined;
  const seqs = page.map(([, seq]) => Number(seq));
  const found = measured
    ? yield* readPlaces(db, collection, { seqs, isLarge }, plan.extra)
    : page.map(([json]) => String(json));
  return {
    found,
    end: last && { seq: Number(last[1]), values: last.slice(2) },
    include: yield* includeSliced(db, collection, plan, placesOf(seqs, found)),
  };
}

/** The argument for `includeSliced`. */
export const placesOf = (seqs: readonly number[], found: WalkAnswer['found']) => ({
  seqs: JSON.stringify(seqs),
  bytes: lengthOf(found),
});

interface PagePlaces {
  readonly seqs: readonly number[];
  /** Whether it has to be read in parts. */
  readonly isLarge: boolean;
}

export function* readPlaces(
  db: Database,
  collection: StoredCollection,
  { seqs, isLarge }: PagePlaces,
  extra: WalkPlan['extra'],
): Sliced<WalkAnswer['found']> {
  return isLarge ? yield* readLarge(db, collection, seqs, extra) : readTexts(db, collection, seqs, extra);
}

/** As many of these records as there is room for. */
export function fittingPlaces(
  db: Database,
  collection: StoredCollection,
  seqs: readonly number[],
  plan: Pick<WalkPlan, 'limit' | 'include' | 'most'>,
): PagePlaces {
  const room = roomOf(plan);
  if (seqs.length * largestOf(db, collection) <= Math.min(room, largePage))
    return { seqs: seqs.slice(0, plan.limit), isLarge: false };
  const these = sql`SELECT value FROM json_each(${JSON.stringify(seqs)})`;
  const rows = db.rows(
    sql`SELECT seq, octet_length(json) FROM ${recordTable(collection)} WHERE seq IN (${these})`,
  );
  const sizes = new Map(rows.map(([seq, size]) => [Number(seq), Number(size)]));
  const weighed = seqs.map((seq) => sizes.get(seq) ?? 0);
  const { count, isLarge } = fitting(weighed, plan.limit, room);
  return { seqs: seqs.slice(0, count), isLarge };
}

/** For each record `what`, its sequence number, and its sort values. */
function readRows(
  db: Database,
  collection: StoredCollection,
  plan: Omit<WalkPlan, 'where'> & { readonly where: Sql; readonly ranges: KeyRanges | undefined },
  what: Sql,
): ColumnValue[][] {
  const { sort, after, where, ranges } = plan;
  const keys = join([raw('seq'), ...sort.map(({ name }) => column(collection, name))], ', ');
  const select = sql`SELECT ${what}, ${keys} FROM ${recordTable(collection)}${where}`;
  const rows: ColumnValue[][] = [];
  for (const range of after ? rangesAfter(collection, sort, after, ranges) : [undefined]) {
    const missing = plan.limit + 1 - rows.length;
    if (missing <= 0) break;
    const narrowed = range ? sql`${select}${raw(where.text ? ' AND ' : ' WHERE ')}${range}` : select;
    const found = db.rows(sql`${narrowed} ORDER BY ${orderBy(collection, sort)} LIMIT ${missing}`);
    for (const row of found) rows.push(row);
  }
  return rows;
}

/** How many of the first records there is room for, at least one, and whether these are a large page. */
function fitting(sizes: readonly number[], limit: number, room: number): { count: number; isLarge: boolean } {
  let bytes = 0;
  let count = 0;
  for (const size of sizes.slice(0, limit)) {
    if (count > 0 && bytes + size > room) break;
    bytes += size;
    count += 1;
  }
  return { count, isLarge: bytes > largePage };
}
