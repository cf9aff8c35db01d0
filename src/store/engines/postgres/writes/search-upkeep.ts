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
 * Characters of texts of a collection that wait after which they are worked in at once, and after which no more are let wait. A
 * search takes 3 ms longer for each million.
 */
const enough = 8_000_000;
const mostPending = 16_000_000;
/** Milliseconds that nothing was written for, or since the first of it, after which all is worked in, whatever it is. */
const quiet = 1_000;
const longest = 10_000;
/** Milliseconds between looks for what a node has left that ended, and collections that are looked at together. */
const betweenLooks = 300_000;
const lookedAtTogether = 20;
/** Bytes of a table of texts that wait, most of them of some that were moved: vacuum takes them away, unless a long read needs them. */
const largestTable = 100_000_000;
/** Milliseconds until it is asked to do so again: one read at the wrong moment, however short, keeps the last page in its place. */
const betweenVacuums = 10_000;
/** Milliseconds for a statement, and for all of a step: a server that does not answer is not to hold a connection for good. */
const longestStatement = 30_000;
const longestStep = 60_000;

export interface UpkeepWork {
  run<T>(way: TransactionWay, work: (db: Connection) => Awaitable<T>): Promise<T>;
  /** Takes away what is left in a table of rows that are deleted. */
  vacuum(table: string, use: UseOptions): Promise<void>;
}

/** Characters of a collection's texts, as far as this node has written them. */
interface Noted {
  /** Those that wait. */
  pending: number;
  /** Those that are on the list of the index. */
  listed: number;
  /** No more are let wait: their table is too large. */
  crowded: boolean;
  /** When it was made smaller last, if that could be. */
  vacuumed: number;
}

/**
 * To index a text for search takes PostgreSQL longer than all else of a new record, so texts wait in a table that has no such
 * index, where searches look at them one by one, until there are many of them, or nobody writes any more. A connection
 * that nobody waits for works them in.
 *
 * The index itself takes new texts into a list at first, which every search reads as a whole. Whoever writes when the list has
 * reached a size works it in, as much as there is: sessions have a size that is not reached (driver.ts), and it is worked in here.
 */
export class SearchUpkeep {
  readonly #work: UpkeepWork;
  readonly #schema: string;
  readonly #seq: number;
  /** By the key of the collection. */
  readonly #noted = new Map<number, Noted>();
  /** When the first of what is noted was written. */
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

  /** So many characters go to the texts of a collection, by way of those that wait if they may: which it says. */
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

  /** So many go to the index at once. */
  readonly noteListed = (key: number, characters: number): void => {
    const noted = this.#find(key);
    noted.listed += characters;
    this.#beginSoon(noted);
  };

  /**
   * From now on what is noted is worked in; before, as while a project is restored, nobody else sees the tables. What was left by a
   * node that ended is looked for some time from now, and then again and again.
   */
  watch(): void {
    const look = () => void this.#look().catch(() => {}); // an outage: there is a next time
    this.#looking = setInterval(look, betweenLooks).unref();
    this.#firstLook = setTimeout(look, longest).unref();
  }

  /** What is under way is given up: all of a step is done, or nothing. */
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
        // What was not committed yet was not seen: looked at again until nothing is noted, nor found.
        const isDone = before.pending + before.listed + moved === 0 && noted.pending + noted.listed === 0;
        if (isDone && !noted.crowded) this.#noted.delete(key);
      } catch (error) {
        if (isTableGone(error)) this.#noted.delete(key);
      }
    }
    if (this.#noted.size > 0 && !this.#timer) this.#beginLater(longest);
  }

  /** All texts of a collection that wait; says how many were moved, and nothing where another node is at it. */
  async #workIn(key: number, noted: Noted): Promise<number | undefined> {
    for (let moved = 0; ; ) {
      const portion = await this.#step(key, lockToWrite(this.#seq), (db) => moveTexts(db, key));
      if (!portion) return undefined;
      moved += portion.texts;
      noted.crowded = portion.table > largestTable;
      // By itself: whoever changes one of the texts would wait for it, and whoever changes the schema.
      await this.#step(key, '', (db) => indexListed(db, `${this.#schema}.s${key}`));
      // Those that come meanwhile, a few at a time, are left to the next time: they would never end.
      if (isFull(portion) && !this.#stopped) continue;
      if (noted.crowded) await this.#vacuum(key, noted);
      return moved;
    }
  }

  /** Vacuum comes by itself where rows are deleted, and none are any more where none are let wait. */
  async #vacuum(key: number, noted: Noted): Promise<void> {
    if (this.#stopped || Date.now() - noted.vacuumed < betweenVacuums) return;
    noted.vacuumed = Date.now();
    await this.#work.vacuum(`${this.#schema}.p${key}`, this.#use());
  }

  /** A transaction that nobody waits for, by one node at a time; the others leave it to that one. */
  #step<T>(key: number, locks: string, work: (db: Connection) => Awaitable<T>): Promise<T | undefined> {
    const name = `${this.#schema} texts ${key}`;
    // Where it is lost with the server, the texts wait again.
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
