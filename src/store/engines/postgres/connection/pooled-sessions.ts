import type { SessionOptions } from './driver.ts';
import { isFull } from './faults.ts';
import { Session } from './session.ts';

const idleAfter = 5 * 60_000;
const oldAfter = 60 * 60_000;
/** Each prepared statement takes memory on the server for as long as its session lives. */
const mostPrepared = 300;
/** Milliseconds before retrying on a server that had no room for another connection. */
export const roomAfter = 500;

export interface SessionHooks {
  /** A session may have become idle, or there may be room for another one. */
  changed(): void;
  /** A session could not be opened. `begun`: when the attempt started. */
  failed(error: unknown, begun: number): void;
}

/** The connections of a pool: opened on demand, kept while usable. */
export class Sessions {
  readonly #options: SessionOptions;
  readonly #size: number;
  readonly #hooks: SessionHooks;
  readonly #all = new Set<Session>();
  readonly #idle: Session[] = [];
  #opening = 0;
  /** The server had no room for another connection a moment ago. */
  #full = false;
  #closed = false;

  constructor(options: SessionOptions, size: number, hooks: SessionHooks) {
    this.#options = options;
    this.#size = size;
    this.#hooks = hooks;
  }

  [Symbol.iterator](): Iterator<Session> {
    return this.#all[Symbol.iterator]();
  }

  takeIdle(): Session | undefined {
    for (let session = this.#idle.pop(); session; session = this.#idle.pop()) {
      if (!session.lost) return session;
      this.#all.delete(session);
    }
    return undefined;
  }

  /** Opens connections for `count` waiters, as far as there is room. */
  want(count: number): void {
    const room = this.#closed || this.#full ? 0 : this.#size - this.#all.size;
    for (let more = Math.min(count - this.#opening, room); more > 0; more--) void this.#open();
  }

  async #open(): Promise<void> {
    const begun = performance.now();
    const session = new Session(this.#options);
    this.#all.add(session);
    this.#opening += 1;
    try {
      await session.open();
      this.#keep(session);
    } catch (error) {
      session.destroy(error);
      this.#all.delete(session);
      if (isFull(error) && this.#all.size > 0) this.#waitForRoom();
      else this.#hooks.failed(error, begun);
    } finally {
      this.#opening -= 1;
      this.#hooks.changed();
    }
  }

  /** The server's connection limit is reached: make do with the open ones for a while. */
  #waitForRoom(): void {
    this.#full = true;
    setTimeout(() => {
      this.#full = false;
      this.#hooks.changed();
    }, roomAfter);
  }

  /** Takes a session out of the pool, unless it is the last open one. */
  spare(session: Session): boolean {
    return this.#all.size - this.#opening > 1 && this.#all.delete(session);
  }

  /** Takes in a session from outside the pool, if there is room. */
  adopt(session: Session): void {
    if (this.#all.size < this.#size) {
      this.#all.add(session);
      this.release(session);
    } else this.#end(session);
  }

  /** Called when a session is no longer in use. */
  release(session: Session): void {
    const worn = session.prepared > mostPrepared || Date.now() - session.born > oldAfter;
    if (!session.lost && !worn && !this.#closed) this.#keep(session);
    else this.#end(session);
  }

  #end(session: Session): void {
    this.#all.delete(session);
    if (!session.lost) session.close().catch(() => {});
  }

  #keep(session: Session): void {
    session.idleSince = Date.now();
    this.#idle.push(session);
  }

  dropIdle(): void {
    for (const session of this.#idle.splice(0)) {
      this.#all.delete(session);
      session.destroy();
    }
  }

  closeUnused(): void {
    const latest = Date.now() - idleAfter;
    // The longest idle ones come first.
    while (this.#idle[0] && (this.#idle[0].lost || this.#idle[0].idleSince < latest)) {
      const session = this.#idle.shift();
      if (session) this.#end(session);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#all].map((session) => session.close()));
  }
}
