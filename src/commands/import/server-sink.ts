import { type Admin, VitrineError } from '../../../client/admin.ts';
import { Failure } from '../../failure.ts';
import { defaultLimits } from '../../http/services.ts';
import type { JsonObject } from '../../model/json.ts';
import { compilePayload, type PayloadReader } from '../../model/payload.ts';
import { readStoredCollection } from '../../model/read-collection.ts';
import { countElements, work } from '../../store/sizes.ts';
import { targetsOf } from '../apply/definition.ts';
import { CommandFailure } from '../command.ts';
import { counted } from '../terminal/colours.ts';
import { Duplicates } from './duplicates.ts';
import type { Row, Rows } from './row.ts';
import type { ImportRules, Sink } from './sink.ts';
import type { Tally } from './tally.ts';

const mostOperations = defaultLimits.records.batchOperations;
/** Of the rows of one batch, as JSON, and of their lists: half of what a server takes, as it may be set to less than the default. */
const mostBytes = defaultLimits.batchBody.bytes / 2;

type Good = Extract<Row, { body: JsonObject }>;
type Records = ReturnType<Admin['records']>['collection'] extends (name: string) => infer C ? C : never;

/**
 * Rows go in batches, each of which is all or nothing. All of them together are so too, by other means: every row is
 * checked before the first is written, and should a batch be refused after all, what was written before is deleted again.
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
    async take(rows, _rules, tally) {
      const check = rowCheck(compilePayload(collection), new Duplicates(collection), tally);
      if (keepGood && !dryRun) {
        for await (const batch of batches(rows(), check, tally)) await sendGood(records, batch, tally);
        return;
      }
      for await (const part of rows()) {
        tally.rows += part.length;
        for (const row of part) check(row);
      }
      if (!dryRun && tally.bad === 0) await sendAll(records, rows());
    },
  };
}

type Check = (row: Row) => row is Good;

/** The same rules as the server's, so that a row that breaks one does not cost a request. */
function rowCheck(payload: PayloadReader, duplicates: Duplicates, tally: Tally): Check {
  return (row): row is Good => {
    try {
      if ('fault' in row) throw new Failure('invalid', row.fault);
      const fault = duplicates.find(row.line, payload.create(row.body, true).values);
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

/** The good rows, as many at once as a batch may hold. */
async function* batches(rows: Rows, check: Check, tally?: Tally): AsyncGenerator<Good[], void> {
  let waiting: Good[] = [];
  let bytes = 0;
  for await (const part of rows) {
    if (tally) tally.rows += part.length;
    for (const row of part) {
      if (!check(row)) continue;
      const size = work.create(JSON.stringify(row.body), countElements(row.body));
      if (waiting.length === mostOperations || (bytes + size > mostBytes && waiting.length > 0)) {
        yield waiting;
        [waiting, bytes] = [[], 0];
      }
      waiting.push(row);
      bytes += size;
    }
  }
  if (waiting.length > 0) yield waiting;
}

async function sendAll(records: Records, rows: Rows): Promise<void> {
  const written: string[][] = [];
  for await (const batch of batches(rows, isGood)) {
    try {
      written.push((await send(records, batch)).map(({ _id }) => _id));
    } catch (error) {
      if (!(error instanceof VitrineError)) throw error;
      await deleteAgain(records, written);
      const count = written.flat().length;
      const undone = count === 0 ? '' : `; ${counted(count, 'record')} written before were deleted again`;
      throw new CommandFailure(`nothing was imported: ${blamed(error, batch)}${undone}`);
    }
  }
}

/** In the batches that they were written in: what a server takes at a time it deletes at a time. */
async function deleteAgain(records: Records, written: readonly (readonly string[])[]): Promise<void> {
  for (const ids of written) {
    await records.batch((batch) => {
      for (const id of ids) batch.delete(id);
    });
  }
}

/** The refusal with the lines of the file in place of the batch's numbers. */
function blamed({ message, fields }: VitrineError, batch: readonly Good[]): string {
  const faults = Object.entries(fields).map(([key, fault]) => {
    const [, at, field = ''] = /^create\[(\d+)\]\.?(.*)$/.exec(key) ?? [];
    const line = at === undefined ? undefined : batch[Number(at)]?.line;
    return line === undefined ? `${key}: ${fault}` : `line ${line}: ${field && `${field}: `}${fault}`;
  });
  return faults.join('; ') || message;
}

/** A batch that is refused is sent in halves, until the rows that are to blame stand alone. */
async function sendGood(records: Records, rows: readonly Good[], tally: Tally): Promise<void> {
  const [first] = rows;
  if (!first) return;
  try {
    await send(records, rows);
  } catch (error) {
    if (!(error instanceof VitrineError) || ![400, 409, 413].includes(error.status)) throw error;
    if (rows.length === 1) {
      tally.refused(first.line, blamed(error, rows).replace(`line ${first.line}: `, ''));
      return;
    }
    const half = Math.ceil(rows.length / 2);
    await sendGood(records, rows.slice(0, half), tally);
    await sendGood(records, rows.slice(half), tally);
  }
}

async function send(records: Records, rows: readonly Good[]): Promise<readonly { readonly _id: string }[]> {
  const { created } = await records.batch((batch) => {
    for (const { body } of rows) batch.create(body);
  });
  return created;
}
