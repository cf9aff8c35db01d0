import { Worker } from 'node:worker_threads';
import { type PackedRows, unpackRows } from '../import/packed-rows.ts';
import type { Reading } from '../import/read-rows.ts';
import type { CheckedRow } from '../import/row.ts';
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
  readonly error?: SentError;
}

/**
 * Characters that the thread has and whose rows are not written yet. While rows are written no message arrives, so that with
 * little of it one took turns waiting for the other: a tenth of the time.
 */
const mostAhead = 2 * 1024 * 1024;

/** Reads and checks rows in a thread of their own, while those before them are written. */
export async function* checkedRows(
  texts: AsyncIterable<string>,
  data: RowsData,
): AsyncGenerator<readonly CheckedRow[], void> {
  const thread = new Worker(threadFile('import-thread'), { workerData: data });
  const fields = [...data.collection.fields.keys()];
  const replies: RowsReply[] = [];
  /** Lengths of the texts that it has not replied to. */
  const lengths: number[] = [];
  let ahead = 0;
  let failed: unknown;
  /** Why there are no more texts. Told after all rows before it. */
  let unread: unknown;
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
      lengths.push(text.length);
      ahead += text.length;
      while (ahead >= mostAhead && !over) {
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
      if (unread !== undefined && lengths.length === 0) throw unread;
      await new Promise<void>((resolve) => {
        arrived = resolve;
      });
    }
  }

  try {
    send().catch((error) => {
      unread = error;
      arrived();
    });
    for (;;) {
      const { rows, ended, error } = await next();
      ahead -= lengths.shift() ?? 0;
      mayGoOn();
      yield unpackRows(rows, fields);
      if (error) throw reviveError(error);
      if (ended) return;
    }
  } finally {
    over = true;
    mayGoOn();
    await thread.terminate();
  }
}
