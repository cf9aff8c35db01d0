import type { Pool } from './pool.ts';
import type { Session } from './session.ts';

const channel = 'vitrine';
/** Milliseconds for which those who have written are gathered: one NOTIFY for all of them costs commits nothing. */
const gathered = 20;
/** Milliseconds between looks where nobody can be heard, and where a word may still be lost. */
const [often, seldom] = [250, 2_000];
/** Characters of a NOTIFY, which takes 8,000 bytes. */
const mostNamed = 7_000;

/** A hint that comes late is worth nothing. */
const brief = { within: 2_000, statementTimeout: 2_000 };

/**
 * Tells all nodes that the log of a project has grown. Not inside the transaction that writes: a NOTIFY there holds a lock
 * over the whole database until it is on disk, which left a fifth of the commits. So it goes soon after, and may be lost:
 * whoever waits also looks from time to time. Only where somebody waits does it take a connection of its own.
 */
export class Signals {
  readonly #pool: Pool;
  readonly #watching = new Map<string, Set<() => void>>();
  #written = new Set<string>();
  #sending: ReturnType<typeof setTimeout> | undefined;
  #looking: ReturnType<typeof setTimeout> | undefined;
  #session: Session | undefined;
  #listens = false;
  #closed = false;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  /** Changes of a project, named by its schema, have been committed by this process. */
  committed(schema: string): void {
    this.#tell(schema);
    this.#written.add(schema);
    this.#sending ??= setTimeout(() => void this.#send(), gathered);
    this.#sending.unref();
  }

  watch(schema: string, changed: () => void): () => void {
    const watcher = () => changed();
    const known = this.#watching.get(schema) ?? new Set();
    this.#watching.set(schema, known.add(watcher));
    void this.#listen();
    this.#lookLater();
    return () => {
      known.delete(watcher);
      if (known.size === 0 && this.#watching.get(schema) === known) this.#watching.delete(schema);
    };
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#sending);
    clearTimeout(this.#looking);
    this.#session?.destroy();
  }

  #tell(schema: string): void {
    for (const changed of this.#watching.get(schema) ?? []) changed();
  }

  /** What is not heard is found by a look. */
  async #send(): Promise<void> {
    this.#sending = undefined;
    const named = [...this.#written].join(',');
    this.#written = new Set();
    // Too many to name: all are to look.
    const payload = named.length > mostNamed ? '*' : named;
    // One transaction, as one message is. Nothing is lost by the loss of a hint.
    const text = `SET LOCAL synchronous_commit = off; NOTIFY ${channel}, '${payload}'`;
    const notify = (session: Session) => session.command(text);
    if (this.#hears) await this.#use(notify);
    else if (!this.#closed) await this.#pool.use(notify, brief).catch(() => {});
  }

  get #hears(): boolean {
    return this.#listens && !this.#session?.lost;
  }

  async #listen(): Promise<void> {
    if (this.#hears) return;
    this.#listens = await this.#use((session) => session.command(`LISTEN ${channel}`));
  }

  /** Says whether it could be done. */
  async #use(work: (session: Session) => Promise<unknown>): Promise<boolean> {
    if (this.#closed) return false;
    try {
      if (!this.#session || this.#session.lost) {
        this.#listens = false;
        this.#session = this.#pool.listener((payload) => this.#heard(payload));
      }
      await work(this.#session);
      return true;
    } catch {
      this.#session?.destroy();
      return false;
    }
  }

  #heard(payload: string): void {
    const named = payload === '*' ? [...this.#watching.keys()] : payload.split(',');
    for (const schema of named) this.#tell(schema);
  }

  #lookLater(): void {
    if (this.#looking !== undefined || this.#closed) return;
    this.#looking = setTimeout(() => void this.#look(), this.#hears ? seldom : often);
    this.#looking.unref();
  }

  async #look(): Promise<void> {
    this.#looking = undefined;
    if (this.#watching.size === 0) return;
    for (const schema of this.#watching.keys()) this.#tell(schema);
    await this.#listen();
    this.#lookLater();
  }
}
