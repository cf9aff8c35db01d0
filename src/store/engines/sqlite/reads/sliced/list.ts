import { isEverything } from '../../../../index-order.ts';
import type { ListAnswer, ListPlan } from '../../../../plans.ts';
import { lengthOf } from '../../../../record-texts.ts';
import type { StoredCollection } from '../../../../schema.ts';
import { checkAnswerSize } from '../../../../sizes.ts';
import { recordTable } from '../../../../sql/names.ts';
import { sql } from '../../../../sql/tag.ts';
import type { Database } from '../../connection/database.ts';
import { countersOf, readCounters } from '../current-schema.ts';
import { includeSliced } from '../include-records.ts';
import type { OrderMarks } from '../index-marks.ts';
import { indexOrderOf } from '../index-order.ts';
import { isPageLarge } from '../page-size.ts';
import { relatedTo } from '../related-to.ts';
import { findAlongIndex } from './along-index.ts';
import type { Found } from './ordered.ts';
import { findPage, joinTexts, readLarge } from './page.ts';
import type { Sliced } from './slices.ts';
import { chooseSource } from './source.ts';

/** How many records matched at some version of the collection. */
export interface KnownTotal {
  readonly version: number;
  readonly total: number;
}

/** What was read, and at which versions of its collections. */
export interface ListRead {
  readonly version: number;
  readonly versions: string;
  readonly answer: ListAnswer;
}

/** A page of a list: along an index, or by scanning everything that may match. */
export function* listSliced(
  db: Database,
  collection: StoredCollection,
  plan: ListPlan,
  known: KnownTotal | undefined,
  marks?: OrderMarks,
): Sliced<ListRead> {
  const counters = readCounters(db, collection, countersOf(collection, relatedTo(collection, plan)));
  const everything = isEverything(plan.where);
  const total = everything ? counters.total : known?.version === counters.version ? known.total : undefined;
  const order = indexOrderOf(collection, plan);
  const page = order
    ? { seqs: yield* findAlongIndex(db, order, plan, marks), matching: counters.total }
    : yield* findMatching(db, collection, plan, counters.seq, total === undefined);
  const seqs = JSON.stringify(page.seqs);
  const records = () => sql`${recordTable(collection)} WHERE seq IN (SELECT value FROM json_each(${seqs}))`;
  const found = isPageLarge(db, collection, plan.limit, records)
    ? yield* readLarge(db, collection, page.seqs, plan.extra)
    : joinTexts(db, collection, seqs, plan.extra);
  const include = yield* includeSliced(db, collection, plan, { seqs, bytes: lengthOf(found) });
  checkAnswerSize(found, include);
  const answer = { total: total ?? page.matching, found, include };
  return { version: counters.version, versions: counters.versions, answer };
}

/** `last`: the sequence number of the last record. */
function* findMatching(
  db: Database,
  collection: StoredCollection,
  plan: ListPlan,
  last: number,
  counted: boolean,
): Sliced<Found> {
  const source = yield* chooseSource(db, collection, plan.where, last);
  return yield* findPage(db, { collection, where: plan.where, source }, { ...plan, counted });
}
