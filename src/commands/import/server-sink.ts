import type { Admin } from '../../../client/admin.ts';
import { Failure } from '../../failure.ts';
import type { Row, Rows } from '../../import/row.ts';
import type { JsonObject } from '../../model/json.ts';
import { compilePayload, type PayloadReader } from '../../model/payload.ts';
import { readStoredCollection } from '../../model/read-collection.ts';
import { targetsOf } from '../apply/definition.ts';
import { Duplicates } from './duplicates.ts';
import { type Check, type Good, rowBatches } from './row-batches.ts';
import { sendAll } from './send-all.ts';
import { sendGood } from './send-good.ts';
import type { ImportRules, Sink } from './sink.ts';
import type { Tally } from './tally.ts';

/**
 * Rows are sent in batches, each of which is atomic. To make the whole import all or nothing too, every row is checked before the
 * first is written, and if a batch is refused nevertheless, the records written before are deleted again.
 */
export async function serverSink(
  admin: Admin,
  project: string,
  id: string,
  { dryRun, keepGood }: ImportRules,
): Promise<Sink> {
  const definition = (await admin.project(project).collections.view(id)) as unknown as JsonObject;
  const collection = readStoredCollection(definition, targetsOf(definition));
  const records = admin.records(project).collection(id);
  return {
    collection,
    again: !dryRun && !keepGood,
    async take({ rows }, { signal }, tally) {
      const payload = compilePayload(collection);
      if (keepGood && !dryRun) {
        const check = rowCheck(payload, undefined, tally);
        const valuesOf = ({ body }: Good) => payload.create(body, true).values;
        const sending = { records, collection, valuesOf, tally, signal };
        return sendGood(rowBatches(countedBy(tally, rows()), check), sending);
      }
      const check = rowCheck(payload, new Duplicates(collection), tally);
      for await (const part of countedBy(tally, rows())) for (const row of part) check(row);
      if (dryRun || tally.bad > 0) return;
      await sendAll(rowBatches(rows(), isGood), { records, expected: tally.good, signal });
    },
  };
}

/** The same rules as the server's, so that a bad row is found without a request. */
function rowCheck(payload: PayloadReader, duplicates: Duplicates | undefined, tally: Tally): Check {
  return (row): row is Good => {
    try {
      if ('fault' in row) throw new Failure('invalid', row.fault);
      const { values } = payload.create(row.body, true);
      const fault = duplicates?.find(row.line, values);
      if (fault !== undefined) throw new Failure('conflict', fault);
      return true;
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      tally.refused(row.line, error.message);
      return false;
    }
  };
}

const isGood = (row: Row): row is Good => 'body' in row;

async function* countedBy(tally: Tally, rows: Rows): Rows {
  for await (const part of rows) {
    tally.rows += part.length;
    yield part;
  }
}
