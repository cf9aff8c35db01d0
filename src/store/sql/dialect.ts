import type { Scope } from '../../access/scope.ts';
import type { Awaitable } from '../../awaitable.ts';
import type { Collection } from '../../model/collection.ts';
import type { ColumnKind, ColumnValue, Field } from '../../model/field.ts';
import type { StoredCollection } from '../schema.ts';
import type { LoggedChange } from './changes/change-log.ts';
import type { PlacedRecord } from './records/placed-record.ts';
import type { Sql, SqlStyle } from './tag.ts';

/**
 * What shared statements run on, inside a transaction or not. SQLite answers at once and PostgreSQL after a round
 * trip, so whoever shares code between them awaits.
 */
export interface Connection {
  readonly dialect: Dialect;
  rows(query: Sql): Awaitable<ColumnValue[][]>;
  row(query: Sql): Awaitable<ColumnValue[] | undefined>;
  /** How many rows were changed. */
  run(query: Sql): Awaitable<number>;
  /** One or several statements without values. */
  exec(text: string): Awaitable<void>;
  /** Whether an administrator's sign-in has not been ended. One that is found stays until the transaction ends, or those who end it wait for that. */
  isSignedIn(digest: string): Awaitable<boolean>;
}

/** Every difference between the engines that shared SQL meets. */
export interface Dialect {
  readonly style: SqlStyle;
  /** The rows of a list of values, sent as one: `SELECT value FROM …`, usable after IN. */
  values(values: readonly ColumnValue[], kind: ColumnKind): Sql;
  /** True of the records (by `seq`) in which every one of the folded words occurs. `scope`: of the records that are asked about. */
  search(collection: StoredCollection, words: readonly string[], scope: Scope): Sql;
  /** Behind a SELECT in a transaction: nobody else changes these rows until its end. */
  readonly forUpdate: Sql;
  /** The same for rows that are changed and not deleted: others may still begin to refer to them. */
  readonly forChange: Sql;
  /** Behind a SELECT in a transaction: nobody deletes these rows until its end. */
  readonly forReference: Sql;
  /** Milliseconds: the latest that a record may be written now. For an engine that machines with clocks of their own share. */
  readonly latestTime: Sql;
  /** Milliseconds since 1970, by the clock of whoever keeps the database: one for all who use it. */
  readonly clock: Sql;
  /** Whoever else asks for the same name waits until this transaction ends. */
  lockName(db: Connection, name: string): Awaitable<void>;

  /**
   * Gives a collection, by its key, another version: what is remembered of its records does not hold any more. `added`: how many
   * there are more, for an engine that counts them apart from those of its counter.
   */
  touch(db: Connection, key: number, added: number): Awaitable<void>;
  /** How many records of a collection its counter does not count. */
  countedApart(key: Sql): Sql;

  /** Writes changes to the log, at the end of the transaction that makes them: each gets its position by it. */
  logChanges(db: Connection, changes: readonly LoggedChange[]): Awaitable<void>;

  /** Does the same for each, in order or all at once, whichever takes less time. */
  forEach<T>(items: readonly T[], work: (item: T, index: number) => Promise<void>): Promise<void>;

  /** Runs work inside the transaction so that, where it throws, the transaction goes on without it. */
  attempt<T>(db: Connection, work: () => Promise<T>): Promise<T>;
  /** Whether a row was refused because a unique value of a field is taken. */
  isTaken(error: unknown): boolean;
  /** True of the records that hold a value in a field, in a form that an index of the field is used for. */
  holds(collection: StoredCollection, name: string, value: ColumnValue): Sql;

  /**
   * Writes new rows with all that belongs to them, the search text only `withTexts`; where one is refused, the
   * transaction goes on without any. For an engine to which that is cheaper than one after the other.
   */
  placeTogether?(
    db: Connection,
    collection: StoredCollection,
    records: readonly PlacedRecord[],
    withTexts: boolean,
  ): Promise<void>;

  /** The names of the columns of a table; none where there is no such table. */
  columnsOf(db: Connection, table: string): Awaitable<string[]>;

  /** Whether the engine computes the column of a field from the record's JSON: nothing is written to it then. */
  isComputed(collection: Collection, field: Field): boolean;
  /** The tables of a new collection, under a key that was never used before. */
  createTables(
    db: Connection,
    key: number,
    collection: Collection,
    fieldKeys: ReadonlyMap<string, number>,
  ): Awaitable<void>;
  /** From now on a row `(n, seq)` in `m<key>` for every record of `r<key>` that is written or deleted; `n` is unique. */
  noteWrites(db: Connection, key: number): Awaitable<void>;
  /** Ends it, also where it never began. */
  stopNoting(db: Connection, key: number): Awaitable<void>;
  /** Whatever points to the tables of a collection points to its new ones from now on. */
  repoint(db: Connection, from: StoredCollection, to: StoredCollection): Awaitable<void>;

  /** Is called with the size of each record that is written, for an engine that has to know how large they are. */
  noteSize(db: Connection, key: number, bytes: number): Awaitable<void>;

  /** Rows of a list or multiple relation, each value once. */
  addValues(db: Connection, rows: ValueRows): Awaitable<void>;
  removeValues(db: Connection, rows: ValueRows): Awaitable<void>;

  addSearchTexts(db: Connection, key: number, texts: readonly SearchText[]): Awaitable<void>;
  removeSearchText(db: Connection, key: number, seq: number): Awaitable<void>;
  /** For a collection that gets a new key while every record keeps its text. */
  renameSearchTables(db: Connection, from: number, to: number): Awaitable<void>;
}

/** What search looks at of a record. */
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
