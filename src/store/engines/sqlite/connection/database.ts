import type { Awaitable } from '../../../../awaitable.ts';
import type { ColumnValue } from '../../../../model/field.ts';
import { Lru, remember } from '../../../cache.ts';
import type { Connection } from '../../../sql/dialect.ts';
import { tables } from '../../../sql/tables.ts';
import { raw, type Sql, sql } from '../../../sql/tag.ts';
import { sqliteDialect } from '../dialect.ts';
import { instanceOf } from './data-directory.ts';
import { type SqliteConnection, type SqliteDriver, SqliteFault, type SqliteStatement } from './driver.ts';
import { CommitUnknown } from './faults.ts';

/** Each distinct text holds memory in SQLite for as long as it is prepared, so the oldest are finalized. */
const mostStatements = 256;

/**
 * What SQLite plans depends on a LIMIT or OFFSET that is a parameter, so it prepares a statement anew whenever one is bound, be it to the
 * same number: that was half of what a page took in SQLite. It does not depend on what has to be computed.
 */
const boundLimit = /\b(?:LIMIT|OFFSET) \?/g;

const dataVersion = raw('PRAGMA data_version');

/** Reads that are remembered of a snapshot: there is one for each session that makes requests. */
const mostHeld = 10_000;

/** An error such as a full disk rolled back the whole transaction, not just one step of it. */
export class TransactionLost extends Error {
  constructor(cause: unknown) {
    super('the transaction was rolled back', { cause });
  }
}

