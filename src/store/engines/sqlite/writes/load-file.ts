import type { Connection } from '../../../sql/dialect.ts';
import { loadRecords } from '../../../sql/records/load-records.ts';
import { sql } from '../../../sql/tag.ts';
import type { Attempt, LongWrites } from '../../../sql/transaction.ts';
import type { LoadPlan } from '../../../write-plans.ts';
import { dropIndexes } from '../tables/drop-indexes.ts';

/** Loads records; a collection that is empty gets its indexes once they are there. */
export function loadFile(writes: LongWrites, plan: LoadPlan): Promise<void> {
  const hold: LongWrites['hold'] = (work) =>
    writes.hold(async (attempt) => {
      const indexes: string[] = [];
      await attempt(async (transaction) => {
        const collection = await transaction.collection(plan.collection);
        const { total } = await transaction.counter(collection);
        if (total === 0) indexes.push(...(await dropIndexes(transaction.db, collection.key)));
      });
      const end = await work(indexes.length > 0 ? keepingSchema(attempt) : attempt);
      if (end === 'commit') {
        await attempt(async ({ db }) => {
          for (const text of indexes) await db.exec(text);
        });
      }
      return end;
    });
  return loadRecords({ hold }, plan);
}

/**
 * Looks at the schema before each step, so that its changed pages are not the ones that go to the log when memory is short. They
 * would be among the first there, and to write a page again that is in the log already, when the indexes are made, has the
 * checksums of all that came after it computed anew: a tenth of a second per 100 MB.
 */
function keepingSchema(attempt: Attempt): Attempt {
  return (step) =>
    attempt(async (transaction) => {
      await readSchema(transaction.db);
      await step(transaction);
    });
}

const readSchema = (db: Connection) => db.row(sql`SELECT count(*) FROM sqlite_schema`);
