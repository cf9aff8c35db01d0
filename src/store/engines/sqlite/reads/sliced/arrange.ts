import type { ListPlan } from '../../../../plans.ts';
import type { StoredCollection } from '../../../../schema.ts';
import type { Database } from '../../connection/database.ts';
import { countersOf, readCounters } from '../current-schema.ts';
import { orderOf } from './compare.ts';
import { findOrdered } from './ordered.ts';
import type { Sliced } from './slices.ts';
import { chooseSource } from './source.ts';

/** The sequence numbers of all matching records, in an order that no index provides. */
export function* arrangeSliced(
  db: Database,
  collection: StoredCollection,
  plan: Omit<ListPlan, 'offset' | 'key'>,
): Sliced<readonly number[]> {
  const counters = readCounters(db, collection, countersOf(collection));
  const source = yield* chooseSource(db, collection, plan.where, counters.seq);
  const scan = { collection, where: plan.where, source };
  const all = { offset: 0, limit: Number.POSITIVE_INFINITY };
  return (yield* findOrdered(db, scan, orderOf(plan.sort), all)).seqs;
}
