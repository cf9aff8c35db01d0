import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../../../../log.ts';
import { countPoolWait } from '../../../../metrics/counted.ts';
import { setGauge } from '../../../../metrics/gauges.ts';
import type { SessionOptions } from './driver.ts';
import { ClientGone, isConnectionFault, isFull, isReadOnly, OutOfReach } from './faults.ts';
import { type Lane, Lanes } from './lanes.ts';
import { roomAfter, Sessions } from './pooled-sessions.ts';
import { Reachability } from './reachability.ts';
import type { RequestDeadline } from './request-deadline.ts';
import { Session } from './session.ts';
import { WaitingLine } from './waiting-line.ts';

export interface PoolOptions extends SessionOptions {
  /** The most connections. */
  readonly size: number;
  /** Milliseconds to wait for a free connection while nobody finishes successfully. */
  readonly acquireTimeout: number;
  /** Milliseconds; bounds a read whose cost grows with its collection. */
  readonly queryTimeout: number;
  readonly deadline: RequestDeadline;
  readonly log: Pick<Log, 'info'>;
}

export interface UseOptions {
  readonly lane?: Lane;
  /** Milliseconds until it is given up; Infinity for long work. */
  readonly within?: number;
  /** Milliseconds that a statement may take; by default the pool's own limit. */
  readonly statementTimeout?: number;
  /** Aborted when nobody waits for it any more: then it is given up. */
  readonly signal?: AbortSignal;
}

/** Statements, and characters of one: a longer one is hardly ever used again. */
const mostKnown = 2_000;
const longestKnown = 20_000;
/** The most milliseconds that anybody waits for a connection. */
const mostWaited = 60_000;
/** Milliseconds that a connection which may not write is kept for: all writes of that time would open one each otherwise. */
const readOnlyFor = 500;

/**
 * Connections that requests take turns with. Each is used by one request at a time, so that requests never get mixed up. A
 * connection that fails is thrown away, and the next request opens a new one: after an outage there is nothing to repair. One
 * that is given up counts until the server has ended what it was doing.
 */
export class Pool {
  readonly deadline: RequestDeadline;
  readonly queryTimeout: number;
  readonly #options: PoolOptions;
  readonly #sessions: Sessions;
  readonly #lanes: Lanes;
  readonly #line: WaitingLine<Session>;
  readonly #reachability: Reachability;
  /** Sessions that were given up, and whether the server could be asked to cancel their work. */
  readonly #abandoned = new Map<Session, Promise<boolean>>();
  /** Texts that were used before: those that are used again are worth preparing. */
  readonly #known = new Set<string>();
  readonly #sweep: ReturnType<typeof setInterval>;
  #closed = false;

