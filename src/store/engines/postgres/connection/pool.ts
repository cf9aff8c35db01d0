import type { Log } from '../../../../log.ts';
import type { SessionOptions } from './driver.ts';
import { isConnectionFault, OutOfReach } from './faults.ts';
import { type Lane, Lanes } from './lanes.ts';
import { Reachability } from './reachability.ts';
import type { RequestDeadline } from './request-deadline.ts';
import { Session } from './session.ts';
import { Sessions } from './sessions.ts';
import { WaitingLine } from './waiting-line.ts';

export interface PoolOptions extends SessionOptions {
  /** Connections at most. */
  readonly size: number;
  /** Milliseconds to wait for a connection that is free. */
  readonly acquireTimeout: number;
  readonly deadline: RequestDeadline;
  readonly log: Pick<Log, 'info'>;
}

export interface UseOptions {
  readonly lane?: Lane;
  /** Milliseconds until it is given up; Infinity for what is bounded by its statements alone. */
  readonly within?: number;
}

const mostKnown = 2_000;

/**
 * Some connections that take turns. Each is used by one request at a time, so that nothing of one is ever mixed up
 * with another. A connection that fails is thrown away, and the next request makes a new one: after an outage there
 * is nothing to repair. One that is given up counts until the server has ended what it was doing.
 */
export class Pool {
  readonly deadline: RequestDeadline;
  readonly #options: PoolOptions;
  readonly #sessions: Sessions;
  readonly #lanes: Lanes;
  readonly #line: WaitingLine<Session>;
  readonly #reachability: Reachability;
  /** Sessions that were given up, and whether the server could be asked to end what they do. */
  readonly #abandoned = new Map<Session, Promise<boolean>>();
  /** Texts that came before: those that come again are worth preparing. */
  readonly #known = new Set<string>();
  readonly #sweep: ReturnType<typeof setInterval>;
  #closed = false;

  constructor(options: PoolOptions) {
    this.#options = { ...options, turn: { host: 0 } };
    this.deadline = options.deadline;
    this.#lanes = new Lanes(options.size);
    this.#line = new WaitingLine(this.#lanes);
    this.#reachability = new Reachability(options.log);
    this.#sessions = new Sessions(this.#options, options.size, {
      changed: () => this.#serve(),
      failed: (error, begun) => {
        this.#line.refuseFirst(error, begun);
        this.#lose(error);
      },
    });
    this.#sweep = setInterval(() => this.#look(), 1_000);
    this.#sweep.unref();
  }

  async use<T>(work: (session: Session) => Promise<T>, options: UseOptions = {}): Promise<T> {
    const { lane = 'read', within = this.deadline.remaining } = options;
    const start = Date.now();
    try {
      return await this.#useWithin(within, lane, work);
    } finally {
      if (within !== Number.POSITIVE_INFINITY) this.deadline.spend(Date.now() - start);
    }
  }

  async #useWithin<T>(within: number, lane: Lane, work: (session: Session) => Promise<T>): Promise<T> {
    const latest = Date.now() + within;
    const session = await this.#acquire(lane, within);
    const timer = Number.isFinite(within)
      ? setTimeout(() => this.#giveUp(session), latest - Date.now())
      : undefined;
    try {
      const result = await work(session);
      this.#reachability.reached();
      return result;
    } catch (error) {
      if (isConnectionFault(error) && !this.#abandoned.has(session)) {
        session.destroy(error);
        this.#lose(error);
      }
      throw error;
    } finally {
      clearTimeout(timer);
      void this.#release(session, lane);
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
    await this.#sessions.close();
  }

  #acquire(lane: Lane, within: number): Promise<Session> {
    if (within <= 0) return Promise.reject(new OutOfReach('no answer in time'));
    if (this.#closed) return Promise.reject(new OutOfReach('the pool is closed'));
    const turn = this.#line.join(lane, Math.min(this.#options.acquireTimeout, within));
    this.#serve();
    return turn;
  }

  /** Connections are opened for those whose turn it is and who find none. */
  #serve(): void {
    this.#sessions.want(this.#line.serve(() => this.#sessions.takeIdle()));
  }

  async #release(session: Session, lane: Lane): Promise<void> {
    const asked = await this.#abandoned.get(session);
    this.#abandoned.delete(session);
    if (asked === false) this.#lose(new OutOfReach('no answer in time'));
    this.#lanes.leave(lane);
    this.#sessions.release(session);
    this.#serve();
  }

  #giveUp(session: Session): void {
    if (session.lost || this.#abandoned.has(session)) return;
    this.#abandoned.set(session, session.abandon(new OutOfReach('no answer in time')));
  }

  /** PostgreSQL ends a statement that takes too long by itself, but not a commit that waits for a standby. */
  #look(): void {
    const longest = this.#options.statementTimeout + 2_000;
    for (const session of this.#sessions) {
      if (session.silence > longest) this.#giveUp(session);
    }
    this.#sessions.closeUnused();
  }

  /** Where one connection was lost the others most likely are, and only have not heard of it yet. */
  #lose(error: unknown): void {
    this.#sessions.dropIdle();
    this.#reachability.lost(error);
  }
}
