import type { Log } from '../../../../log.ts';
import { isConnectionFault, OutOfReach } from './faults.ts';
import type { RequestDeadline } from './request-deadline.ts';
import { Session, type SessionOptions } from './session.ts';
import type { Turn } from './socket.ts';

export interface PoolOptions extends SessionOptions {
  /** Connections at most. */
  readonly size: number;
  /** Milliseconds to wait for a connection that is free. */
  readonly acquireTimeout: number;
  readonly patience: RequestDeadline;
  readonly log: Pick<Log, 'info'>;
}

interface Waiting {
  take(session: Session): void;
}

const idleAfter = 5 * 60_000;
const oldAfter = 60 * 60_000;
/** Each prepared statement holds memory in the server for as long as its session lives. */
const mostPrepared = 300;
const mostKnown = 2_000;

/**
 * Some connections that take turns. Each is used by one request at a time, so that nothing of one is ever mixed up
 * with another. A connection that fails is thrown away, and the next request makes a new one: after an outage there
 * is nothing to repair.
 */
export class Pool {
  readonly #options: PoolOptions & { readonly turn: Turn };
  readonly #idle: Session[] = [];
  readonly #waiting = new Set<Waiting>();
  readonly #sessions = new Set<Session>();
  /** Texts that came before: those that come again are worth preparing. */
  readonly #known = new Set<string>();
  readonly #sweep: ReturnType<typeof setInterval>;
  /** undefined: it never was, which whoever opens it is told. */
  #reachable: boolean | undefined;
  #closed = false;

  constructor(options: PoolOptions) {
    this.#options = { ...options, turn: { host: 0 } };
    this.#sweep = setInterval(() => this.#look(), 1_000);
    this.#sweep.unref();
  }

  get patience(): RequestDeadline {
    return this.#options.patience;
  }

  /** `patience`: milliseconds until it is given up; Infinity for what is bounded by its statements alone. */
  async use<T>(work: (session: Session) => Promise<T>, patience = this.patience.left): Promise<T> {
    if (patience === Number.POSITIVE_INFINITY) return this.#useFor(patience, work);
    const start = Date.now();
    try {
      return await this.#useFor(patience, work);
    } finally {
      this.patience.spend(Date.now() - start);
    }
  }

  async #useFor<T>(patience: number, work: (session: Session) => Promise<T>): Promise<T> {
    const start = Date.now();
    const session = await this.#acquire(patience);
    const left = start + patience - Date.now();
    const timer =
      patience === Number.POSITIVE_INFINITY
        ? undefined
        : setTimeout(() => session.destroy(new OutOfReach('no answer in time')), left);
    try {
      const result = await work(session);
      this.#tell(true);
      return result;
    } catch (error) {
      if (isConnectionFault(error)) {
        session.destroy(error);
        this.#dropIdle();
        this.#tell(false, error);
      }
      throw error;
    } finally {
      clearTimeout(timer);
      this.#release(session);
    }
  }

  /** A connection beside those of the pool, for a lock that is held while others work. */
  separate(): Session {
    return new Session(this.#options);
  }

  /** Whether a statement is worth preparing. */
  isFrequent(text: string): boolean {
    if (this.#known.has(text)) return true;
    if (this.#known.size >= mostKnown) this.#known.clear();
    this.#known.add(text);
    return false;
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#sweep);
    await Promise.all([...this.#sessions].map((session) => session.close()));
  }

  #acquire(patience: number): Promise<Session> {
    if (patience <= 0) return Promise.reject(new OutOfReach('no answer in time'));
    for (let session = this.#idle.pop(); session; session = this.#idle.pop()) {
      if (!session.lost) return Promise.resolve(session);
      this.#sessions.delete(session);
    }
    if (this.#closed) return Promise.reject(new OutOfReach('the pool is closed'));
    if (this.#sessions.size < this.#options.size) return Promise.resolve(this.#open());
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        take: (session) => {
          clearTimeout(timer);
          this.#waiting.delete(waiting);
          resolve(session);
        },
      };
      const timer = setTimeout(
        () => {
          this.#waiting.delete(waiting);
          reject(new OutOfReach('no connection is free'));
        },
        Math.min(this.#options.acquireTimeout, patience),
      );
      this.#waiting.add(waiting);
    });
  }

  #open(): Session {
    const session = new Session(this.#options);
    this.#sessions.add(session);
    return session;
  }

  #release(session: Session): void {
    const worn = session.prepared > mostPrepared || Date.now() - session.born > oldAfter;
    if (session.lost || worn || this.#closed) {
      this.#sessions.delete(session);
      if (!session.lost) session.close().catch(() => {});
      const [next] = this.#waiting;
      if (next && !this.#closed) next.take(this.#open());
      return;
    }
    const [next] = this.#waiting;
    session.idleSince = Date.now();
    if (next) next.take(session);
    else this.#idle.push(session);
  }

  /** PostgreSQL ends what takes too long by itself: a server that does not even do that is not there any more. */
  #look(): void {
    const longest = this.#options.statementTimeout + 2_000;
    for (const session of this.#sessions) {
      if (session.silence > longest) session.destroy(new OutOfReach('no answer in time'));
    }
    this.#closeIdle();
  }

  /** Where one connection was lost the others most likely are, and only have not heard of it yet. */
  #dropIdle(): void {
    for (const session of this.#idle.splice(0)) {
      this.#sessions.delete(session);
      session.destroy();
    }
  }

  #closeIdle(): void {
    const latest = Date.now() - idleAfter;
    // The longest idle ones are at the front.
    while (this.#idle[0] && (this.#idle[0].lost || this.#idle[0].idleSince < latest)) {
      const session = this.#idle.shift();
      if (!session) return;
      this.#sessions.delete(session);
      if (!session.lost) session.close().catch(() => {});
    }
  }

  /** An outage is told once, and its end. */
  #tell(reachable: boolean, error?: unknown): void {
    const before = this.#reachable;
    if (before === reachable || (before === undefined && !reachable)) return;
    this.#reachable = reachable;
    if (before === undefined) return;
    const reason = error instanceof Error ? `: ${error.message}` : '';
    this.#options.log.info(
      reachable ? 'PostgreSQL is within reach again' : `PostgreSQL is out of reach${reason}`,
    );
  }
}
