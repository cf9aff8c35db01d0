import { Worker } from 'node:worker_threads';
import { CommandFailure } from '../commands/command.ts';
import { type PackedRows, unpackRows } from '../commands/import/packed-rows.ts';
import type { Reading } from '../commands/import/read-rows.ts';
import type { CheckedRow } from '../commands/import/row.ts';
import type { Collection } from '../model/collection.ts';
import { reviveError, type SentError } from '../store/engines/sqlite/writes/messages.ts';
import { threadFile } from './executable.ts';

/** What the thread is started with. */
export interface RowsData {
  readonly collection: Collection;
  readonly reading: Reading;
}

/** To each text that the thread is sent, and to the end of them. */
export interface RowsReply {
  readonly rows: PackedRows;
  readonly ended?: true;
  readonly refused?: string;
  readonly error?: SentError;
}

/**
 * Texts that the thread has and whose rows are not written yet: some 2 MB. While rows are written no message arrives, so that with
 * four, one took turns waiting for the other: a tenth of the time.
 */
const mostAhead = 32;

/** Reads and checks rows in a thread of their own, while those before them are written. */
export async function* checkedRows(
  texts: AsyncIterable<string>,
  data: RowsData,
): AsyncGenerator<readonly CheckedRow[], void> {
  const thread = new Worker(threadFile('import-thread'), { workerData: data });
  const fields = [...data.collection.fields.keys()];
  const replies: RowsReply[] = [];
  let ahead = 0;
  let failed: unknown;
  let over = false;
  /** Called when a reply or a failure has arrived, and when another text may be sent. */
  let arrived = (): void => {};
  let mayGoOn = (): void => {};
  const fail = (error: unknown) => {
    failed ??= error;
    arrived();
  };
  thread.on('message', (reply: RowsReply) => {
    replies.push(reply);
    arrived();
  });
  thread.on('error', fail);
  thread.on('exit', () => fail(new Error('the thread that reads rows has ended')));

  async function send(): Promise<void> {
    for await (const text of texts) {
      thread.postMessage(text);
      ahead += 1;
      if (ahead === mostAhead) {
        await new Promise<void>((resolve) => {
          mayGoOn = resolve;
        });
      }
      if (over) return;
    }
    thread.postMessage(null);
  }

  async function next(): Promise<RowsReply> {
    for (;;) {
      const reply = replies.shift();
      if (reply) return reply;
      if (failed !== undefined) throw failed;
      await new Promise<void>((resolve) => {
        arrived = resolve;
      });
    }
  }

  try {
    send().catch(fail);
    for (;;) {
      const { rows, ended, refused, error } = await next();
      ahead -= 1;
      mayGoOn();
      yield unpackRows(rows, fields);
      if (refused !== undefined) throw new CommandFailure(refused);
      if (error) throw reviveError(error);
      if (ended) return;
    }
  } finally {
    over = true;
    mayGoOn();
    await thread.terminate();
  }
}
