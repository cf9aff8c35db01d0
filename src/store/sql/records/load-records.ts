import { Failure } from '../../../failure.ts';
import type { LoadPlan, LoadRecord } from '../../write-plans.ts';
import type { Attempt, LongWrites } from '../transaction.ts';
import { insertRecord } from './write-records.ts';

export function loadRecords(writes: LongWrites, { records, refused, keep }: LoadPlan): Promise<void> {
  return writes.hold(async (attempt) => {
    for await (const part of records) {
      // A savepoint per record adds a tenth to the time, so the records of a part share one until one fails.
      if ((await insert(attempt, part)) === undefined) continue;
      for (const record of part) {
        const failure = await insert(attempt, [record]);
        if (failure) refused(record.place, failure);
      }
    }
    return keep() ? 'commit' : 'rollback';
  });
}

/** Inserts all or none of them; returns why none. */
async function insert(attempt: Attempt, records: readonly LoadRecord[]): Promise<Failure | undefined> {
  try {
    await attempt(async (transaction) => {
      for (const { plan } of records) {
        const inserting = insertRecord(transaction, plan);
        if (inserting instanceof Promise) await inserting;
      }
    });
    return undefined;
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
}
