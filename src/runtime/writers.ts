import { Worker } from 'node:worker_threads';
import { sharedCells } from '../metrics/cells.ts';
import { remoteWriters } from '../store/engines/sqlite/writes/remote-writers.ts';
import type { Writers } from '../store/engines/sqlite/writes/writers.ts';
import { largestAnswer } from '../store/sizes.ts';
import { threadFile } from './executable.ts';

export interface ThreadOptions {
  /** Called when the thread ends unexpectedly. */
  failed(error: unknown): void;
  /** A module whose `wrapDriver` wraps the SQLite driver, to observe it or to slow it down. */
  readonly driver?: URL;
}

export interface WriterThread extends Writers {
  /** Whether the thread keeps the process alive. */
  keepAlive(on: boolean): void;
}

/** What the thread is started with. */
export interface WriterData {
  readonly driver: string | undefined;
  readonly cells: SharedArrayBuffer;
  readonly largestAnswer: number;
}

/** Starts a thread that writes to the files of all projects. */
export function startWriterThread({ failed, driver }: ThreadOptions): WriterThread {
  const thread = new Worker(threadFile('writer-thread'), {
    workerData: { driver: driver?.href, cells: sharedCells(), largestAnswer } satisfies WriterData,
  });
  const { promise: over, resolve } = Promise.withResolvers<void>();
  let closing = false;
  const writers = remoteWriters({
    post: (text) => thread.postMessage(text),
    listen(received, ended) {
      thread.on('message', received);
      thread.on('error', failed);
      thread.on('exit', () => {
        resolve();
        ended();
        if (!closing) failed(new Error('the thread that writes has ended'));
      });
    },
    async close() {
      closing = true;
      thread.postMessage(null);
      await over;
    },
  });
  return { ...writers, keepAlive: (on) => (on ? thread.ref() : thread.unref()) };
}
