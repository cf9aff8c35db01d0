import { setTimeout as sleep } from 'node:timers/promises';
import type { StoredCollection, StoredRelation } from '../../schema.ts';
import { firstWithin } from '../../sizes.ts';
import { countTouched, tellTouched } from '../changes/touched.ts';
import { Pace } from '../pace.ts';
import { sql } from '../tag.ts';
import type { Transaction, Writes } from '../transaction.ts';
import { endDeletion, lastMarks, removeMarks } from './deletion-marks.ts';
import { clearingWork, keepingWork, readWithin, removalWork } from './deletion-work.ts';
import { collectionOf, markedTargets } from './marked-records.ts';
import type { StoredRecord } from './placed-record.ts';
import { cleared, findPlaces, type Place, refersTo } from './referring.ts';
import { changeRecord, removeRecord } from './write-records.ts';

/** The most records of one transaction. */
const mostRecords = 150;
/** The most failures in a row. */
const mostFailures = 8;

/** The deletion is decided, so passing troubles are waited out: a busy database, a full disk. `work`: of one transaction. */
export async function carryOutDeletion(writes: Writes, at: number, work: number): Promise<void> {
  const pace = new Pace(mostRecords);
  for (let failures = 0, more = true; more; ) {
    try {
      more = await pace.step(
        writes,
        (records) => (transaction) => carrySlice(transaction, at, { records, work }),
      );
      failures = 0;
    } catch (error) {
      failures += 1;
      if (failures > mostFailures) throw error;
      await sleep(50 * failures);
    }
  }
}

/** The limits of one transaction: records, and work as sizes.ts counts it. */
interface Bounds {
  readonly records: number;
  readonly work: number;
}

/** Returns whether there may be more. */
async function carrySlice(transaction: Transaction, at: number, bounds: Bounds): Promise<boolean> {
  const { db } = transaction;
  const marks = await lastMarks(db, bounds.records);
  if (marks.length === 0) {
    await tellTouched(transaction);
    await endDeletion(db);
    return false;
  }
  const collection = collectionOf(await transaction.currentSchema(), marks);
  const ids = db.dialect.values(
    marks.map(({ id }) => id),
    'text',
  );
  const places = await findPlaces(db, collection, sql`id IN (${ids})`);
  const read = await readWithin(db, collection, places, bounds.work, removalWork);
  const doomed = firstWithin(read, bounds.work, removalWork);
  if (await clearReferring(transaction, collection, doomed, at, bounds)) {
    await transaction.counter(collection);
    await db.dialect.forEach(doomed, (record) => removeRecord(transaction, collection, record, at));
    const left = new Set(places.map(({ id }) => id));
    for (const { id } of doomed) left.delete(id);
    await removeMarks(
      db,
      marks.filter(({ id }) => !left.has(id)),
    );
  }
  await countTouched(transaction);
  return true;
}

/**
 * Clears as many of the referring records as fit into one slice. Returns whether that was all of them, and the removal fits as
 * well.
 */
async function clearReferring(
  transaction: Transaction,
  collection: StoredCollection,
  doomed: readonly StoredRecord[],
  at: number,
  bounds: Bounds,
): Promise<boolean> {
  const { db } = transaction;
  const start = transaction.work;
  const room = () => bounds.work - (transaction.work - start);
  const ids = new Set(doomed.map(({ id }) => id));
  let left = bounds.records;
  for (const relation of collection.referrers) {
    const among = sql`${refersTo(db, relation, [...ids])} LIMIT ${left + ids.size + 1}`;
    const found = await findPlaces(db, relation.from, among);
    const goesToo = ({ id }: Place) => relation.from.key === collection.key && ids.has(id);
    const staying = found.filter((place) => !goesToo(place));
    const some = room() > 0 ? staying.slice(0, left) : [];
    const done = await clearSome(transaction, relation, some, at, room());
    if (done < staying.length) return false;
    left -= done;
  }
  const removal = doomed.reduce((sum, record) => sum + removalWork(record), 0);
  return transaction.work === start || removal <= room();
}

/** Returns how many were cleared. */
async function clearSome(
  transaction: Transaction,
  relation: StoredRelation,
  places: readonly Place[],
  at: number,
  most: number,
): Promise<number> {
  if (places.length === 0) return 0;
  const { db } = transaction;
  const read = await readWithin(db, relation.from, places, most, keepingWork);
  const doomed = await markedTargets(db, relation, read);
  const changes = read.map((record) => ({
    record,
    changed: { [relation.field.name]: cleared(relation, record, (id) => doomed.has(id)) },
  }));
  const some = firstWithin(changes, most, ({ record, changed }) => clearingWork(record, changed));
  await db.dialect.forEach(some, async ({ record, changed }) => {
    await changeRecord(transaction, relation.from, record, changed, at);
  });
  return some.length;
}
