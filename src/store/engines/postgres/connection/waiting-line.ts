import { ClientGone, NoneFree } from './faults.ts';
import type { Lane, Lanes } from './lanes.ts';

interface Waiting<T> {
  readonly lane: Lane;
  readonly since: number;
  take(item: T): void;
  refuse(error: unknown): void;
}

/** Those who wait for a connection: first come, first served, as far as each lane goes. */
export class WaitingLine<T> {
  readonly #lanes: Lanes;
  readonly #waiting = new Set<Waiting<T>>();

  constructor(lanes: Lanes) {
    this.#lanes = lanes;
  }

  get length(): number {
    return this.#waiting.size;
  }

  /** Whether whoever comes now comes before nobody, and may go on at once. */
  isFree(lane: Lane): boolean {
    return this.#waiting.size === 0 && this.#lanes.admits(lane);
  }

  /** Refused after so many milliseconds, or when nobody waits for it any more. */
  join(lane: Lane, timeout: number, signal?: AbortSignal): Promise<T> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', gone);
        this.#waiting.delete(waiting);
      };
      const gone = () => refuse(new ClientGone());
      const refuse = (error: unknown) => {
        leave();
        reject(error);
      };
      const take = (item: T) => {
        leave();
        this.#lanes.enter(lane);
        resolve(item);
      };
      const waiting = { lane, since: performance.now(), take, refuse };
      const timer = setTimeout(() => refuse(new NoneFree('no connection is free')), timeout);
      signal?.addEventListener('abort', gone);
      this.#waiting.add(waiting);
    });
  }

  /** Gives out what `next` finds, and says how many more there are whose turn it is. */
  serve(next: () => T | undefined): number {
    let left = 0;
    for (const waiting of this.#waiting) {
      if (!this.#lanes.admits(waiting.lane)) continue;
      const item = next();
      if (item === undefined) left += 1;
      else waiting.take(item);
    }
    return left;
  }

  /** Of those who waited at a moment: whoever came later is not concerned by what failed since. */
  refuseFirst(error: unknown, moment: number): void {
    const [first] = this.#waiting;
    if (first && first.since <= moment) first.refuse(error);
  }
}
