import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type postgres from 'postgres';
import type { ColumnValue } from '../../../../model/field.ts';
import { type BackendKey, requestCancel, type ServerAddress } from './cancel.ts';
import { openDriver, type SessionOptions } from './driver.ts';
import { ConnectionLost, isSocketFault } from './faults.ts';
import { type Listening, PrimarySearch } from './socket.ts';

export interface Rows {
  readonly rows: ColumnValue[][];
  /** Rows affected or found. */
  readonly count: number;
  /** What PostgreSQL reports that it did: `SELECT`, `COMMIT`. */
  readonly command: string | undefined;
}

/**
 * One connection. When a connection is lost in the middle of a transaction, the driver's own pool would silently go on with
 * another. Here a lost session refuses everything from then on, and its queries fail at once.
 */
export class Session {
  readonly #driver: postgres.Sql;
  readonly #waiting = new Set<(error: unknown) => void>();
  /** Queries that the driver has not answered yet, even if nobody waits for them any more. */
  readonly #underWay = new Set<PromiseLike<unknown>>();
  readonly #prepared = new Set<string>();
  #lost: ConnectionLost | undefined;
  readonly #search: PrimarySearch;
  #socket: Socket | undefined;
  #address: ServerAddress | undefined;
  #key: BackendKey | undefined;
  #unreplicated = false;
  /** The last error that was not a consequence of an earlier one. */
  #failure: unknown;
  #served = false;
  /** When the wait for the current answer began. */
  #since = 0;
  readonly born = Date.now();
  idleSince = 0;
  /** The most milliseconds that its user may have to wait for an answer. */
  longestSilence = Number.POSITIVE_INFINITY;

  constructor(options: SessionOptions) {
    this.#search = new PrimarySearch(options.primary ?? { host: 0 });
    const connect = (listening: Listening) => this.#connect(listening, options.connectTimeout);
    this.#driver = openDriver(options, {
      connect,
      closed: () => this.#drop(),
      warned: (routine) => {
        if (routine === 'SyncRepWaitForLSN') this.#unreplicated = true;
      },
    });
  }

  get lost(): boolean {
    return this.#lost !== undefined;
  }

  /** Milliseconds since the last query or answer, while an answer is awaited. */
  get silence(): number {
    return this.#waiting.size === 0 ? 0 : Date.now() - this.#since;
  }

  /** A commit did not wait for a synchronous standby, as that wait was cancelled. */
  get unreplicated(): boolean {
    return this.#unreplicated;
  }

  /** How many prepared statements the server keeps for this session. */
  get prepared(): number {
    return this.#prepared.size;
  }

  /** Queries sent without awaiting one another are pipelined: answered in order, in one round trip. */
  query(text: string, values: readonly ColumnValue[], prepare: boolean): Promise<Rows> {
    if (prepare) this.#prepared.add(text);
    const options = { prepare, simple: false } as { prepare: boolean };
    return this.#send(() => this.#driver.unsafe(text, values.map(storable), options).values());
  }

  /** One or several statements without parameters. */
  command(text: string): Promise<Rows> {
    return this.#send(() => this.#driver.unsafe(text).simple().values());
  }

  /**
   * Connects. Whoever waits for a lock has to see afterwards what was committed meanwhile, whatever isolation the database or its user
   * has by default: a record would be written to tables that were replaced, or refer to one that is gone.
   */
  async open(): Promise<void> {
    await this.command("SET default_transaction_isolation = 'read committed'");
  }

  /**
   * Makes everything under way fail at once, and cancels it on the server. Resolves when it has ended there, or to false when
   * the server can't be asked.
   */
  async abandon(cause: unknown): Promise<boolean> {
    this.#drop(cause);
    let asked = true;
    for (let wait = shortestWait; this.#underWay.size > 0 && asked; wait = Math.min(2 * wait, longestWait)) {
      asked = await this.#cancel();
      const ended = Promise.allSettled([...this.#underWay]);
      if (asked) await Promise.race([ended, sleep(wait)]);
    }
    this.destroy();
    return asked;
  }

  #cancel(): Promise<boolean> {
    if (!this.#address || !this.#key) return Promise.resolve(false);
    return requestCancel(this.#address, this.#key, cancelTimeout);
  }

  /** Makes everything under way fail. */
  destroy(cause?: unknown): void {
    this.#drop(cause);
    this.#driver.end({ timeout: 0 }).catch(() => {});
    this.#socket?.destroy(); // without waiting for a server that may never answer
  }

  async close(): Promise<void> {
    await this.#driver.end({ timeout: 1 });
  }

  /** Only before the first answer: another connection would know nothing of the transaction that this one was in. */
  async #connect(listening: Listening, timeout: number): Promise<Socket> {
    try {
      if (this.#served || this.#lost) throw new ConnectionLost();
      this.#socket = await this.#search.connect(listening, timeout);
      this.#socket.setKeepAlive(true, 30_000);
      this.#address = addressOf(listening, this.#socket);
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
      const sent = query();
      this.#underWay.add(sent);
      sent.then(
        (answer) => {
          this.#underWay.delete(sent);
          this.#waiting.delete(reject);
          this.#since = Date.now();
          if (!this.#served) this.#search.found();
          this.#served = true;
          const rows = answer as ColumnValue[][] & { count?: number; command?: string; state?: BackendKey };
          this.#key ??= rows.state;
          // Only the rows: the driver attaches more to its array.
          resolve({ rows: [...rows], count: rows.count ?? 0, command: rows.command });
        },
        (error: unknown) => {
          this.#underWay.delete(sent);
          this.#waiting.delete(reject);
          // The driver may report the error to the query before it reports that the connection was closed.
          const isLost = isSocketFault(error);
          if (isLost) this.#drop(error);
          reject(isLost ? this.#lost : this.#causeOf(error));
        },
      );
    });
  }

  /**
   * When one of several statements that were sent together fails, all later ones are refused, and in which order their errors
   * arrive is chance: each gets the error of the one that failed.
   */
  #causeOf(error: unknown): unknown {
    if ((error as { code?: unknown }).code !== afterFailure) this.#failure = error;
    return this.#failure;
  }
}

/** PostgreSQL's code for a statement in a transaction that has failed already. */
const afterFailure = '25P02';

/** Milliseconds. A cancel request may arrive before the statement that it is to end, so it is repeated. */
const cancelTimeout = 1_000;
const shortestWait = 100;
const longestWait = 5_000;

function addressOf({ path }: Listening, { remoteAddress = '', remotePort = 0 }: Socket): ServerAddress {
  return path ? { path } : { host: remoteAddress, port: remotePort };
}

const never = `\uffff${crypto.randomUUID()}`;

/** No text in the database contains U+0000, and PostgreSQL does not accept it even in a search. */
function storable(value: ColumnValue): ColumnValue {
  return typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', never) : value;
}
