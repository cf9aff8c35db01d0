import type { Writes } from '../../../sql/transaction.ts';
import { isTableGone } from '../connection/faults.ts';
import { indexPending } from '../tables/search.ts';

const pause = 20;
/** Under a load of writes it waits up to so many pauses: an index that is late costs a search less than it costs them. */
const mostPauses = 5;
const loadOfWrites = 4;

/** Indexes the text of records soon after they were written, a few at a time between other writes. */
export class SearchIndexer {
  readonly #writes: Writes;
  /** Collections that may have records to index, by key. */
  readonly #waiting = new Set<number>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #stopped = false;
  /** Groups of writes since the last look. */
  #groups = 0;
  #pauses = 0;

  constructor(writes: Writes) {
    this.#writes = writes;
  }

  /** Something was written to these collections. */
  wake(collections: Iterable<number>): void {
    for (const key of collections) this.#waiting.add(key);
    this.#groups += 1;
    if (this.#stopped || this.#timer || this.#waiting.size === 0) return;
    this.#timer = setTimeout(() => void this.#run(), pause);
    this.#timer.unref();
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
  }

  async #run(): Promise<void> {
    const busy = this.#groups >= loadOfWrites;
    this.#groups = 0;
    this.#pauses = busy && this.#pauses < mostPauses ? this.#pauses + 1 : 0;
    const [key] = this.#waiting;
    if (key !== undefined && this.#pauses === 0) {
      this.#waiting.delete(key);
      const more = await this.#writes
        .write(({ db }) => indexPending(db, key))
        .catch((error: unknown) => !isTableGone(error)); // the disk may be full; the records are found without the index, and it is tried again
      if (more) this.#waiting.add(key);
    }
    this.#timer = undefined;
    this.wake([]);
  }
}