/** One connection, with its prepared statements. */
export class Database implements Connection {
  readonly dialect = sqliteDialect;
  readonly #driver: SqliteDriver;
  readonly #path: string;
  readonly #connection: SqliteConnection;
  readonly #isShared: boolean;
  /** The file with the administrators, once it was needed. */
  #instance: Database | undefined;
  readonly #statements = new Lru<string, SqliteStatement>({
    most: mostStatements,
    longestKey: Number.POSITIVE_INFINITY, // a statement that is not kept would never be finalized
    evicted: (statement) => statement.finalize(),
  });
  /** Whether the last commit failed, and nothing was written since. */
  #inDoubt = false;
  /** Whether a long transaction is open. */
  #isLong = false;
  /** Why SQLite itself rolled back the long transaction. Further statements are refused: each would be committed by itself. */
  #undone: unknown;
  #isHeld = false;
  /** What was read in the snapshot that is held, or was last, by the name of the query. */
  #heldReads = new Map<string, ColumnValue[] | undefined>();
  /** The version of the data in that snapshot: another one after any commit of another connection. */
  #heldVersion: ColumnValue | undefined;

  /** `isShared`: other processes write to the file and answer for it themselves. */
  constructor(driver: SqliteDriver, path: string, isShared = false) {
    this.#driver = driver;
    this.#path = path;
    this.#isShared = isShared;
    this.#connection = driver.open(path);
  }

  exec(text: string): void {
    if (this.#isLong) this.#askLong(() => this.#connection.exec(text));
    else this.#connection.exec(text);
  }

  rows(query: Sql): ColumnValue[][] {
    if (this.#isLong) return this.#askLong(() => this.#prepare(query.text).rows(query.values));
    return this.#prepare(query.text).rows(query.values);
  }

  row(query: Sql): ColumnValue[] | undefined {
    return this.rows(query)[0];
  }

  /**
   * Makes all reads see one snapshot until the end of this turn of the event loop, or `release`: to begin and end a transaction
   * for each takes as long as looking up a record. For a connection that only reads. Not kept beyond `setImmediate`, as later
   * requests must not be answered with data from before they came. If the file is shared, not beyond what runs now: a request
   * that is read later in the same turn may be from somebody whom another process has told of a write meanwhile.
   */
  hold(): void {
    if (this.#isHeld) return;
    this.#command('BEGIN');
    const version = this.#rollBackOnError(() => this.row(dataVersion)?.[0]);
    if (version !== this.#heldVersion || this.#heldReads.size > mostHeld) this.#heldReads = new Map();
    this.#heldVersion = version;
    this.#isHeld = true;
    (this.#isShared ? queueMicrotask : setImmediate)(() => this.release());
  }

  /** The same object as long as nobody writes, also in later snapshots; undefined: none is held. */
  get held(): object | undefined {
    return this.#isHeld ? this.#heldReads : undefined;
  }

  /** Ends the snapshot: later reads see newer data. */
  release(): void {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    try {
      this.#command('COMMIT');
    } catch {
      this.#rollBack(); // a fault may have ended it already; nothing was written
    }
  }

  /**
   * Like `row`, for a query that many requests share: while a snapshot is held it runs once for as long as nobody writes. `name`:
   * identifies a query that has values.
   */
  once(query: Sql, name = query.text): ColumnValue[] | undefined {
    if (!this.#isHeld) return this.row(query);
    const held = this.#heldReads;
    const known = held.get(name);
    if (known || held.has(name)) return known;
    const row = this.row(query);
    held.set(name, row);
    return row;
  }

  /** Returns the number of changed rows. */
  run(query: Sql): number {
    this.#refuseUndone();
    try {
      return this.#prepare(query.text).run(query.values);
    } catch (error) {
      if (this.#isLong && !this.#connection.isInTransaction()) this.#undone = error;
      throw error;
    }
  }

  /**
   * Reads the instance's file as it is now, whatever snapshot is held here. If another process ends the session right
   * afterwards, it waits for the transactions under way (`Writers.settled`).
   */
  isSignedIn(digest: string): boolean {
    this.#instance ??= this.#openInstance();
    const query = sql`SELECT 1 FROM ${tables.administrator_signins} WHERE digest = ${digest}`;
    return this.#instance.row(query) !== undefined;
  }

  /** Runs `work` in a transaction that is undone if it throws. `BEGIN` is for work that only reads. */
  transaction<T>(begin: 'BEGIN' | 'BEGIN IMMEDIATE', work: () => T): T {
    const reads = begin === 'BEGIN';
    if (reads && this.#isHeld) return work();
    if (!reads) this.#settle();
    this.#command(begin);
    const result = this.#rollBackOnError(work);
    if (reads) this.#rollBackOnError(() => this.#command('COMMIT'));
    else this.#commit();
    return result;
  }

  /** For several statements that see one snapshot. Nothing else may use the connection meanwhile. */
  async snapshot<T>(work: () => Promise<T>): Promise<T> {
    this.#command('BEGIN');
    try {
      return await work();
    } finally {
      this.#rollBack();
    }
  }

  /** Like `transaction`, for async work. Nothing else may use the connection meanwhile. */
  async longTransaction(work: () => Promise<'commit' | 'rollback'>): Promise<void> {
    this.#settle();
    this.#command('BEGIN IMMEDIATE');
    let end: 'commit' | 'rollback';
    this.#isLong = true;
    try {
      end = await work();
      this.#refuseUndone();
    } catch (error) {
      this.#rollBack();
      throw error;
    } finally {
      this.#isLong = false;
      this.#undone = undefined;
    }
    if (end === 'commit') this.#commit();
    else this.#rollBackOnError(() => this.#command('ROLLBACK'));
  }

  /** Like `transaction`, inside one: undoes only its own changes. */
  async savepoint<T>(work: () => Awaitable<T>): Promise<T> {
    this.#refuseUndone();
    try {
      this.#command('SAVEPOINT step');
    } catch (error) {
      throw new TransactionLost(error); // the transaction that it would be part of may be gone
    }
    try {
      const result = await work();
      this.#command('RELEASE step');
      return result;
    } catch (error) {
      try {
        this.#command('ROLLBACK TO step');
        this.#command('RELEASE step');
      } catch (lost) {
        // The reason why the step was refused does not concern the rest of the transaction.
        throw new TransactionLost(error instanceof SqliteFault ? error : lost);
      }
      throw error;
    }
  }

  close(): void {
    this.release();
    if (this.#instance !== this) this.#instance?.close();
    this.#statements.clear();
    this.#connection.close();
  }

  #openInstance(): Database {
    const path = instanceOf(this.#path);
    if (path === this.#path) return this;
    const instance = new Database(this.#driver, path);
    instance.exec('PRAGMA busy_timeout = 5000; PRAGMA cache_size = -200; PRAGMA query_only = ON;');
    return instance;
  }

  #askLong<T>(ask: () => T): T {
    this.#refuseUndone();
    try {
      return ask();
    } catch (error) {
      if (!this.#connection.isInTransaction()) this.#undone = error;
      throw error;
    }
  }

  #refuseUndone(): void {
    if (this.#undone !== undefined) throw new TransactionLost(this.#undone);
  }

  #rollBackOnError<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      this.#rollBack();
      throw error;
    }
  }

  /** A fault such as a full disk may have rolled back already; the first error is the one to report. */
  #rollBack(): void {
    try {
      this.#command('ROLLBACK');
    } catch {}
  }

  /**
   * A commit that fails may still be in the log as a whole, if it was written but could not be synced. The next start would
   * take it for committed, unless something else is written in its place first.
   */
  #commit(): void {
    try {
      this.#command('COMMIT');
    } catch (error) {
      this.#rollBack();
      this.#inDoubt = true;
      try {
        this.#settle();
      } catch {
        throw new CommitUnknown(error);
      }
      throw error; // it is certain that nothing was saved
    }
  }

  /** Overwrites a failed commit by one that changes nothing. Throws if that can't be done either. */
  #settle(): void {
    if (!this.#inDoubt) return;
    const [version] = this.rows(raw('PRAGMA user_version'))[0] ?? [];
    this.#command('BEGIN IMMEDIATE');
    this.#rollBackOnError(() => {
      this.exec(`PRAGMA user_version = ${Number(version)}`);
      this.#command('COMMIT');
    });
    this.#inDoubt = false;
  }

  #command(text: string): void {
    this.#prepare(text).run([]);
  }

  #prepare(text: string): SqliteStatement {
    return remember(this.#statements, text, () =>
      this.#connection.prepare(text.replace(boundLimit, '$& + 0')),
    );
  }
}
