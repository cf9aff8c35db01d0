import { Failure } from '../../../failure.ts';
import type { LoadPlan, LoadRecord } from '../../plans.ts';
import { insertRecord } from './write-records.ts';
import type { Attempt, Writer } from './writer.ts';

export function loadRecords(writer: Writer, { records, refused, keep }: LoadPlan): Promise<void> {
  return writer.hold(async (attempt) => {
    for await (const part of records) {
      // A savepoint for each record costs a tenth of the time, so the records of a part share one until one fails.
      if (insert(attempt, part) === undefined) continue;
      for (const record of part) {
        const failure = insert(attempt, [record]);
        if (failure) refused(record.place, failure);
      }
    }
    return keep() ? 'commit' : 'rollback';
  });
}

/** All or none of them, and why none. */
function insert(attempt: Attempt, records: readonly LoadRecord[]): Failure | undefined {
  try {
    attempt((transaction) => {
      for (const { plan } of records) insertRecord(transaction, plan);
    });
    return undefined;
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
}
