import { createLog, type Log } from '../../../../log.ts';
import type { Writes } from '../../../sql/transaction.ts';
import { CommitUnknown, isTableGone, isTrouble } from '../connection/faults.ts';
import { indexPending, mergeTokens } from '../tables/search.ts';

/** Milliseconds from a write to the first step, and between steps: shorter if nobody else writes. */
const pauses = { usual: 20, alone: 10 } as const;
/** The longest pause if steps fail. */
const longestPause = 5_000;
/**
 * Under a heavy load of writes it waits up to this many pauses: a late index costs searches less than indexing would cost
 * writes.
 */
const mostPauses = 5;
/** Shares of the writer's time spent on requests. */
const load = { some: 0.1, much: 0.5 } as const;
/** Milliseconds of a step, during which nothing else is written: longer if nobody else writes. */
const steps = { short: 2, long: 10 } as const;
/** Unindexed records: a search scans the text of each, so from here on a heavy load is no longer a reason to wait. */
const farBehind = 200_000;

/** Not the usual log, as the writing thread has none of its own. */
const standardError = createLog((line) => process.stderr.write(line), false);

interface Options {
  readonly log?: Pick<Log, 'error'>;
  /** Milliseconds since some moment. */
  readonly now?: () => number;
}

/** Indexes the text of records soon after they were written, a few at a time between other writes. */
export class SearchIndexer {
  readonly #writes: Writes;
  /** Total milliseconds that the writer has spent on requests. */
  readonly #spent: () => number;
  readonly #log: Pick<Log, 'error'>;
  readonly #now: () => number;
  /** Keys of collections that may have records to index. */
  readonly #waiting = new Set<number>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #stopped = false;
  #pauses = 0;
  #looked = { at: 0, spent: 0 };
  /** How many records were left after the last step. */
  #left = 0;
  /** Whether a failure was logged since the last step that succeeded. */
  #isLogged = false;
  /** Number of failed steps since then. */
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

  /** To be called when something was written to these collections. */
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

  /** Returns how many records are left. If it fails they are found without the index, and it is retried: the disk may be full. */
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

  /** The share of the time since the last look that the writer spent on requests. */
  #share(): number {
    const [at, spent] = [this.#now(), this.#spent()];
    const share = (spent - this.#looked.spent) / (at - this.#looked.at);
    this.#looked = { at, spent };
    return share;
  }
}

/** Each pause is longer than the one before, so that repeated failures cost others next to nothing. */
const afterFailures = (failed: number) => Math.min(longestPause, pauses.usual * 2 ** failed);

const isOfDisk = (error: unknown) => isTrouble(error) || error instanceof CommitUnknown;
