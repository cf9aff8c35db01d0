import type { Pool } from './pool.ts';
import type { Session } from './session.ts';

const channel = 'vitrine';
/** Milliseconds for which writes are collected: one NOTIFY for all of them costs commits nothing. */
const notifyDelay = 20;
/** Milliseconds between polls: without LISTEN, and with it, because notifications can still be lost. */
const [pollAlone, pollBesideListen] = [250, 2_000];
/** Characters of a payload; NOTIFY accepts 8,000 bytes. */
const mostNamed = 7_000;

/** A late notification is worthless. */
const brief = { within: 2_000, statementTimeout: 2_000 };
/** Milliseconds without an answer after which the connection counts as lost: the network may have cut it silently. */
const longestSilence = 10_000;

/**
 * Notifies all nodes that a project's change log has grown. Not inside the writing transaction: NOTIFY holds a database-wide
 * lock until the commit is on disk, which cut throughput to a fifth. So it is sent shortly afterwards and may be lost, which is
 * why everything watched is also polled. Only a process that watches uses a connection for it.
 */
export class Signals {
  readonly #pool: Pool;
  readonly #watching = new Map<string, Set<() => void>>();
  #written = new Set<string>();
  #sending: ReturnType<typeof setTimeout> | undefined;
  #poll: ReturnType<typeof setTimeout> | undefined;
  #session: Session | undefined;
  #listens = false;
  #closed = false;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  /** To be called when this process has committed changes of a project, named by its schema. */
  committed(schema: string): void {
    this.#notify(schema);
    this.#written.add(schema);
    this.#sending ??= setTimeout(() => void this.#send(), notifyDelay);
    this.#sending.unref();
  }

  watch(schema: string, changed: () => void): () => void {
    const watcher = () => changed();
    const known = this.#watching.get(schema) ?? new Set();
    this.#watching.set(schema, known.add(watcher));
    if (!this.#listening) void this.#listen();
    this.#pollLater();
    return () => {
      known.delete(watcher);
      if (known.size === 0 && this.#watching.get(schema) === known) this.#watching.delete(schema);
    };
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#sending);
    clearTimeout(this.#poll);
    this.#session?.destroy();
  }

  #notify(schema: string): void {
    for (const changed of this.#watching.get(schema) ?? []) changed();
  }

  /** The next poll makes up for a lost notification. */
  async #send(): Promise<void> {
    this.#sending = undefined;
    const named = [...this.#written].join(',');
    this.#written = new Set();
    // Too many to name: everybody reads again.
    const payload = named.length > mostNamed ? '*' : named;
    // A single message is a single transaction. It need not be durable: a lost notification costs only time.
    const text = `SET LOCAL synchronous_commit = off; NOTIFY ${channel}, '${payload}'`;
    const notify = (session: Session) => session.command(text);
    if (this.#listening) await this.#use(notify);
    else if (!this.#closed) await this.#pool.use(notify, brief).catch(() => {});
  }

  get #listening(): boolean {
    return this.#listens && !this.#session?.lost;
  }

  /** Also repeated while listening: that is how a lost connection is detected. */
  async #listen(): Promise<void> {
    this.#listens = await this.#use((session) => session.command(`LISTEN ${channel}`));
  }

  /** Returns whether it succeeded. */
  async #use(work: (session: Session) => Promise<unknown>): Promise<boolean> {
    if (this.#closed) return false;
    if (!this.#session || this.#session.lost) {
      this.#listens = false;
      this.#session = this.#pool.listener((payload) => this.#receive(payload));
    }
    const session = this.#session;
    const timer = setTimeout(() => session.destroy(), longestSilence);
    try {
      await work(session);
      return true;
    } catch {
      session.destroy();
      return false;
    } finally {
      clearTimeout(timer);
    }
  }

  #receive(payload: string): void {
    const named = payload === '*' ? [...this.#watching.keys()] : payload.split(',');
    for (const schema of named) this.#notify(schema);
  }

  #pollLater(): void {
    if (this.#poll !== undefined || this.#closed) return;
    this.#poll = setTimeout(() => void this.#pollNow(), this.#listening ? pollBesideListen : pollAlone);
    this.#poll.unref();
  }

  async #pollNow(): Promise<void> {
    this.#poll = undefined;
    if (this.#watching.size === 0) return;
    for (const schema of this.#watching.keys()) this.#notify(schema);
    await this.#listen();
    this.#pollLater();
  }
}
