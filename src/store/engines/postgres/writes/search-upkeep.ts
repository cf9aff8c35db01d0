import type { Pool } from '../connection/pool.ts';
import { transact, unlimited } from '../connection/transact.ts';

/** Characters of new texts after which they are worked into the index, some 4 MB of its list, and milliseconds after which fewer are. */
const enough = 200_000;
const later = 10_000;

/**
 * PostgreSQL's index for search takes new texts into a list at first, which every search reads as a whole. Whoever writes when the
 * list has reached a size works it into the index, as much as there is: a Create after a large batch waited for a second. So sessions
 * have a size that is not reached (driver.ts), and a connection that nobody waits for works it in after so many characters. In small
 * portions, of 256 kB, it took twice as long, all in all.
 */
export class SearchUpkeep {
  readonly #pool: Pool;
  readonly #schema: string;
  /** Characters by the key of the collection. */
  readonly #written = new Map<number, number>();
  #working: Promise<void> | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #stopped = false;

  constructor(pool: Pool, schema: string) {
    this.#pool = pool;
    this.#schema = schema;
  }

  /** So many characters were written to the index of a collection. */
  readonly note = (key: number, characters: number): void => {
    if (this.#stopped || characters === 0) return;
    const written = (this.#written.get(key) ?? 0) + characters;
    this.#written.set(key, written);
    if (written >= enough) this.#begin();
    else this.#beginLater();
  };

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#working;
  }

  #beginLater(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      for (const key of this.#written.keys()) this.#written.set(key, enough);
      this.#begin();
    }, later).unref();
  }

  #begin(): void {
    this.#working ??= this.#work()
      .catch(() => {}) // an outage, or another node is at it: what is left is done with what comes next, or by autovacuum
      .finally(() => {
        this.#working = undefined;
      });
  }

  async #work(): Promise<void> {
    for (let key = this.#findDue(); key !== undefined; key = this.#findDue()) {
      this.#written.delete(key);
      await this.#workIn(key);
    }
  }

  #findDue(): number | undefined {
    if (this.#stopped) return undefined;
    return [...this.#written].find(([, characters]) => characters >= enough)?.[0];
  }

  async #workIn(key: number): Promise<void> {
    const way = {
      begin: 'BEGIN; SET LOCAL statement_timeout = 0',
      repeatable: false,
      use: { ...unlimited.use, lane: 'expensive' },
    } as const;
    await transact(this.#pool, way, (session) =>
      session.query(workInto, [`${this.#schema}.s${key}`], this.#pool.isFrequent(workInto)),
    );
  }
}

/** By the table: an index keeps its name where the table gets another. */
const workInto = `
  SELECT gin_clean_pending_list(indexrelid) FROM pg_catalog.pg_index
  JOIN pg_catalog.pg_class ON pg_class.oid = indexrelid
  JOIN pg_catalog.pg_am ON pg_am.oid = relam
  WHERE indrelid = to_regclass($1) AND amname = 'gin'`;
