import type { StoredCollection, StoredRelation } from '../../schema.ts';
import { countTouched, tellTouched } from '../changes/touched.ts';
import { Pace } from '../pace.ts';
import { sql } from '../tag.ts';
import type { Transaction, Writes } from '../transaction.ts';
import { endDeletion, lastMarks, removeMarks } from './deletion-marks.ts';
import { collectionOf, markedTargets } from './marked-records.ts';
import type { StoredRecord } from './placed-record.ts';
import { cleared, findRecords, refersTo } from './referring.ts';
import { changeRecord, removeRecord } from './write-records.ts';

/** Records in one transaction. */
const mostRecords = 150;
/** In a row. */
const mostFailures = 8;

/** It is decided, so what may pass is waited for: a busy database, a full disk. */
export async function carryOutDeletion(writes: Writes, at: number): Promise<void> {
  const pace = new Pace(mostRecords);
  for (let failures = 0, more = true; more; ) {
    try {
      more = await pace.step(writes, (slice) => (transaction) => carrySlice(transaction, at, slice));
      failures = 0;
    } catch (error) {
      failures += 1;
      if (failures > mostFailures) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50 * failures));
    }
  }
}

/** Says whether there may be more. */
async function carrySlice(transaction: Transaction, at: number, slice: number): Promise<boolean> {
  const { db } = transaction;
  const marks = await lastMarks(db, slice);
  if (marks.length === 0) {
    await tellTouched(transaction);
    await endDeletion(db);
    return false;
  }
  const collection = collectionOf(await transaction.currentSchema(), marks);
  const ids = new Set(marks.map(({ id }) => id));
  if (await clearReferring(transaction, collection, ids, at, slice)) {
    const doomed = await findRecords(db, collection, sql`id IN (${db.dialect.values([...ids], 'text')})`);
    await transaction.counter(collection);
    await db.dialect.forEach(doomed, (record) => removeRecord(transaction, collection, record, at));
    await removeMarks(db, marks);
  }
  await countTouched(transaction);
  return true;
}

/** Of the records that refer to these as many as one slice takes; says whether these were all. */
async function clearReferring(
  transaction: Transaction,
  collection: StoredCollection,
  ids: ReadonlySet<string>,
  at: number,
  slice: number,
): Promise<boolean> {
  const { db } = transaction;
  let left = slice;
  for (const relation of collection.referrers) {
    const among = sql`${refersTo(db, relation, [...ids])} LIMIT ${slice + ids.size + 1}`;
    const found = await findRecords(db, relation.from, among);
    const goesToo = ({ id }: StoredRecord) => relation.from.key === collection.key && ids.has(id);
    const staying = found.filter((record) => !goesToo(record));
    await clearAll(transaction, relation, staying.slice(0, left), at);
    left -= staying.length;
    if (left < 0) return false;
  }
  return true;
}

async function clearAll(
  transaction: Transaction,
  relation: StoredRelation,
  records: readonly StoredRecord[],
  at: number,
): Promise<void> {
  const { db } = transaction;
  const doomed = await markedTargets(db, relation, records);
  const { name } = relation.field;
  await db.dialect.forEach(records, async (record) => {
    const changed = { [name]: cleared(relation, record, (id) => doomed.has(id)) };
    await changeRecord(transaction, relation.from, record, changed, at);
  });
}
