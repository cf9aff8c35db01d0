import { AsyncLocalStorage } from 'node:async_hooks';

interface Budget {
  /** Milliseconds. */
  remaining: number;
  over: boolean;
}

/** Milliseconds that a group of requests is given: whoever has less is not made part of one, which would end with its time. */
export const leastForGroup = 3_000;

/**
 * How long a request waits for PostgreSQL, all its questions together. What goes on after its answer, a download for
 * instance, has the whole time for each of its questions, and so has what is asked for nobody in particular.
 */
export class RequestDeadline {
  readonly most: number;
  readonly #budgets = new AsyncLocalStorage<Budget>();

  constructor(most: number) {
    this.most = most;
  }

  get remaining(): number {
    return this.#budget?.remaining ?? this.most;
  }

  /** Runs what has so many milliseconds in all. */
  async run<T>(work: () => T | Promise<T>, remaining = this.most): Promise<T> {
    const budget = { remaining, over: false };
    try {
      return await this.#budgets.run(budget, work);
    } finally {
      budget.over = true;
    }
  }

  /** Gives more time to a request that has much to write. */
  extend(milliseconds: number): void {
    const budget = this.#budget;
    if (budget) budget.remaining += milliseconds;
  }

  spend(milliseconds: number): void {
    const budget = this.#budget;
    if (budget) budget.remaining -= milliseconds;
  }

  /** What is done for several at once takes its time from each of them. */
  async waitFor<T>(work: Promise<T>): Promise<T> {
    const start = Date.now();
    try {
      return await work;
    } finally {
      this.spend(Date.now() - start);
    }
  }

  get #budget(): Budget | undefined {
    const budget = this.#budgets.getStore();
    return budget?.over ? undefined : budget;
  }
}
