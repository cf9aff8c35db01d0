import type { Scope } from '../../access/scope.ts';
import type { Awaitable } from '../../awaitable.ts';
import type { Collection } from '../../model/collection.ts';
import type { ColumnKind, ColumnValue, Field } from '../../model/field.ts';
import type { StoredCollection } from '../schema.ts';
import type { LoggedChange } from './changes/change-log.ts';
import type { PlacedRecord } from './records/placed-record.ts';
import type { Sql, SqlStyle } from './tag.ts';

/**
 * What shared statements run on, inside a transaction or not. SQLite answers at once and PostgreSQL after a round trip, so
 * shared code awaits.
 */
export interface Connection {
  readonly dialect: Dialect;
  rows(query: Sql): Awaitable<ColumnValue[][]>;
  row(query: Sql): Awaitable<ColumnValue[] | undefined>;
  /** Returns the number of changed rows. */
  run(query: Sql): Awaitable<number>;
  /** One or several statements without parameters. */
  exec(text: string): Awaitable<void>;
  /**
   * Whether an administrator's session has not been ended. If it has not, it stays until the transaction ends, or whoever ends
   * it waits for that.
   */
  isSignedIn(digest: string): Awaitable<boolean>;
}

/** Every difference between the engines that matters to shared SQL. */
export interface Dialect {
  readonly style: SqlStyle;
  /** A list of values as rows, sent as one parameter: `SELECT value FROM …`, usable after IN. */
  values(values: readonly ColumnValue[], kind: ColumnKind): Sql;
  /** True of the records (by `seq`) in which all of the folded words occur. `scope`: that of the records that are asked about. */
  search(collection: StoredCollection, words: readonly string[], scope: Scope): Sql;
  /** After a SELECT in a transaction: nobody else changes these rows until its end. */
  readonly forUpdate: Sql;
  /** The same for rows that are changed but not deleted: others may still begin to refer to them. */
  readonly forChange: Sql;
  /** After a SELECT in a transaction: nobody deletes these rows until its end. */
  readonly forReference: Sql;
  /**
   * The latest time, in milliseconds, that a record may get now. For an engine that is shared by machines with clocks of their
   * own.
   */
  readonly latestTime: Sql;
  /** Milliseconds since 1970 by the clock of the database, which is the same for all who use it. */
  readonly clock: Sql;
  /** Anybody else who locks the same name waits until this transaction ends. */
  lockName(db: Connection, name: string): Awaitable<void>;

  /**
   * Gives a collection, by its key, a new version, which invalidates what is cached of its records. `added`: how many records
   * there are more, for an engine that does not count them all in its counter.
   */
  touch(db: Connection, key: number, added: number): Awaitable<void>;
  /** How many records of a collection are not counted in its counter. */
  countedApart(key: Sql): Sql;

  /** Writes changes to the log, at the end of the transaction that makes them. This gives each its position. */
  logChanges(db: Connection, changes: readonly LoggedChange[]): Awaitable<void>;

  /** Runs `work` for each item, one after the other or all at once, whichever is faster. */
  forEach<T>(items: readonly T[], work: (item: T, index: number) => Promise<void>): Promise<void>;

  /** Runs work inside the transaction; if it throws, the transaction goes on without it. */
  attempt<T>(db: Connection, work: () => Awaitable<T>): Awaitable<T>;
  /** Whether a row was refused because a unique value is taken. */
  isTaken(error: unknown): boolean;
  /** True of the records that hold a value in a field, in a form that uses the field's index. */
  holds(collection: StoredCollection, name: string, value: ColumnValue): Sql;

  /**
   * Writes new rows with everything that belongs to them, the search texts only `withTexts`. If one is refused, none is written
   * and the transaction goes on. For an engine where this is cheaper than one row at a time.
   */
  placeTogether?(
    db: Connection,
    collection: StoredCollection,
    records: readonly PlacedRecord[],
    withTexts: boolean,
  ): Promise<void>;

  /** The names of a table's columns; empty if there is no such table. */
  columnsOf(db: Connection, table: string): Awaitable<string[]>;

  /** Whether the engine computes the column of a field from the record's JSON, so that nothing is written to it. */
  isComputed(collection: Collection, field: Field): boolean;
  /** Makes the tables of a new collection, under a key that was never used before. */
  createTables(
    db: Connection,
    key: number,
    collection: Collection,
    fieldKeys: ReadonlyMap<string, number>,
  ): Awaitable<void>;
  /** From now on, adds a row `(n, seq)` to `m<key>` for every record of `r<key>` that is written or deleted; `n` is unique. */
  noteWrites(db: Connection, key: number): Awaitable<void>;
  /** Ends it, even if it never began. */
  stopNoting(db: Connection, key: number): Awaitable<void>;
  /** Makes whatever points to the tables of a collection point to its new ones. */
  repoint(db: Connection, from: StoredCollection, to: StoredCollection): Awaitable<void>;

  /** Called with the size of each record that is written, for an engine that has to know how large they are. */
  noteSize(db: Connection, key: number, bytes: number): Awaitable<void>;

  /** Rows of a list or multiple relation, each value once. */
  addValues(db: Connection, rows: ValueRows): Awaitable<void>;
  removeValues(db: Connection, rows: ValueRows): Awaitable<void>;

  addSearchTexts(db: Connection, key: number, texts: readonly SearchText[]): Awaitable<void>;
  removeSearchText(db: Connection, key: number, seq: number): Awaitable<void>;
  /** For a collection that gets a new key while every record keeps its text. */
  renameSearchTables(db: Connection, from: number, to: number): Awaitable<void>;
}

/** The text of a record that search looks at. */
export interface SearchText {
  readonly seq: number;
  readonly text: string;
}

export interface ValueRows {
  readonly table: Sql;
  readonly kind: ColumnKind;
  readonly values: readonly ColumnValue[];
  readonly seq: number;
}
