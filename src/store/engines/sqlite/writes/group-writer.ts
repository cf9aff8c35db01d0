import { countCommit, countGroup } from '../../../../metrics/counted.ts';
import type { Schemas } from '../../../known-schemas.ts';
import { Counters } from '../../../sql/records/counters.ts';
import type { Attempt, LongWrites, WriteStep, Writes } from '../../../sql/transaction.ts';
import { type Database, TransactionLost } from '../connection/database.ts';
import { isTrouble } from '../connection/faults.ts';
import type { LogKeeper } from './checkpoints.ts';

interface Waiting {
  /** Runs the step, and returns whether it succeeded. `settle` reports what it threw, unless that ended the whole transaction. */
  run(counters: Counters, alone: boolean): Promise<boolean>;
  readonly background: boolean;
  /** Whether it is a background write whose error ended the transaction. */
  spoiled(): boolean;
  settle(): void;
  fail(error: unknown): void;
}

/** Called after each commit with the keys of the collections that records were written to, and whether the log has grown. */
type Changed = (collections: Iterable<number>, logged: boolean) => void;

type Log = Pick<LogKeeper, 'isLong' | 'beginAnew'>;

const mostInGroup = 512;
/** After a step of a group was refused, this many groups use a savepoint for each step from the start. */
const cautiousGroups = 20;

/**
 * Group commit: writes that arrive together become one transaction and one fsync, and each is answered after it. A step that is
 * refused fails alone: the others are run again, each in a savepoint. That is rare, so the first attempt is made without
 * savepoints, which are a fifth of the cost of a group of insertions.
 */
export class Writer implements Writes, LongWrites {
  readonly #db: Database;
  readonly #schemas: Schemas;
  readonly #changed: Changed;
  readonly #log: Log | undefined;
  readonly #queue: Waiting[] = [];
  /** Writes that take longer than a group. */
  readonly #large: Waiting[] = [];
  /** Whether a group has gone before the first of the large writes. */
  #letOthersGo = false;
  #scheduled = false;
  /** Resolves at the end of the transaction under way; nothing else is written before that. */
  #busy: Promise<void> | undefined;
  #cautious = 0;
  #spent = 0;

  constructor(db: Database, schemas: Schemas, changed: Changed, log?: Log) {
    this.#db = db;
    this.#schemas = schemas;
    this.#log = log;
    this.#changed = changed;
  }

  write<T>(step: WriteStep<T>): Promise<T> {
    return this.#enqueue(this.#queue, step, false);
  }

  /** In a transaction of its own. Large writes alternate with groups, so that nobody waits for more than one of them. */
  writeLarge<T>(step: WriteStep<T>): Promise<T> {
    return this.#enqueue(this.#large, step, false);
  }

  /** For writes that no request waits for: if the disk fails one of them, the rest of its group is tried again without it. */
  readonly background: Writes = { write: (step) => this.#enqueue(this.#queue, step, true) };

  /** Milliseconds spent so far on writes that somebody waits for. */
  get spent(): number {
    return this.#spent;
  }

  #enqueue<T>(queue: Waiting[], step: WriteStep<T>, background: boolean): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const db = this.#db;
    let settle = (): void => {};
    let spoiled = false;
    queue.push({
      async run(counters, alone) {
        try {
          const result = await (alone ? attempt(db, counters, step) : step(counters));
          settle = () => resolve(result);
          return true;
        } catch (error) {
          const lost = error instanceof TransactionLost;
          if (lost || (!alone && isTrouble(error))) {
            spoiled = background;
            throw lost ? error.cause : error; // more than this step may be undone
          }
          settle = () => reject(error);
          return false;
        }
      },
      background,
      spoiled: () => spoiled,
      settle: () => settle(),
      fail: reject,
    });
    this.#schedule();
    return promise;
  }

  async hold(work: (attempt: Attempt) => Promise<'commit' | 'rollback'>): Promise<void> {
    await this.flush();
    const db = this.#db;
    const counters = new Counters(db, this.#schemas);
    let logged = false;
    const holding = db.longTransaction(async () => {
      const end = await work((step) => attempt(db, counters, step).catch(lostCause));
      logged = await counters.write();
      return end;
    });
    this.#occupy(holding);
    await holding;
    this.#changed(counters.written(), logged);
  }

  /** Waits until everything is written. For the end of the process. */
  async flush(): Promise<void> {
    while (this.#busy || this.#isAnybodyWaiting) {
      this.#begin();
      await this.#busy;
    }
  }

  /** Resolves when the transaction that is under way now, if any, has ended. */
  async settled(): Promise<void> {
    await this.#busy;
  }

  #schedule(): void {
    if (this.#scheduled || this.#busy) return;
    this.#scheduled = true;
    // Deferred until the requests of this turn of the event loop have joined the queue.
    setImmediate(() => {
      this.#scheduled = false;
      this.#begin();
    });
  }

  get #isAnybodyWaiting(): boolean {
    return this.#queue.length > 0 || this.#large.length > 0;
  }

  #begin(): void {
    if (!this.#busy && this.#isAnybodyWaiting) this.#occupy(this.#commitGroup(this.#takeGroup()));
  }

  #takeGroup(): Waiting[] {
    const isLarge = this.#large.length > 0 && (this.#queue.length === 0 || this.#letOthersGo);
    this.#letOthersGo = !isLarge && this.#large.length > 0;
    return isLarge ? this.#large.splice(0, 1) : this.#queue.splice(0, mostInGroup);
  }

  #occupy(work: Promise<void>): void {
    const ended = () => {
      this.#busy = undefined;
      if (this.#isAnybodyWaiting) this.#schedule();
    };
    this.#busy = work.then(ended, ended);
  }

  async #commitGroup(group: readonly Waiting[]): Promise<void> {
    const start = performance.now();
    try {
      const together = this.#cautious === 0 || group.length === 1;
      const done = together && (await this.#commit(group, false));
      // A refused step has undone nobody else's work, and would be refused again.
      if (!done && group.length > 1) await this.#commit(group, true);
    } catch (error) {
      const failed = group.filter((waiting) => waiting.spoiled());
      if (failed.length > 0) this.#queue.unshift(...group.filter((waiting) => !waiting.spoiled()));
      for (const waiting of failed.length > 0 ? failed : group) waiting.fail(error);
      return;
    }
    const took = performance.now() - start;
    if (!group.every(({ background }) => background)) this.#spent += took;
    countCommit(took);
    countGroup(group.length);
    for (const waiting of group) waiting.settle();
    if (!this.#log?.isLong()) return;
    await new Promise((resolve) => setImmediate(resolve)); // once those have been answered
    this.#log.beginAnew();
  }

  /** `alone`: a refused step leaves the others unaffected. Otherwise it undoes all of them, and the result is false. */
  async #commit(group: readonly Waiting[], alone: boolean): Promise<boolean> {
    const counters = new Counters(this.#db, this.#schemas);
    let refused = false;
    let logged = false;
    await this.#db.longTransaction(async () => {
      for (const waiting of group) {
        counters.log.begin();
        const done = await waiting.run(counters, alone);
        if (!done) refused = true;
        if (refused && !alone) return 'rollback';
      }
      logged = await counters.write();
      return 'commit';
    });
    if (refused) this.#cautious = cautiousGroups;
    else if (this.#cautious > 0) this.#cautious -= 1;
    if (refused && !alone) return false;
    this.#changed(counters.written(), logged);
    return true;
  }
}

/** Runs one step of several; a refused one leaves no trace. */
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
