import type { Awaitable } from '../awaitable.ts';
import { Failure } from '../failure.ts';
import { type Caller, callerKey } from './caller.ts';

/** Ends a turn. */
export type Release = () => void;

/** Who takes a turn; `signal` is aborted when the client has disconnected. */
export interface TurnTaker {
  readonly caller: Caller;
  readonly address: () => string;
  readonly signal: AbortSignal;
}

export interface TurnLimits {
  /** What the turns are for, in messages: `exports`. */
  readonly what: string;
  /** Concurrent turns per caller. An address without a token, which many callers may share, has four times as many. */
  readonly atOnce: number;
  /** Concurrent turns of all callers together. */
  readonly inAll?: number;
  /** Most milliseconds that a caller waits for a turn. */
  readonly longestWait?: number;
}

const mostWaiting = 16;
const addressShare = 4;
const defaultLongestWait = 10_000;

interface Waiter {
  begin(): void;
}

/** What one caller has under way and waiting. */
interface Line {
  readonly share: number;
  running: number;
  readonly waiting: Set<Waiter>;
}

/**
 * Limits how much expensive work each caller does at once. The rest waits; waiting callers take turns, so that one who asks for
 * much delays only themselves.
 */
export class Turns {
  readonly #limits: Required<TurnLimits>;
  readonly #lines = new Map<string, Line>();
  /** The callers who wait, the next one first. */
  readonly #next = new Set<string>();
  #running = 0;

  constructor({ inAll = Number.POSITIVE_INFINITY, longestWait = defaultLongestWait, ...limits }: TurnLimits) {
    this.#limits = { ...limits, inAll, longestWait };
  }

  /** Resolves at once or when it is the caller's turn. Fails if too many are waiting, or it takes too long. */
  take({ caller, address, signal }: TurnTaker): Awaitable<Release> {
    if (signal.aborted) throw clientGone();
    const key = callerKey(caller, address);
    const share = caller.kind === 'nobody' ? addressShare : 1;
    const line = this.#lines.get(key) ?? { share, running: 0, waiting: new Set() };
    this.#lines.set(key, line);
    if (this.#hasRoom(line) && line.waiting.size === 0) return this.#begin(key, line);
    const bounded = caller.kind !== 'administrator'; // any number of an administrator's may wait: they delay only each other
    if (bounded && line.waiting.size >= mostWaiting * share) throw this.#tooMany(line);
    return this.#wait(key, line, signal);
  }

  /** Runs `work` in a turn. */
  async run<T>(taker: TurnTaker, work: () => Promise<T>): Promise<T> {
    const release = await this.take(taker);
    try {
      return await work();
    } finally {
      release();
    }
  }

  #hasRoom({ running, share }: Line): boolean {
    return running < this.#limits.atOnce * share && this.#running < this.#limits.inAll;
  }

  #begin(key: string, line: Line): Release {
    line.running += 1;
    this.#running += 1;
    let over = false;
    return () => {
      if (over) return;
      over = true;
      line.running -= 1;
      this.#running -= 1;
      if (line.running === 0 && line.waiting.size === 0) this.#lines.delete(key);
      this.#goOn();
    };
  }

  #wait(key: string, line: Line, signal: AbortSignal): Promise<Release> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', gone);
        line.waiting.delete(waiter);
        if (line.waiting.size === 0) this.#next.delete(key);
      };
      const giveUp = (error: Failure) => {
        leave();
        if (line.running === 0 && line.waiting.size === 0) this.#lines.delete(key);
        reject(error);
      };
      const gone = () => giveUp(clientGone());
      const timer = setTimeout(() => giveUp(this.#tooMany(line)), this.#limits.longestWait);
      const waiter: Waiter = {
        begin: () => {
          leave();
          resolve(this.#begin(key, line));
        },
      };
      signal.addEventListener('abort', gone);
      line.waiting.add(waiter);
      this.#next.add(key);
    });
  }

  /** Lets the next waiting caller begin, and moves them to the end of the line. */
  #goOn(): void {
    for (const key of this.#next) {
      const line = this.#lines.get(key);
      const [waiter] = line?.waiting ?? [];
      if (!line || !waiter || !this.#hasRoom(line)) continue;
      waiter.begin();
      if (this.#next.delete(key)) this.#next.add(key);
      return;
    }
  }

  #tooMany({ share }: Line): Failure {
    const { what, atOnce } = this.#limits;
    return new Failure(
      'tooMany',
      `Too many ${what} at once: ${atOnce * share} run and ${mostWaiting * share} wait at most, so send it again when some are done`,
      { retryAfter: 2 },
    );
  }
}

/** Nobody will read this: the client has left. */
function clientGone(): Failure {
  return new Failure('unavailable', 'The client went away before it was its turn', { retryAfter: 1 });
}

/** For a read that may be expensive: its turn, and whether the client still waits for the response. */
export interface ReadTurn {
  readonly signal: AbortSignal;
  /** Whether --query-timeout does not apply, as for downloads. */
  readonly unlimited?: boolean;
  take(): Awaitable<Release>;
}

/** One of each per process. */
export interface TurnsOfKinds {
  readonly reads: Turns;
  readonly exports: Turns;
  readonly passwords: Turns;
  readonly streams: Turns;
  /** Batches with large bodies, which are held in memory as a whole. */
  readonly batches: Turns;
}

/** How much of each kind one caller may do at once. */
export interface AtOnce {
  readonly reads: number;
  readonly exports: number;
  readonly passwords: number;
  readonly streams: number;
}

/** `hashing`: how many passwords are hashed at once. */
export function createTurns(atOnce: AtOnce, hashing: number): TurnsOfKinds {
  return {
    reads: new Turns({ what: 'expensive reads', atOnce: atOnce.reads }),
    exports: new Turns({ what: 'exports', atOnce: atOnce.exports }),
    passwords: new Turns({ what: 'sign-ins', atOnce: atOnce.passwords, inAll: hashing }),
    streams: new Turns({ what: 'streams', atOnce: atOnce.streams }),
    batches: new Turns({ what: 'large batches', atOnce: 2 }),
  };
}
