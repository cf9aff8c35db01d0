import { ClientGone, NoneFree } from './faults.ts';
import type { Lane, Lanes } from './lanes.ts';

interface Waiting<T> {
  readonly lane: Lane;
  readonly since: number;
  take(item: T): void;
  refuse(error: unknown): void;
}

/** Milliseconds: the longest wait while nobody in the lane finishes successfully, and in total. */
export interface WaitLimits {
  readonly still: number;
  readonly most: number;
}

/** The queue for connections: first come, first served, within the limits of each lane. */
export class WaitingLine<T> {
  readonly #lanes: Lanes;
  readonly #waiting = new Set<Waiting<T>>();
  /** When a use of the lane last finished successfully. */
  readonly #moved: Record<Lane, number> = { read: 0, expensive: 0, write: 0 };

  constructor(lanes: Lanes) {
    this.#lanes = lanes;
  }

  get length(): number {
    return this.#waiting.size;
  }

  /** Whether nobody is waiting and the lane has room, so that a newcomer may proceed at once. */
  isFree(lane: Lane): boolean {
    return this.#waiting.size === 0 && this.#lanes.admits(lane);
  }

  /** Waits while the queue moves. Gives up when it stands still for too long, or when the client is gone. */
  join(lane: Lane, { still, most }: WaitLimits, signal?: AbortSignal): Promise<T> {
    return new Promise((resolve, reject) => {
      const since = performance.now();
      let timer: ReturnType<typeof setTimeout>;
      const look = () => {
        const end = Math.min(since + most, Math.max(since, this.#moved[lane]) + still);
        const left = end - performance.now();
        if (left <= 0) refuse(new NoneFree('no connection is free'));
        else timer = setTimeout(look, left);
      };
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
      const waiting = { lane, since, take, refuse };
      signal?.addEventListener('abort', gone);
      this.#waiting.add(waiting);
      look();
    });
  }

  /** A use of the lane has finished successfully: those waiting are granted more time. */
  moved(lane: Lane): void {
    this.#moved[lane] = performance.now();
  }

  /** Hands out what `next` finds. Returns how many more waiters could be served now. */
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

  /** Refuses the first waiter, if it already waited at that moment: later ones have nothing to do with that failure. */
  refuseFirst(error: unknown, moment: number): void {
    const [first] = this.#waiting;
    if (first && first.since <= moment) first.refuse(error);
  }
}