  constructor(options: PoolOptions) {
    this.#options = { ...options, primary: { host: 0 } };
    this.deadline = options.deadline;
    this.queryTimeout = options.queryTimeout;
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
    setGauge('poolSize', () => options.size);
    setGauge('poolUsed', () => this.#lanes.used);
    setGauge('poolWaiting', () => this.#line.length);
    this.#sweep = setInterval(() => this.#look(), 1_000);
    this.#sweep.unref();
  }

  async use<T>(work: (session: Session) => Promise<T>, options: UseOptions = {}): Promise<T> {
    const { within = this.deadline.remaining } = options;
    const start = Date.now();
    try {
      return await this.#useWithin(within, options, work);
    } finally {
      // Work with a limit of its own does not use up the request's time.
      const own = options.statementTimeout !== undefined || !Number.isFinite(within);
      if (!own) this.deadline.spend(Date.now() - start);
    }
  }

  async #useWithin<T>(
    within: number,
    options: UseOptions,
    work: (session: Session) => Promise<T>,
  ): Promise<T> {
    const { lane = 'read', statementTimeout = this.#options.statementTimeout, signal } = options;
    const latest = Date.now() + within;
    const waited = performance.now();
    const session = await this.#acquire(lane, within, signal);
    countPoolWait(performance.now() - waited);
    session.longestSilence = statementTimeout + 2_000;
    const gone = () => this.#giveUp(session, new ClientGone());
    signal?.addEventListener('abort', gone);
    const timer = Number.isFinite(within)
      ? setTimeout(() => this.#giveUp(session), latest - Date.now())
      : undefined;
    try {
      const result = await work(session);
      this.#reachability.reached();
      this.#line.moved(lane);
      return result;
    } catch (error) {
      if (isConnectionFault(error) && !this.#abandoned.has(session)) {
        session.destroy(error);
        this.#lose(error);
      } else if (isReadOnly(error) && Date.now() - session.born > readOnlyFor) {
        // Whether it may write by default was decided when it was made: those that are made from now on may be allowed to.
        session.destroy(error);
        this.#sessions.dropIdle();
      }
      throw error;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', gone);
      void this.#release(session, lane);
    }
  }

  /** Runs work with a connection outside of the pool, which may hold session locks until the work ends. */
  async beside<T>(work: (session: Session) => Promise<T>): Promise<T> {
    const session = await this.#openBeside();
    try {
      return await work(session);
    } finally {
      void this.#giveBack(session);
    }
  }

  /** A connection of its own, not opened yet, that receives notifications. */
  listener(notified: (payload: string) => void): Session {
    return new Session({ ...this.#options, notified });
  }

  /** Whether a statement is worth preparing. */
  isFrequent(text: string): boolean {
    if (text.length > longestKnown) return false;
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

  /**
   * If the server accepts no more connections, takes one of the pool's, once it is free. The last one stays in the pool: the
   * holder of a lock may need it for its work.
   */
  async #openBeside(): Promise<Session> {
    const latest = Date.now() + this.#options.acquireTimeout;
    for (;;) {
      const session = new Session(this.#options);
      try {
        await session.open();
        return session;
      } catch (error) {
        session.destroy(error);
        if (!isFull(error)) throw error;
      }
      const spared = await this.#acquire('write', latest - Date.now(), undefined);
      this.#lanes.leave('write');
      if (this.#sessions.spare(spared)) return spared;
      this.#sessions.release(spared);
      this.#serve();
      await sleep(roomAfter);
    }
  }

  async #giveBack(session: Session): Promise<void> {
    const timer = setTimeout(() => session.destroy(), this.#options.lockTimeout);
    try {
      await session.command('SELECT pg_advisory_unlock_all()');
      this.#sessions.adopt(session);
      this.#serve();
    } catch (error) {
      session.destroy(error); // its locks are released with it
    } finally {
      clearTimeout(timer);
    }
  }

  #acquire(lane: Lane, within: number, signal: AbortSignal | undefined): Promise<Session> {
    if (signal?.aborted) return Promise.reject(new ClientGone());
    if (within <= 0) return Promise.reject(new OutOfReach('no answer in time'));
    if (this.#closed) return Promise.reject(new OutOfReach('the pool is closed'));
    const idle = this.#line.isFree(lane) ? this.#sessions.takeIdle() : undefined;
    if (idle) {
      this.#lanes.enter(lane);
      return Promise.resolve(idle);
    }
    // Expensive work may take long, so it may also wait long.
    const most = Math.min(within, mostWaited);
    const still = lane === 'expensive' ? most : this.#options.acquireTimeout;
    const turn = this.#line.join(lane, { still, most }, signal);
    this.#serve();
    return turn;
  }

  /** Gives free connections to those whose turn it is, and opens more if there are too few. */
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

  #giveUp(session: Session, cause: Error = new OutOfReach('no answer in time')): void {
    if (session.lost || this.#abandoned.has(session)) return;
    this.#abandoned.set(session, session.abandon(cause));
  }

  /** PostgreSQL itself ends a statement that takes too long, but not a commit that waits for a standby. */
  #look(): void {
    for (const session of this.#sessions) {
      if (session.silence > session.longestSilence) this.#giveUp(session);
    }
    this.#sessions.closeUnused();
  }

  /** When one connection is lost, the others probably are too, though nobody has noticed yet. */
  #lose(error: unknown): void {
    this.#sessions.dropIdle();
    this.#reachability.lost(error);
  }
}
