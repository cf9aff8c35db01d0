import { AsyncLocalStorage } from 'node:async_hooks';

interface Budget {
  /** Milliseconds. */
  remaining: number;
  over: boolean;
}

/**
 * Milliseconds that a group of requests is given. A request with less time left is not put into a group, as its timeout would
 * end all of them.
 */
export const leastForGroup = 3_000;

/**
 * Bounds how long a request waits for PostgreSQL, over all its statements. What continues after the response began, such as a
 * download, and work outside any request have the full time for each statement.
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

  /** Runs work with a budget of this many milliseconds. */
  async run<T>(work: () => T | Promise<T>, remaining = this.most): Promise<T> {
    const budget = { remaining, over: false };
    try {
      return await this.#budgets.run(budget, work);
    } finally {
      budget.over = true;
    }
  }

  /** Grants more time to a request that writes much. */
  extend(milliseconds: number): void {
    const budget = this.#budget;
    if (budget) budget.remaining += milliseconds;
  }

  spend(milliseconds: number): void {
    const budget = this.#budget;
    if (budget) budget.remaining -= milliseconds;
  }

  /** Deducts the time of work shared by several requests from the budget of each of them. */
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
