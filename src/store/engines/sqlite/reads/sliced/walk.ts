import type { ListPlan, WalkAnswer, WalkPlan } from '../../../../plans.ts';
import type { StoredCollection } from '../../../../schema.ts';
import { column, recordTable } from '../../../../sql/names.ts';
import { behind } from '../../../../sql/records/keyset.ts';
import { join, raw, sql } from '../../../../sql/tag.ts';
import type { Database } from '../../connection/database.ts';
import { countersOf, readCounters } from '../current-schema.ts';
import { includeRecords } from '../include-records.ts';
import { fittingPlaces } from '../walk-records.ts';
import { orderOf } from './compare.ts';
import { findPage, readTexts } from './page.ts';
import type { Sliced, Source } from './slices.ts';
import { chooseSource } from './source.ts';

/** A page of a walk that no index has. One record more than asked for is looked for, to know whether there is a next page. */
export function* walkSliced(db: Database, collection: StoredCollection, plan: WalkPlan): Sliced<WalkAnswer> {
  const { limit, sort, after } = plan;
  const counters = readCounters(db, collection, countersOf(collection));
  const found = yield* chooseSource(db, collection, plan.where, counters.seq);
  const { keys, descending } = orderOf(sort);
  const source = after && keys.length === 0 ? narrowed(found, after.seq, descending) : found;
  const where = after
    ? { ...plan.where, behind: sql`(${join(behind(collection, sort, after), ' OR ')})` }
    : plan.where;
  const scan = { collection, where, source };
  const page = yield* findPage(db, scan, { sort, offset: 0, limit: limit + 1, counted: false });
  const seqs = fittingPlaces(db, collection, page.seqs, plan);
  const last = page.seqs.length > seqs.length ? seqs.at(-1) : undefined;
  return {
    found: readTexts(db, collection, seqs, plan.extra),
    end: last === undefined ? undefined : positionOf(db, collection, plan, last),
    include: includeRecords(db, collection, plan, JSON.stringify(seqs)),
  };
}

/** What comes behind a place in creation order. */
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
