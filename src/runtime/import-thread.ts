import { workerData } from 'node:worker_threads';
import { checkRow } from '../import/check-row.ts';
import { packRows } from '../import/packed-rows.ts';
import { readRows } from '../import/read-rows.ts';
import type { CheckedRow } from '../import/row.ts';
import { compilePayload } from '../model/payload.ts';
import { sendError } from '../store/engines/sqlite/writes/messages.ts';
import type { RowsData, RowsReply } from './checked-rows.ts';
import { beginThread } from './thread.ts';

/** The thread that reads and checks the rows of an import while those before them are written. */
beginThread(async (port) => {
  const { collection, reading } = workerData as RowsData;
  const payload = compilePayload(collection);
  const texts = receive<string>((received) => port.on('message', received));
  const fields = [...collection.fields.keys()];
  let rows: CheckedRow[] = [];

  const reply = (more: Omit<RowsReply, 'rows'>) => {
    port.postMessage({ rows: packRows(rows, fields), ...more } satisfies RowsReply);
    rows = [];
  };

  /** When the next text is asked for, all rows of the one before have been read. */
  async function* replied(): AsyncGenerator<string, void> {
    for (;;) {
      const text = await texts();
      if (text === null) return;
      yield text;
      reply({});
    }
  }

  try {
    for await (const part of readRows(replied(), collection, reading)) {
      for (const row of part) rows.push(checkRow(collection, payload, row));
    }
    reply({ ended: true });
  } catch (error) {
    reply({ error: sendError(error) });
  }
  port.close();
});

/** Messages one by one, as they are asked for. */
function receive<T>(listen: (received: (message: T | null) => void) => void): () => Promise<T | null> {
  const arrived: (T | null)[] = [];
  let waiting: ((message: T | null) => void) | undefined;
  listen((message) => {
    if (waiting) waiting(message);
    else arrived.push(message);
    waiting = undefined;
  });
  return () =>
    new Promise((resolve) => {
      const first = arrived.shift();
      if (first === undefined) waiting = resolve;
      else resolve(first);
    });
}
