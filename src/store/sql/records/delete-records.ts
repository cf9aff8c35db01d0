import { checkTag } from '../../record-tag.ts';
import type { StoredCollection, StoredRelation } from '../../schema.ts';
import { largestDeletion } from '../../sizes.ts';
import type { DeletePlan } from '../../write-plans.ts';
import { checkAuthority } from '../accounts/check-authority.ts';
import type { Connection } from '../dialect.ts';
import { sql } from '../tag.ts';
import type { Transaction } from '../transaction.ts';
import { clearingWork, keepingWork, readingWork, readWithin, removalWork } from './deletion-work.ts';
import { markedTargets } from './marked-records.ts';
import type { StoredRecord } from './placed-record.ts';
import {
  cleared,
  findPlaces,
  findRecords,
  forbids,
  mayForbid,
  type Place,
  refersTo,
  restricted,
  stillReferring,
} from './referring.ts';
import { andScope } from './where.ts';
import { changeRecord, removeRecord } from './write-records.ts';

type Doomed = Map<StoredCollection, Map<string, StoredRecord>>;

interface Referring {
  readonly relation: StoredRelation;
  readonly record: StoredRecord;
}

/** The most other records that one transaction touches, as everybody else waits for it. */
const mostTouched = 1_000;

/** The deletion touches more records than that, or too large ones, and has to be done in slices. Nothing was changed. */
export class LargeDeletion extends Error {}

/**
 * Deletes a record, and does to the records that refer to it what their relations say. First the whole set that `cascade`
 * deletes is found, including cycles. Only then is it decided whether a record that stays forbids the deletion, and the
 * references to deleted records are cleared. `most`: work on other records.
 */
export async function deleteRecord(
  transaction: Transaction,
  plan: DeletePlan,
  most: number = largestDeletion,
): Promise<boolean> {
  const collection = await transaction.collection(plan.collection);
  const target = await findTarget(transaction.db, collection, plan);
  if (!target) return false;

  const doomed: Doomed = new Map();
  const referring = await spread(transaction.db, doomed, collection, target, most);
  const staying = referring.filter(({ relation, record }) => !doomed.get(relation.from)?.has(record.id));
  await refuseForbidden(transaction.db, staying, doomed);
  const changes = changesOf(staying, doomed);
  if (totalWork(changes, doomed, target) > most) throw new LargeDeletion();
  for (const { from, record, changed } of changes) {
    await changeRecord(transaction, from, record, changed, plan.at);
  }
  for (const [from, records] of doomed) {
    for (const record of records.values()) await removeRecord(transaction, from, record, plan.at);
  }
  return true;
}

/** The record to delete, if it is in the caller's scope. */
export async function findTarget(
  db: Connection,
  collection: StoredCollection,
  { id, scope, ifMatch, authority }: DeletePlan,
): Promise<StoredRecord | undefined> {
  await checkAuthority(db, authority);
  const [target] = await findRecords(db, collection, sql`id = ${id}${andScope(scope)}`);
  if (target) checkTag(collection, target.updated, ifMatch);
  return target;
}

const isDoomed = (doomed: Doomed, { to }: StoredRelation, id: string) => doomed.get(to)?.has(id) ?? false;

/**
 * What a large deletion is about to delete counts as gone: it has passed this check already, and together the two could leave a
 * record with no reference at all.
 */
async function refuseForbidden(db: Connection, staying: readonly Referring[], doomed: Doomed): Promise<void> {
  for (const [relation, group] of Map.groupBy(staying, (one) => one.relation)) {
    if (!mayForbid(relation)) continue;
    const records = group.map(({ record }) => record);
    const marked = await markedTargets(db, relation, records);
    for (const record of records) {
      const reason = forbids(relation, record, (id) => marked.has(id) || isDoomed(doomed, relation, id));
      if (reason) throw restricted(relation, reason);
    }
  }
}

/** Fills `doomed`, beginning with the first record. Returns the referring records that no cascade deletes. */
async function spread(
  db: Connection,
  doomed: Doomed,
  collection: StoredCollection,
  first: StoredRecord,
  most: number,
): Promise<Referring[]> {
  const referring: Referring[] = [];
  const waiting: { collection: StoredCollection; records: StoredRecord[] }[] = [
    { collection, records: [first] },
  ];
  const others: Found = { touched: new Set(), work: 0 };
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const known = doomed.get(next.collection) ?? new Map<string, StoredRecord>();
    doomed.set(next.collection, known);
    const fresh = next.records.filter(({ id }) => !known.has(id));
    if (fresh.length === 0) continue;
    for (const record of fresh) known.set(record.id, record);
    const ids = fresh.map(({ id }) => id);
    for (const relation of next.collection.referrers) {
      // With room for the first record, which is not counted and may refer to itself.
      const among = sql`${refersTo(db, relation, ids)} LIMIT ${mostTouched + 2}`;
      const found = await findPlaces(db, relation.from, among);
      // Before some of them turn out not to refer to it any more: there may be others beyond the limit.
      if (found.length > mostTouched + 1) throw new LargeDeletion();
      const all = await stillReferring(db, relation, ids, found);
      const places = all.filter(({ id }) => !doomed.get(relation.from)?.has(id));
      const records = await readOthers(db, relation, places, others, most);
      if (relation.field.onDelete === 'cascade') waiting.push({ collection: relation.from, records });
      else for (const record of records) referring.push({ relation, record });
    }
  }
  return referring;
}

/** The other records that are touched, and at least how much work they are. */
interface Found {
  readonly touched: Set<Place['id']>;
  work: number;
}

async function readOthers(
  db: Connection,
  { from, field }: StoredRelation,
  places: readonly Place[],
  found: Found,
  most: number,
): Promise<StoredRecord[]> {
  for (const { id } of places) found.touched.add(id);
  const reading = places.reduce((sum, place) => sum + readingWork(place), 0);
  if (found.touched.size > mostTouched || found.work + reading > most) throw new LargeDeletion();
  const workOf = field.onDelete === 'cascade' ? removalWork : keepingWork;
  const records = await readWithin(db, from, places, most - found.work, workOf);
  if (records.length < places.length) throw new LargeDeletion();
  for (const record of records) found.work += workOf(record);
  return records;
}

interface Change {
  readonly from: StoredCollection;
  readonly record: StoredRecord;
  readonly changed: Record<string, string[] | null>;
}

/** One change for each record, even if several of its relations lose something. */
function changesOf(staying: readonly Referring[], doomed: Doomed): Change[] {
  const changes = new Map<string, Change>();
  for (const { relation, record } of staying) {
    const change = changes.get(record.id) ?? { from: relation.from, record, changed: {} };
    change.changed[relation.field.name] = cleared(relation, record, (id) => isDoomed(doomed, relation, id));
    changes.set(record.id, change);
  }
  return [...changes.values()];
}

/** Work on records other than the one that was asked to be deleted. */
function totalWork(changes: readonly Change[], doomed: Doomed, { id }: StoredRecord): number {
  let sum = 0;
  for (const { record, changed } of changes) sum += clearingWork(record, changed);
  for (const records of doomed.values()) {
    for (const record of records.values()) if (record.id !== id) sum += removalWork(record);
  }
  return sum;
}
