import type { Awaitable } from '../../../../awaitable.ts';
import type { Connection } from '../../../sql/dialect.ts';
import { tables } from '../../../sql/tables.ts';
import { join, raw, sql } from '../../../sql/tag.ts';
import { isTableGone } from '../connection/faults.ts';
import { type TransactionWay, unlimited } from '../connection/transact.ts';
import { pendingTable, textTable } from '../reads/search.ts';
import { lockToWrite } from './locks.ts';

/**
 * Characters of new texts of a collection after which they are worked in at once, and after which no more are let wait. A search
 * takes 3 ms longer for each million.
 */
const enough = 8_000_000;
const mostPending = 16_000_000;
/** Milliseconds that nothing was written for, or since the first of it, after which they are worked in whatever they are. */
const quiet = 1_000;
const longest = 10_000;
/** Milliseconds between looks for what a node has left that ended. */
const betweenLooks = 300_000;
/** Characters that are worked in at a time, some 4 MB of the index's own list, and texts. */
const mostAtOnce = 200_000;
const mostTexts = 2_000;

type Run = <T>(way: TransactionWay, work: (db: Connection) => Awaitable<T>) => Promise<T>;

/**
 * To index a text for search takes PostgreSQL longer than all else of a new record, so texts wait in a table that has no such
 * index, where searches look at them one by one, until there are many of them, or nobody writes any more. A connection
 * that nobody waits for works them in.
 *
 * The index itself takes new texts into a list at first, which every search reads as a whole. Whoever writes when the list has
 * reached a size works it in, as much as there is: sessions have a size that is not reached (driver.ts), and it is worked in here.
 */
export class SearchUpkeep {
  readonly #run: Run;
  readonly #schema: string;
  readonly #way: TransactionWay;
  /** Characters by the key of the collection, as far as this node knows; none where it is to be looked at again. */
  readonly #written = new Map<number, number>();
  /** When the first of them was written. */
  #since: number | undefined;
  #working: Promise<void> | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #looking: ReturnType<typeof setInterval> | undefined;
  #stopped = false;

  constructor(run: Run, schema: string, seq: number) {
    this.#run = run;
    this.#schema = schema;
    this.#way = {
      begin: `BEGIN; ${lockToWrite(seq)}; SET LOCAL statement_timeout = 0`,
      repeatable: false,
      use: { ...unlimited.use, lane: 'expensive' },
    };
  }

  /** So many characters are written to the texts of a collection. Says whether they may wait to be indexed. */
  readonly note = (key: number, characters: number): boolean => {
    const written = (this.#written.get(key) ?? 0) + characters;
    if (this.#stopped) return written <= mostPending;
    this.#written.set(key, written);
    if (written >= enough) this.#begin((characters) => characters >= enough);
    this.#beginLater(quiet);
    return written <= mostPending;
  };

  /** Looks for what was left by a node that ended, some time from now and then again and again. */
  watch(): void {
    const look = () => void this.#look().catch(() => {}); // an outage: there is a next time
    this.#looking = setInterval(look, betweenLooks).unref();
    setTimeout(look, longest).unref();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    clearInterval(this.#looking);
    await this.#working;
  }

  #beginLater(wait: number): void {
    if (this.#stopped) return;
    const now = Date.now();
    this.#since ??= now;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(
      () => {
        this.#since = undefined;
        this.#begin(() => true);
      },
      Math.min(wait, Math.max(0, this.#since + longest - now)),
    ).unref();
  }

  #begin(isDue: (characters: number) => boolean): void {
    this.#working ??= this.#work(isDue).finally(() => {
      this.#working = undefined;
    });
  }

  async #work(isDue: (characters: number) => boolean): Promise<void> {
    const due = [...this.#written].filter(([, characters]) => isDue(characters)).map(([key]) => key);
    for (const key of due) {
      if (this.#stopped) return;
      try {
        const moved = await this.#workInAll(key);
        // What is not committed yet is not seen: looked at again until nothing is found.
        if (moved) this.#written.set(key, 0);
        else this.#written.delete(key);
      } catch (error) {
        if (isTableGone(error)) this.#written.delete(key);
      }
    }
    if (this.#written.size > 0) this.#beginLater(longest);
  }

  async #workInAll(key: number): Promise<boolean> {
    let moved = false;
    for (let more = true; more && !this.#stopped; moved ||= more) more = await this.#workIn(key);
    return moved;
  }

  /** Some of the texts of a collection, and what else is on the list of their index. Says whether there may be more. */
  #workIn(key: number): Promise<boolean> {
    return this.#run(this.#way, async (db) => {
      // One node at a time; the others leave it to that one.
      const name = `${this.#schema} texts ${key}`;
      const mine = await db.row(sql`SELECT 1 WHERE pg_try_advisory_xact_lock(hashtextextended(${name}, 0))`);
      if (!mine) return false;
      const moved = await moveSome(db, key);
      await db.rows(workedIn(`${this.#schema}.s${key}`));
      return moved > 0;
    });
  }

  async #look(): Promise<void> {
    if (this.#stopped) return;
    const found = await this.#run({ begin: 'BEGIN READ ONLY', repeatable: true }, async (db) => {
      const keys = (await db.rows(sql`SELECT key FROM ${tables.collections}`)).map(([key]) => Number(key));
      const waiting = keys.map(
        (key) => sql`SELECT ${raw(String(key))} WHERE EXISTS (SELECT 1 FROM ${pendingTable(key)})`,
      );
      return waiting.length === 0 ? [] : db.rows(join(waiting, ' UNION ALL '));
    });
    for (const [key] of found) this.note(Number(key), 0);
  }
}

/** The first of those that nobody is changing or deleting just now. */
function moveSome(db: Connection, key: number): Awaitable<number> {
  const pending = pendingTable(key);
  return db.run(sql`
    WITH first AS (
      SELECT seq, octet_length(text) AS size FROM ${pending} ORDER BY seq LIMIT ${raw(String(mostTexts))}
    ), fitting AS (
      SELECT seq FROM (SELECT seq, sum(size) OVER (ORDER BY seq) - size AS before FROM first) AS counted
      WHERE before < ${raw(String(mostAtOnce))}
    ), free AS (
      SELECT seq FROM ${pending} WHERE seq IN (SELECT seq FROM fitting) FOR UPDATE SKIP LOCKED
    ), taken AS (
      DELETE FROM ${pending} AS pending USING free WHERE pending.seq = free.seq RETURNING pending.seq, pending.text
    )
    INSERT INTO ${textTable(key)} (seq, text) SELECT seq, text FROM taken`);
}

/** By the table: an index keeps its name where the table gets another. */
const workedIn = (texts: string) => sql`
  SELECT gin_clean_pending_list(indexrelid) FROM pg_catalog.pg_index
  JOIN pg_catalog.pg_class ON pg_class.oid = indexrelid
  JOIN pg_catalog.pg_am ON pg_am.oid = relam
  WHERE indrelid = to_regclass(${texts}) AND amname = 'gin'`;
