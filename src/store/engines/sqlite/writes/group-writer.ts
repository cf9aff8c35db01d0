import { countCommit, countGroup } from '../../../../metrics/counted.ts';
import type { Schemas } from '../../../known-schemas.ts';
import { Counters } from '../../../sql/records/counters.ts';
import type { Attempt, LongWrites, WriteStep, Writes } from '../../../sql/transaction.ts';
import { type Database, TransactionLost } from '../connection/database.ts';
import { isTrouble } from '../connection/faults.ts';
import type { LogKeeper } from './checkpoints.ts';

interface Waiting {
  /** Runs the step; what it throws is reported by `settle`, unless it ended the whole transaction. Says whether it threw. */
  run(counters: Counters, alone: boolean): Promise<boolean>;
  readonly background: boolean;
  /** Whether it was in the background, and what it threw ended the transaction. */
  spoiled(): boolean;
  settle(): void;
  fail(error: unknown): void;
}

/** Is called after each commit with the collections (by key) that records were written to, and whether the log has grown. */
type Changed = (collections: Iterable<number>, logged: boolean) => void;

type Log = Pick<LogKeeper, 'isLong' | 'beginAnew'>;

const mostInGroup = 512;
/** After one step of a group was refused, so many groups are made step by step from the start. */
const cautiousGroups = 20;

/**
 * Group commit: writes that arrived together become one transaction and one fsync, and each is answered after
 * it. A step that is refused fails alone: the others are then run again, each in a savepoint. As that is rare, the first
 * try is without: savepoints are a fifth of what a group of insertions costs.
 */
export class Writer implements Writes, LongWrites {
  readonly #db: Database;
  readonly #schemas: Schemas;
  readonly #changed: Changed;
  readonly #log: Log | undefined;
  readonly #queue: Waiting[] = [];
  /** Those that others wait for longer than for a group. */
  readonly #large: Waiting[] = [];
  /** Whether a group went before the first of them. */
  #letOthersGo = false;
  #scheduled = false;
  /** The end of the transaction under way: nothing else is written before it. */
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

  /** By itself, and in turn with all others: nobody waits for more than one of its kind. */
  writeLarge<T>(step: WriteStep<T>): Promise<T> {
    return this.#enqueue(this.#large, step, false);
  }

  /** Writes that no request waits for: where the disk fails one of them, the others of its group are tried again without it. */
  readonly background: Writes = { write: (step) => this.#enqueue(this.#queue, step, true) };

  /** Milliseconds that were spent on writes which somebody waits for, ever. */
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
            throw lost ? error.cause : error; // may have undone more than the step
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

  /** Waits until all that was to be written is. For the end of the process. */
  async flush(): Promise<void> {
    while (this.#busy || this.#isAnybodyWaiting) {
      this.#begin();
      await this.#busy;
    }
  }

  /** When the transaction has ended that is under way now, if one is. */
  async settled(): Promise<void> {
    await this.#busy;
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
      // One that is refused has undone nobody else's work, and would be refused again.
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
    await new Promise((resolve) => setImmediate(resolve)); // after those were answered
    this.#log.beginAnew();
  }

  /** `alone`: a step that is refused leaves the others be. Otherwise all of it is undone, and the answer is false. */
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
