import type { SessionOptions } from './driver.ts';
import { isFull } from './faults.ts';
import { Session } from './session.ts';

const idleAfter = 5 * 60_000;
const oldAfter = 60 * 60_000;
/** Each prepared statement holds memory in the server for as long as its session lives. */
const mostPrepared = 300;
/** Milliseconds until a server is asked again that had no room for one more connection. */
export const roomAfter = 500;

export interface SessionHooks {
  /** Some may be idle now, or there may be room for one more. */
  changed(): void;
  /** One could not be opened, which began at this moment. */
  failed(error: unknown, begun: number): void;
}

/** The connections of a pool: opened when they are wanted, kept while they are good. */
export class Sessions {
  readonly #options: SessionOptions;
  readonly #size: number;
  readonly #hooks: SessionHooks;
  readonly #all = new Set<Session>();
  readonly #idle: Session[] = [];
  #opening = 0;
  /** The server had no room for one more a moment ago. */
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

  /** Opens connections for so many, as far as there is room. */
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

  /** The server has as many connections as it takes: those that are there have to do. */
  #waitForRoom(): void {
    this.#full = true;
    setTimeout(() => {
      this.#full = false;
      this.#hooks.changed();
    }, roomAfter);
  }

  /** Takes a session out, unless it is the last one that is open. */
  spare(session: Session): boolean {
    return this.#all.size - this.#opening > 1 && this.#all.delete(session);
  }

  /** Takes one in that was beside, as far as there is room. */
  adopt(session: Session): void {
    if (this.#all.size < this.#size) {
      this.#all.add(session);
      this.release(session);
    } else this.#end(session);
  }

  /** A session that nobody uses any more. */
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
    // The longest idle ones are at the front.
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
