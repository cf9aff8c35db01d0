import { createLog, type Log } from '../../../../log.ts';
import type { Writes } from '../../../sql/transaction.ts';
import { CommitUnknown, isTableGone, isTrouble } from '../connection/faults.ts';
import { indexPending, mergeTokens } from '../tables/search.ts';

/** Milliseconds from a write to the first step, and between two steps: fewer where nobody else writes. */
const pauses = { usual: 20, alone: 10 } as const;
/** Where steps fail. */
const longestPause = 5_000;
/** Under a load of writes it waits up to so many pauses: an index that is late costs a search less than it costs them. */
const mostPauses = 5;
/** Share of its time that the writer has spent on requests. */
const load = { some: 0.1, much: 0.5 } as const;
/** Milliseconds that a step takes, during which nothing else is written: the longer ones where nobody else writes. */
const steps = { short: 2, long: 10 } as const;
/** Records that are not indexed: a search reads the text of each, so that the load is no reason any more to wait. */
const farBehind = 200_000;

/** Not where all else is logged: the thread that writes has no log of its own. */
const standardError = createLog((line) => process.stderr.write(line), false);

interface Options {
  readonly log?: Pick<Log, 'error'>;
  /** Milliseconds since some moment. */
  readonly now?: () => number;
}

/** Indexes the text of records soon after they were written, a few at a time between other writes. */
export class SearchIndexer {
  readonly #writes: Writes;
  /** Milliseconds that the writer has spent on requests, ever. */
  readonly #spent: () => number;
  readonly #log: Pick<Log, 'error'>;
  readonly #now: () => number;
  /** Collections that may have records to index, by key. */
  readonly #waiting = new Set<number>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #stopped = false;
  #pauses = 0;
  #looked = { at: 0, spent: 0 };
  /** How many records were left at the last step. */
  #left = 0;
  /** Whether it was logged that steps fail, since the last that worked. */
  #isLogged = false;
  /** Steps that failed since then. */
  #failed = 0;

  constructor(
    writes: Writes,
    spent: () => number,
    { log = standardError, now = () => performance.now() }: Options = {},
  ) {
    this.#writes = writes;
    this.#spent = spent;
    this.#log = log;
    this.#now = now;
  }

  /** Something was written to these collections. */
  wake(collections: Iterable<number>): void {
    for (const key of collections) this.#waiting.add(key);
    this.#runAfter(pauses.usual);
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
  }

  #runAfter(pause: number): void {
    if (this.#stopped || this.#timer || this.#waiting.size === 0) return;
    this.#timer = setTimeout(() => void this.#run(), pause);
    this.#timer.unref();
  }

  async #run(): Promise<void> {
    const share = this.#share();
    const alone = share <= load.some;
    const waits = share > load.much && this.#pauses < mostPauses && this.#left < farBehind;
    this.#pauses = waits ? this.#pauses + 1 : 0;
    const [key] = this.#waiting;
    if (key !== undefined && !waits) {
      this.#waiting.delete(key);
      this.#left = await this.#index(key, alone ? steps.long : steps.short);
      if (this.#left > 0) this.#waiting.add(key);
    }
    this.#timer = undefined;
    this.#runAfter(this.#failed > 0 ? afterFailures(this.#failed) : alone ? pauses.alone : pauses.usual);
  }

  /** How many records are left. Where it fails they are found without the index, and it is tried again: the disk may be full. */
  async #index(key: number, ms: number): Promise<number> {
    try {
      const left = await this.#indexSome(key, ms);
      this.#isLogged = false;
      this.#failed = 0;
      return left;
    } catch (error) {
      if (isTableGone(error)) return 0;
      if (!isOfDisk(error)) this.#logOnce(error);
      this.#failed += 1;
      return 1;
    }
  }

  #logOnce(error: unknown): void {
    if (this.#isLogged || this.#stopped) return;
    this.#isLogged = true;
    this.#log.error(
      'the words of records could not be indexed: searches read their texts until they are',
      error,
    );
  }

  /** In short steps, between which others write. */
  async #indexSome(key: number, ms: number): Promise<number> {
    const left = await this.#writes.write(({ db }) => {
      const end = this.#now() + ms;
      return indexPending(db, key, () => this.#now() < end);
    });
    let merging = true;
    while (merging && !this.#stopped) merging = await this.#writes.write(({ db }) => mergeTokens(db, key));
    return left;
  }

  /** Of the time since the last look, what the writer spent on requests. */
  #share(): number {
    const [at, spent] = [this.#now(), this.#spent()];
    const share = (spent - this.#looked.spent) / (at - this.#looked.at);
    this.#looked = { at, spent };
    return share;
  }
}

/** Each longer than the one before, so that what fails for long costs others next to nothing. */
const afterFailures = (failed: number) => Math.min(longestPause, pauses.usual * 2 ** failed);

const isOfDisk = (error: unknown) => isTrouble(error) || error instanceof CommitUnknown;
