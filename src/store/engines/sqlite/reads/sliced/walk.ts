import type { ListPlan, WalkAnswer, WalkPlan } from '../../../../plans.ts';
import type { StoredCollection } from '../../../../schema.ts';
import { column, recordTable } from '../../../../sql/names.ts';
import { rangesAfter } from '../../../../sql/records/keyset.ts';
import { join, raw, sql } from '../../../../sql/tag.ts';
import type { Database } from '../../connection/database.ts';
import { checkSchema, countersOf, readCounters } from '../current-schema.ts';
import { includeSliced } from '../include-records.ts';
import { indexOrderOf, isReversed } from '../index-order.ts';
import { fittingPlaces, placesOf, readPlaces, walkByStatement } from '../walk-records.ts';
import { findAlongIndex } from './along-index.ts';
import { orderOf } from './compare.ts';
import type { Bound } from './conditions.ts';
import { findPage } from './page.ts';
import { type Sliced, type Source, unlessMuch } from './slices.ts';
import { chooseSource } from './source.ts';

/** For walks bounded by an index. undefined: it is large, or includes too much. */
export function walkRecords(
  db: Database,
  collection: StoredCollection,
  plan: WalkPlan,
  bound?: Bound,
): WalkAnswer | undefined {
  return db.transaction('BEGIN', () => {
    checkSchema(db, collection);
    const order = indexOrderOf(collection, plan);
    return unlessMuch(
      order && isReversed(order)
        ? walkSliced(db, collection, plan)
        : walkByStatement(db, collection, plan, bound),
    );
  });
}

/** A page of a walk. Looks for one record more than requested, to know whether there is a next page. */
export function* walkSliced(db: Database, collection: StoredCollection, plan: WalkPlan): Sliced<WalkAnswer> {
  const { limit, after } = plan;
  const order = indexOrderOf(collection, plan);
  const places = order
    ? yield* findAlongIndex(db, order, { after, limit: limit + 1 })
    : yield* findAfter(db, collection, plan);
  const page = fittingPlaces(db, collection, places, plan);
  const { seqs } = page;
  const last = places.length > seqs.length ? seqs.at(-1) : undefined;
  const found = yield* readPlaces(db, collection, page, plan.extra);
  return {
    found,
    end: last === undefined ? undefined : positionOf(db, collection, plan, last),
    include: yield* includeSliced(db, collection, plan, placesOf(seqs, found)),
  };
}

function* findAfter(
  db: Database,
  collection: StoredCollection,
  { limit, sort, after, where }: WalkPlan,
): Sliced<readonly number[]> {
  const counters = readCounters(db, collection, countersOf(collection));
  const found = yield* chooseSource(db, collection, where, counters.seq);
  const { keys, descending } = orderOf(sort);
  const source = after && keys.length === 0 ? narrowed(found, after.seq, descending) : found;
  const narrower = after
    ? { ...where, after: sql`(${join(rangesAfter(collection, sort, after), ' OR ')})` }
    : where;
  const scan = { collection, where: narrower, source };
  return (yield* findPage(db, scan, { sort, offset: 0, limit: limit + 1, counted: false })).seqs;
}

/** Restricts a source to what comes after a record in order of creation. */
function narrowed(source: Source, seq: number, descending: boolean): Source {
  if (source.kind === 'range') return { ...source, ...(descending ? { last: seq - 1 } : { first: seq + 1 }) };
  return { kind: 'some', seqs: source.seqs.filter((one) => (descending ? one < seq : one > seq)) };
}

function positionOf(
  db: Database,
  collection: StoredCollection,
  { sort }: Pick<ListPlan, 'sort'>,
  seq: number,
): WalkAnswer['end'] {
  const keys = join([raw('seq'), ...sort.map(({ name }) => column(collection, name))], ', ');
  const [, ...values] = db.row(sql`SELECT ${keys} FROM ${recordTable(collection)} WHERE seq = ${seq}`) ?? [];
  return { seq, values };
}
