import type { Socket } from 'node:net';
import postgres from 'postgres';
import type { ColumnValue } from '../../../../model/field.ts';
import { ConnectionLost, isSocketFault } from './faults.ts';
import { type Listening, Search, type Turn } from './socket.ts';

export interface SessionOptions {
  readonly url: string;
  /** Milliseconds that PostgreSQL may work on one statement. */
  readonly statementTimeout: number;
  /** Milliseconds that a statement may wait for a lock. */
  readonly lockTimeout: number;
  /** Milliseconds. */
  readonly connectTimeout: number;
  /** Shared by all sessions of a pool. */
  readonly turn?: Turn;
}

export interface Rows {
  readonly rows: ColumnValue[][];
  /** How many rows were changed, or found. */
  readonly count: number;
  /** What PostgreSQL says that it did: `SELECT`, `COMMIT`. */
  readonly command: string | undefined;
}

/** Numbers as numbers: those we keep are times, places and counts, all within 2^53. */
const wholeNumbers = { to: 20, from: [20], parse: Number, serialize: String };

/**
 * One connection. The driver's own pool would silently go on with another connection in the middle of a transaction
 * when one is lost; here a session that is lost refuses everything from then on, and its queries fail at once.
 */
export class Session {
  readonly #driver: postgres.Sql;
  readonly #waiting = new Set<(error: unknown) => void>();
  readonly #prepared = new Set<string>();
  #lost: ConnectionLost | undefined;
  readonly #search: Search;
  #socket: Socket | undefined;
  #served = false;
  /** When what is under way began to be waited for. */
  #since = 0;
  readonly born = Date.now();
  idleSince = 0;

  constructor({ url, statementTimeout, lockTimeout, connectTimeout, turn }: SessionOptions) {
    this.#search = new Search(turn ?? { host: 0 });
    this.#driver = postgres(url, {
      max: 1,
      connect_timeout: connectTimeout / 1000,
      idle_timeout: 0,
      max_lifetime: 0,
      fetch_types: false,
      // A standby lags behind, and takes no writes.
      target_session_attrs: 'primary',
      onnotice: () => {},
      onclose: () => this.#drop(),
      ...({ socket: (listening: Listening) => this.#connect(listening, connectTimeout) } as object),
      types: { wholeNumbers },
      connection: {
        application_name: 'vitrine',
        statement_timeout: statementTimeout,
        lock_timeout: lockTimeout,
        // What a node that died left behind holds nobody up for long, nor does one whose machine is gone without a word.
        idle_in_transaction_session_timeout: 60_000,
        tcp_keepalives_idle: 30,
        tcp_keepalives_interval: 10,
        tcp_keepalives_count: 3,
        client_min_messages: 'warning',
        // Requests are many and small: compiling and spreading them over processes costs more than it gains.
        jit: 'off',
        max_parallel_workers_per_gather: 0,
      },
    });
  }

  get lost(): boolean {
    return this.#lost !== undefined;
  }

  /** Milliseconds since something was asked or answered last, while an answer is awaited. */
  get silence(): number {
    return this.#waiting.size === 0 ? 0 : Date.now() - this.#since;
  }

  /** How many statements the server keeps for this session. */
  get prepared(): number {
    return this.#prepared.size;
  }

  /** Queries that are sent without waiting for one another are answered in order, in one round trip. */
  query(text: string, values: readonly ColumnValue[], prepare: boolean): Promise<Rows> {
    if (prepare) this.#prepared.add(text);
    const options = { prepare, simple: false } as { prepare: boolean };
    return this.#send(() => this.#driver.unsafe(text, values.map(storable), options).values());
  }

  /** One or several statements without values. */
  command(text: string): Promise<Rows> {
    return this.#send(() => this.#driver.unsafe(text).simple().values());
  }

  /** Whatever is under way fails. */
  destroy(cause?: unknown): void {
    this.#drop(cause);
    this.#driver.end({ timeout: 0 }).catch(() => {});
    this.#socket?.destroy(); // without waiting for a server that may never answer
  }

  async close(): Promise<void> {
    await this.#driver.end({ timeout: 1 });
  }

  /** Not once it serves: another connection would know nothing of the transaction that this one was in. */
  async #connect(listening: Listening, timeout: number): Promise<Socket> {
    try {
      if (this.#served || this.#lost) throw new ConnectionLost();
      this.#socket = await this.#search.connect(listening, timeout);
      return this.#socket;
    } catch (error) {
      this.#drop(error);
      throw error;
    }
  }

  #drop(cause?: unknown): void {
    if (this.#lost) return;
    const lost = new ConnectionLost(cause, this.#served);
    this.#lost = lost;
    if (!this.#served) this.#search.missed();
    for (const reject of this.#waiting) reject(lost);
    this.#waiting.clear();
  }

  #send(query: () => PromiseLike<unknown>): Promise<Rows> {
    if (this.#lost) return Promise.reject(this.#lost);
    return new Promise((resolve, reject) => {
      if (this.#waiting.size === 0) this.#since = Date.now();
      this.#waiting.add(reject);
      query().then(
        (answer) => {
          this.#waiting.delete(reject);
          this.#since = Date.now();
          if (!this.#served) this.#search.found();
          this.#served = true;
          const rows = answer as ColumnValue[][] & { count?: number; command?: string };
          // Without what else the driver tells with them.
          resolve({ rows: [...rows], count: rows.count ?? 0, command: rows.command });
        },
        (error: unknown) => {
          this.#waiting.delete(reject);
          // The driver may tell those who wait before it tells us.
          const isLost = isSocketFault(error);
          if (isLost) this.#drop(error);
          reject(isLost ? this.#lost : error);
        },
      );
    });
  }
}

const never = `\uffff${crypto.randomUUID()}`;

/** No text in the database holds U+0000, and PostgreSQL does not take it even to look for it. */
function storable(value: ColumnValue): ColumnValue {
  return typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', never) : value;
}
