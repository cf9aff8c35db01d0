import type { Awaitable } from '../../../../awaitable.ts';
import type { Connection } from '../../../sql/dialect.ts';
import { tables } from '../../../sql/tables.ts';
import { join, raw, sql } from '../../../sql/tag.ts';
import { isTableGone } from '../connection/faults.ts';
import type { UseOptions } from '../connection/pool.ts';
import type { TransactionWay } from '../connection/transact.ts';
import { pendingTable } from '../reads/search.ts';
import { lockToWrite } from './locks.ts';
import { indexListed, isFull, mostAtOnce, moveTexts } from './move-texts.ts';

/**
 * Characters of a collection's pending texts: from this many on they are indexed at once, and beyond the second number no more
 * may be pending. A search takes 3 ms longer for each million.
 */
const enough = 8_000_000;
const mostPending = 16_000_000;
/** Milliseconds without a write, or since the first pending text, after which everything is indexed, however little it is. */
const quiet = 1_000;
const longest = 10_000;
/**
 * Milliseconds between checks for texts that another node left pending when it ended, and collections that are checked
 * together.
 */
const betweenLooks = 300_000;
const lookedAtTogether = 20;
/** Bytes of a table of pending texts. Most are of texts that were moved: vacuum removes them, unless a long read needs them. */
const largestTable = 100_000_000;
/** Milliseconds until the next vacuum: a read at the wrong moment, however short, keeps it from freeing the last page. */
const betweenVacuums = 10_000;
/** Milliseconds for a statement, and for a whole step: a server that does not answer must not hold a connection for good. */
const longestStatement = 30_000;
const longestStep = 60_000;

export interface UpkeepWork {
  run<T>(way: TransactionWay, work: (db: Connection) => Awaitable<T>): Promise<T>;
  /** Removes the dead rows of a table. */
  vacuum(table: string, use: UseOptions): Promise<void>;
}

/** Characters of a collection's texts, as far as written by this node. */
interface Noted {
  /** Those in the table of pending texts. */
  pending: number;
  /** Those in the pending list of the index. */
  listed: number;
  /** No more texts may be pending: their table is too large. */
  crowded: boolean;
  /** When it was last vacuumed, or tried to be. */
  vacuumed: number;
}

/**
 * Indexing a text for search takes PostgreSQL longer than everything else about a new record. So new texts are pending at
 * first, in a table without that index where searches read them one by one, until there are many or nobody writes any more.
 * Then they are indexed by a connection that nobody waits for.
 *
 * The index itself puts new texts into a pending list first, which every search reads as a whole. When the list reaches a certain
 * size, whoever writes next has to work all of it in. Sessions set that size so high that it is never reached (driver.ts), and
 * the list is worked in here.
 */
export class SearchUpkeep {
  readonly #work: UpkeepWork;
  readonly #schema: string;
  readonly #seq: number;
  /** By the key of the collection. */
  readonly #noted = new Map<number, Noted>();
  /** When the first of the noted texts was written. */
  #since: number | undefined;
  #working: Promise<void> | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #looking: ReturnType<typeof setInterval> | undefined;
  #firstLook: ReturnType<typeof setTimeout> | undefined;
  readonly #stopping = new AbortController();

  constructor(work: UpkeepWork, schema: string, seq: number) {
    this.#work = work;
    this.#schema = schema;
    this.#seq = seq;
  }

