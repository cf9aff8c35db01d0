import { ClientGone, NoneFree } from './faults.ts';
import type { Lane, Lanes } from './lanes.ts';

interface Waiting<T> {
  readonly lane: Lane;
  readonly since: number;
  take(item: T): void;
  refuse(error: unknown): void;
}

/** Milliseconds: how long somebody waits while nobody of the lane comes to a good end, and in all. */
export interface WaitLimits {
  readonly still: number;
  readonly most: number;
}

/** Those who wait for a connection: first come, first served, as far as each lane goes. */
export class WaitingLine<T> {
  readonly #lanes: Lanes;
  readonly #waiting = new Set<Waiting<T>>();
  /** When somebody of the lane came to a good end last. */
  readonly #moved: Record<Lane, number> = { read: 0, expensive: 0, write: 0 };

  constructor(lanes: Lanes) {
    this.#lanes = lanes;
  }

  get length(): number {
    return this.#waiting.size;
  }

  /** Whether nobody waits and the lane has room: whoever comes now may go on at once. */
  isFree(lane: Lane): boolean {
    return this.#waiting.size === 0 && this.#lanes.admits(lane);
  }

  /** A line that moves is worth waiting in; one that stands is not, nor one that nobody waits in any more. */
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

  /** Somebody's turn has come to a good end: those who wait may hope for as much. */
  moved(lane: Lane): void {
    this.#moved[lane] = performance.now();
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
