import { setTimeout as pause } from 'node:timers/promises';
import { Failure } from '../../failure.ts';
import { defaultLimits } from '../../http/services.ts';
import type { JsonObject } from '../../model/json.ts';
import { compilePayload, type PayloadReader } from '../../model/payload.ts';
import { readStoredCollection } from '../../model/read-collection.ts';
import { targetsOf } from '../apply/definition.ts';
import { CommandFailure } from '../command.ts';
import { type Call, callServer, Refusal, type Server } from '../target/server-target.ts';
import type { Row } from './row.ts';
import type { Sink } from './sink.ts';
import type { Tally } from './tally.ts';

const mostOperations = defaultLimits.records.batchOperations;

type Good = Extract<Row, { body: JsonObject }>;

/** Rows go in batches, each of which is all or nothing by itself: more than one can't be undone together. */
export async function serverSink(server: Server, project: string, id: string): Promise<Sink> {
  const call = callServer(server);
  const definition = await call('GET', `/v1/_admin/projects/${project}/collections/${id}`);
  const collection = readStoredCollection(definition, targetsOf(definition));
  const payload = compilePayload(collection);
  const path = `/v1/${project}/${id}/batch`;
  return {
    collection,
    async take(rows, { dryRun, keepGood }, tally) {
      let waiting: Good[] = [];
      for await (const part of rows) {
        tally.rows += part.length;
        if (!keepGood && !dryRun && tally.rows > mostOperations) throw tooMany();
        for (const row of part) if (check(payload, row, tally)) waiting.push(row);
        while (keepGood && !dryRun && waiting.length >= mostOperations) {
          await sendGood(call, path, waiting.slice(0, mostOperations), tally);
          waiting = waiting.slice(mostOperations);
        }
        if (dryRun) waiting = [];
      }
      if (keepGood) await sendGood(call, path, waiting, tally);
      else if (tally.bad === 0) await sendAll(call, path, waiting);
    },
  };
}

/** The same rules as the server's, so that a row that breaks one does not cost a request. */
function check(payload: PayloadReader, row: Row, tally: Tally): row is Good {
  try {
    if ('fault' in row) throw new Failure('invalid', row.fault);
    payload.create(row.body, true);
    return true;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    tally.refused(row.line, error.message);
    return false;
  }
}

async function sendAll(call: Call, path: string, rows: readonly Good[]): Promise<void> {
  if (rows.length === 0) return;
  try {
    await send(call, path, rows);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const lines = error.message.replaceAll(
      /create\[(\d+)\]\.?/g,
      (_, at) => `line ${rows[Number(at)]?.line}: `,
    );
    throw new CommandFailure(`nothing was imported: ${lines}`);
  }
}

/** A batch that is refused is sent in halves, until the rows that are to blame stand alone. */
async function sendGood(call: Call, path: string, rows: readonly Good[], tally: Tally): Promise<void> {
  const [first] = rows;
  if (!first) return;
  try {
    await send(call, path, rows);
  } catch (error) {
    if (!(error instanceof Refusal) || ![400, 409, 413].includes(error.status)) throw error;
    if (rows.length === 1) {
      tally.refused(first.line, error.message.replace(/^create\[0\]\.?/, ''));
      return;
    }
    const half = Math.ceil(rows.length / 2);
    await sendGood(call, path, rows.slice(0, half), tally);
    await sendGood(call, path, rows.slice(half), tally);
  }
}

/** A server that asks to wait is waited for. */
async function send(call: Call, path: string, rows: readonly Good[]): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await call('POST', path, { create: rows.map(({ body }) => body) });
      return;
    } catch (error) {
      const busy = error instanceof Refusal && (error.status === 429 || error.status === 503);
      if (!busy || attempt === 10) throw error;
      await pause(error.retryAfter * 1_000);
    }
  }
}

function tooMany(): CommandFailure {
  return new CommandFailure(
    `nothing was imported: over HTTP more than ${mostOperations} rows can't be all or nothing; give --keep-good ` +
      'to import the good ones, or stop the server and import into its data directory with --data',
  );
}