  get #stopped(): boolean {
    return this.#stopping.signal.aborted;
  }

  /**
   * Notes that so many characters of texts are about to be written. Returns whether they may be pending; if not, they go to the
   * index at once.
   */
  readonly notePending = (key: number, characters: number): boolean => {
    const noted = this.#find(key);
    if (noted.crowded || noted.pending + characters > mostPending) {
      this.noteListed(key, characters);
      return false;
    }
    noted.pending += characters;
    this.#beginSoon(noted);
    return true;
  };

  /** Notes that so many characters go to the index at once. */
  readonly noteListed = (key: number, characters: number): void => {
    const noted = this.#find(key);
    noted.listed += characters;
    this.#beginSoon(noted);
  };

  /**
   * From now on noted texts are indexed; until then nobody else sees the tables, as while a project is restored. Texts that
   * another node left pending are looked for after a while, and then regularly.
   */
  watch(): void {
    const look = () => void this.#look().catch(() => {}); // an outage: it will be tried again
    this.#looking = setInterval(look, betweenLooks).unref();
    this.#firstLook = setTimeout(look, longest).unref();
  }

  /** Gives up the step under way: a step is done as a whole or not at all. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    clearTimeout(this.#timer);
    clearTimeout(this.#firstLook);
    clearInterval(this.#looking);
    await this.#working;
  }

  #find(key: number): Noted {
    const noted = this.#noted.get(key) ?? {
      pending: 0,
      listed: 0,
      crowded: false,
      vacuumed: Number.NEGATIVE_INFINITY,
    };
    this.#noted.set(key, noted);
    return noted;
  }

  #beginSoon(noted: Noted): void {
    if (isMuch(noted)) this.#begin(isMuch);
    this.#beginLater(quiet);
  }

  #beginLater(wait: number): void {
    if (this.#stopped || !this.#looking) return;
    const now = Date.now();
    this.#since ??= now;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(
      () => {
        this.#timer = undefined;
        this.#since = undefined;
        this.#begin(() => true);
      },
      Math.min(wait, Math.max(0, this.#since + longest - now)),
    ).unref();
  }

  #begin(isDue: (noted: Noted) => boolean): void {
    if (this.#stopped || !this.#looking) return;
    this.#working ??= this.#workInAll(isDue).finally(() => {
      this.#working = undefined;
    });
  }

  async #workInAll(isDue: (noted: Noted) => boolean): Promise<void> {
    for (const [key, noted] of [...this.#noted]) {
      if (this.#stopped) return;
      if (!isDue(noted)) continue;
      const before = { ...noted };
      try {
        const moved = await this.#workIn(key, noted);
        if (moved === undefined) continue;
        noted.pending -= before.pending;
        noted.listed -= before.listed;
        // Texts that were not committed yet were not seen: goes on until nothing is noted or found.
        const isDone = before.pending + before.listed + moved === 0 && noted.pending + noted.listed === 0;
        if (isDone && !noted.crowded) this.#noted.delete(key);
      } catch (error) {
        if (isTableGone(error)) this.#noted.delete(key);
      }
    }
    if (this.#noted.size > 0 && !this.#timer) this.#beginLater(longest);
  }

  /** Indexes all pending texts of a collection. Returns how many were moved; undefined if another node is doing it. */
  async #workIn(key: number, noted: Noted): Promise<number | undefined> {
    for (let moved = 0; ; ) {
      const portion = await this.#step(key, lockToWrite(this.#seq), (db) => moveTexts(db, key));
      if (!portion) return undefined;
      moved += portion.texts;
      noted.crowded = portion.table > largestTable;
      // In a transaction of its own, as those who change one of the texts, or the schema, would wait for it.
      await this.#step(key, '', (db) => indexListed(db, `${this.#schema}.s${key}`));
      // The few texts that were written meanwhile are left for the next time; otherwise it might never end.
      if (isFull(portion) && !this.#stopped) continue;
      if (noted.crowded) await this.#vacuum(key, noted);
      return moved;
    }
  }

  /** Vacuum runs by itself where rows are deleted; here none are any more, as none may be pending. */
  async #vacuum(key: number, noted: Noted): Promise<void> {
    if (this.#stopped || Date.now() - noted.vacuumed < betweenVacuums) return;
    noted.vacuumed = Date.now();
    await this.#work.vacuum(`${this.#schema}.p${key}`, this.#use());
  }

  /** A transaction that nobody waits for, by one node at a time; the other nodes leave the work to that one. */
  #step<T>(key: number, locks: string, work: (db: Connection) => Awaitable<T>): Promise<T | undefined> {
    const name = `${this.#schema} texts ${key}`;
    // If the commit is lost with the server, the texts are pending again.
    const begin = `BEGIN; SET LOCAL statement_timeout = ${longestStatement}; SET LOCAL synchronous_commit = off; ${locks}`;
    return this.#work.run({ begin, repeatable: false, use: this.#use() }, async (db) => {
      const mine = await db.row(sql`SELECT 1 WHERE pg_try_advisory_xact_lock(hashtextextended(${name}, 0))`);
      return mine && work(db);
    });
  }

  #use(): UseOptions {
    const { signal } = this.#stopping;
    return { lane: 'expensive', within: longestStep, statementTimeout: longestStatement, signal };
  }

  async #look(): Promise<void> {
    const keys = await this.#read((db) => db.rows(sql`SELECT key FROM ${tables.collections}`));
    for (let from = 0; from < keys.length && !this.#stopped; from += lookedAtTogether) {
      const waiting = keys
        .slice(from, from + lookedAtTogether)
        .map(([key]) => Number(key))
        .map((key) => sql`SELECT ${raw(String(key))} WHERE EXISTS (SELECT 1 FROM ${pendingTable(key)})`);
      const found = await this.#read((db) => db.rows(join(waiting, ' UNION ALL ')));
      for (const [key] of found) this.notePending(Number(key), 0);
    }
  }

  #read<T>(work: (db: Connection) => Awaitable<T>): Promise<T> {
    return this.#work.run({ begin: 'BEGIN READ ONLY', repeatable: true }, work);
  }
}

const isMuch = ({ pending, listed }: Noted) => pending >= enough || listed >= mostAtOnce;
