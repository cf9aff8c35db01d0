import { Worker } from 'node:worker_threads';
import type { Readers, ReadKind } from '../store/engines/sqlite/readers/readers.ts';
import { reviveError, type SentError } from '../store/engines/sqlite/writes/messages.ts';
import { largestAnswer } from '../store/sizes.ts';
import { threadFile } from './executable.ts';

/** A message to a reader thread. Files have unique numbers, because by now another file may be at the same path. */
export type ReaderAsk =
  | {
      readonly n: number;
      readonly kind: ReadKind;
      readonly file: number;
      readonly path: string;
      readonly plan: unknown;
      /** Not 0: nobody waits for the answer any more. Shared memory, so that it is seen during the work. */
      readonly stop: SharedArrayBuffer;
      /** The deadline of the read, in milliseconds since 1970. */
      readonly latest: number;
    }
  | { readonly n: number; readonly kind: 'close'; readonly file: number };

export interface ReaderReply {
  readonly n: number;
  readonly answer?: unknown;
  readonly error?: SentError;
}

export interface ReaderOptions {
  readonly threads: number;
  /** Milliseconds after which a read is aborted. */
  readonly timeout: number;
  /** Called when a thread ends unexpectedly. */
  failed(error: unknown): void;
}

type Unnumbered<T> = T extends unknown ? Omit<T, 'n'> : never;

interface Waiting {
  resolve(answer: unknown): void;
  reject(error: unknown): void;
}

/** Threads for expensive reads. Started on the first such read, because many servers never have one. */
export function startReaderThreads({ threads, timeout, failed }: ReaderOptions): Readers {
  const started: ReaderThread[] = [];
  let files = 0;

  /** An idle thread, a new one, or the one with the fewest reads waiting. */
  function choose(): ReaderThread {
    const idle = started.find(({ waiting }) => waiting.size === 0);
    if (idle) return idle;
    if (started.length < threads) {
      const thread = new ReaderThread(timeout, failed);
      started.push(thread);
      return thread;
    }
    return started.reduce((one, other) => (other.waiting.size < one.waiting.size ? other : one));
  }

  return {
    open(path) {
      files += 1;
      const file = files;
      const used = new Set<ReaderThread>();
      return {
        async read(kind, plan, turn) {
          const { signal, unlimited = false } = turn ?? {};
          const thread = choose();
          used.add(thread);
          const stop = new SharedArrayBuffer(4);
          const leave = () => void Atomics.store(new Int32Array(stop), 0, 1);
          if (signal?.aborted) leave();
          signal?.addEventListener('abort', leave);
          try {
            const latest = unlimited ? Number.POSITIVE_INFINITY : Date.now() + timeout;
            return (await thread.ask({ kind, file, path, plan, stop, latest })) as never;
          } finally {
            signal?.removeEventListener('abort', leave);
          }
        },
        close: async () => {
          await Promise.all([...used].map((thread) => thread.ask({ kind: 'close', file })));
        },
      };
    },
    close: async () => {
      await Promise.all(started.map((thread) => thread.close()));
    },
  };
}

class ReaderThread {
  readonly waiting = new Map<number, Waiting>();
  readonly #thread: Worker;
  readonly #over: Promise<void>;
  #last = 0;
  #closing = false;

  constructor(timeout: number, failed: (error: unknown) => void) {
    this.#thread = new Worker(threadFile('reader-thread'), { workerData: { timeout, largestAnswer } });
    this.#thread.unref();
    this.#thread.on('message', (reply: ReaderReply) => this.#settle(reply));
    this.#thread.on('error', failed);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#over = promise;
    this.#thread.on('exit', () => {
      resolve();
      const error = new Error('a thread that reads has ended');
      for (const { reject } of this.waiting.values()) reject(error);
      this.waiting.clear();
      if (!this.#closing) failed(error);
    });
  }

  ask(ask: Unnumbered<ReaderAsk>): Promise<unknown> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    this.#last += 1;
    this.waiting.set(this.#last, { resolve, reject });
    if (this.waiting.size === 1) this.#thread.ref();
    this.#thread.postMessage({ ...ask, n: this.#last });
    return promise;
  }

  async close(): Promise<void> {
    this.#closing = true;
    this.#thread.postMessage(null);
    await this.#over;
  }

  #settle({ n, answer, error }: ReaderReply): void {
    const asked = this.waiting.get(n);
    this.waiting.delete(n);
    if (this.waiting.size === 0) this.#thread.unref();
    if (error) asked?.reject(reviveError(error));
    else asked?.resolve(answer);
  }
}
