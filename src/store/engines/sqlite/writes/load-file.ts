import { loadRecords } from '../../../sql/records/load-records.ts';
import type { LongWrites } from '../../../sql/transaction.ts';
import type { LoadPlan } from '../../../write-plans.ts';
import { dropIndexes } from '../tables/drop-indexes.ts';

/** Loads records; a collection that is empty gets its indexes once they are there. */
export function loadFile(writes: LongWrites, plan: LoadPlan): Promise<void> {
  const hold: LongWrites['hold'] = (work) =>
    writes.hold(async (attempt) => {
      let indexes: readonly string[] = [];
      await attempt(async (transaction) => {
        const collection = await transaction.collection(plan.collection);
        const { total } = await transaction.counter(collection);
        if (total === 0) indexes = await dropIndexes(transaction.db, collection.key);
      });
      const end = await work(attempt);
      if (end === 'commit') {
        await attempt(async ({ db }) => {
          for (const text of indexes) await db.exec(text);
        });
      }
      return end;
    });
  return loadRecords({ hold }, plan);
}
