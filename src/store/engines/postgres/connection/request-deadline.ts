import { AsyncLocalStorage } from 'node:async_hooks';

interface Budget {
  /** Milliseconds. */
  remaining: number;
  over: boolean;
}

/**
 * Milliseconds that a group of requests is given. A request with less time left is not put into one: it would end all of them.
 */
export const leastForGroup = 3_000;

/**
 * How long a request waits for PostgreSQL, all its statements together. What goes on after the answer began, such as a
 * download, has the whole time for each statement, and so has what no request asked for.
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

  /** Work that is done for several requests at once takes its time from each of them. */
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
