import type { WriteStep, Writes } from './transaction.ts';

/** Milliseconds for one step of long work, as others wait for it. */
const longest = 40;

/**
 * How many records one transaction of long work takes: fewer if it turns out to be slow, as records can have a megabyte each,
 * and more again if it is fast.
 */
export class Pace {
  readonly #most: number;
  #size: number;

  constructor(most: number) {
    this.#most = most;
    this.#size = Math.ceil(most / 8);
  }

  /** Runs a step with as many records as it may take now. */
  async step<T>(writes: Writes, work: (records: number) => WriteStep<T>): Promise<T> {
    let elapsed = 0;
    const step = work(this.#size);
    const done = await writes.write(async (transaction) => {
      const start = performance.now();
      const result = await step(transaction);
      elapsed = performance.now() - start;
      return result;
    });
    const fitting = elapsed > longest ? this.#size / 2 : this.#size * 2;
    this.#size = Math.round(Math.min(this.#most, Math.max(1, fitting)));
    return done;
  }
}
