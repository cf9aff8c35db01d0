import { AsyncLocalStorage } from 'node:async_hooks';

interface Share {
  /** Milliseconds. */
  left: number;
  over: boolean;
}

/**
 * How long a request waits for PostgreSQL, all its questions together. What goes on after its answer, a download for
 * instance, has a new share for each of its questions, and so has what is asked for nobody in particular.
 */
export class RequestDeadline {
  readonly most: number;
  readonly #shares = new AsyncLocalStorage<Share>();

  constructor(most: number) {
    this.most = most;
  }

  get left(): number {
    return this.#share?.left ?? this.most;
  }

  /** Runs what has `left` milliseconds in all. */
  async share<T>(work: () => T | Promise<T>, left = this.most): Promise<T> {
    const share = { left, over: false };
    try {
      return await this.#shares.run(share, work);
    } finally {
      share.over = true;
    }
  }

  spend(milliseconds: number): void {
    const share = this.#share;
    if (share) share.left -= milliseconds;
  }

  get #share(): Share | undefined {
    const share = this.#shares.getStore();
    return share?.over ? undefined : share;
  }
}
