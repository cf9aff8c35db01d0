import { Worker } from 'node:worker_threads';
import type { Checkpoints } from '../store/engines/sqlite/writes/checkpoints.ts';
import { threadFile } from './executable.ts';

/** A message to the thread. Files have unique numbers, as another may be at the same path by now. Without a path: close it. */
export interface CheckpointAsk {
  readonly n: number;
  readonly file: number;
  readonly path: string | undefined;
}

export interface CheckpointReply {
  readonly n: number;
  readonly error?: string;
}

interface Waiting {
  resolve(): void;
  reject(error: Error): void;
}

/** One thread for all files, started when first needed, because many servers hardly write. */
export function startCheckpointThread(driver: string | undefined): Checkpoints {
  const waiting = new Map<number, Waiting>();
  let thread: Worker | undefined;
  let over: Promise<void> = Promise.resolve();
  let asks = 0;
  let files = 0;

  function start(): Worker {
    const started = new Worker(threadFile('checkpoint-thread'), { workerData: { driver } });
    started.unref();
    started.on('message', ({ n, error }: CheckpointReply) => {
      const asked = waiting.get(n);
      waiting.delete(n);
      if (error === undefined) asked?.resolve();
      else asked?.reject(new Error(error));
    });
    const { promise, resolve } = Promise.withResolvers<void>();
    over = promise;
    const ended = (error?: unknown) => {
      for (const { reject } of waiting.values()) reject(new Error('the thread has ended', { cause: error }));
      waiting.clear();
      thread = undefined;
      resolve();
    };
    started.on('error', ended);
    started.on('exit', ended);
    return started;
  }

  function ask(file: number, path: string | undefined): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    asks += 1;
    waiting.set(asks, { resolve, reject });
    thread ??= start();
    thread.postMessage({ n: asks, file, path } satisfies CheckpointAsk);
    return promise;
  }

  return {
    open(path) {
      files += 1;
      const file = files;
      let used = false;
      return {
        copy() {
          used = true;
          return ask(file, path);
        },
        async close() {
          if (used && thread) await ask(file, undefined).catch(() => {});
        },
      };
    },
    async close() {
      thread?.postMessage(null);
      await over;
    },
  };
}
