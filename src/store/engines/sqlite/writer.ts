import { Counters } from '../../sql/counters.ts';
import type { Attempt, LongWrites, WriteStep, Writes } from '../../sql/transaction.ts';
import { type Database, TransactionLost } from './database.ts';

interface Waiting {
  /** Throws only what ends the whole transaction. */
  run(counters: Counters): Promise<void>;
  settle(): void;
  fail(error: unknown): void;
}

const mostInGroup = 512;

/**
 * Group commit: writes that arrived together become one transaction and one fsync, and each is answered after
 * it. Each runs in a savepoint, so that one that is refused fails alone.
 */
export class Writer implements Writes, LongWrites {
  readonly #db: Database;
  readonly #changed: (collections: Iterable<number>) => void;
  #queue: Waiting[] = [];
  #scheduled = false;
  /** The end of the transaction under way: nothing else is written before it. */
  #busy: Promise<void> | undefined;

  /** `changed` hears, after each commit, to which collections (by key) records were written. */
  constructor(db: Database, changed: (collections: Iterable<number>) => void) {
    this.#db = db;
    this.#changed = changed;
  }

  write<T>(step: WriteStep<T>): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const db = this.#db;
    let settle = (): void => {};
    this.#queue.push({
      async run(counters) {
        try {
          const result = await attempt(db, counters, step);
          settle = () => resolve(result);
        } catch (error) {
          if (error instanceof TransactionLost) throw error.cause;
          settle = () => reject(error);
        }
      },
      settle: () => settle(),
      fail: reject,
    });
    this.#schedule();
    return promise;
  }

  async hold(work: (attempt: Attempt) => Promise<'commit' | 'rollback'>): Promise<void> {
    await this.flush();
    const db = this.#db;
    const counters = new Counters(db);
    const holding = db.longTransaction(async () => {
      const end = await work((step) => attempt(db, counters, step).catch(lostCause));
      await counters.write();
      return end;
    });
    this.#occupy(holding);
    await holding;
    this.#changed(counters.written());
  }

  /** Waits until all that was to be written is. For the end of the process. */
  async flush(): Promise<void> {
    while (this.#busy || this.#queue.length > 0) {
      this.#begin();
      await this.#busy;
    }
  }

  #schedule(): void {
    if (this.#scheduled || this.#busy) return;
    this.#scheduled = true;
    // After the requests that are being read in this turn of the event loop have joined the queue.
    setImmediate(() => {
      this.#scheduled = false;
      this.#begin();
    });
  }

  #begin(): void {
    if (!this.#busy && this.#queue.length > 0) this.#occupy(this.#commitGroup());
  }

  #occupy(work: Promise<void>): void {
    const ended = () => {
      this.#busy = undefined;
      if (this.#queue.length > 0) this.#schedule();
    };
    this.#busy = work.then(ended, ended);
  }

  async #commitGroup(): Promise<void> {
    const group = this.#queue.splice(0, mostInGroup);
    const counters = new Counters(this.#db);
    try {
      await this.#db.longTransaction(async () => {
        for (const waiting of group) await waiting.run(counters);
        await counters.write();
        return 'commit';
      });
    } catch (error) {
      for (const waiting of group) waiting.fail(error);
      return;
    }
    for (const waiting of group) waiting.settle();
    this.#changed(counters.written());
  }
}

/** Runs one step of several; a refused one leaves all as it was. */
async function attempt<T>(db: Database, counters: Counters, step: WriteStep<T>): Promise<T> {
  const before = counters.save();
  try {
    return await db.savepoint(() => step(counters));
  } catch (error) {
    counters.restore(before);
    throw error;
  }
}

function lostCause(error: unknown): never {
  throw error instanceof TransactionLost ? error.cause : error;
}
