/**
 * How an engine writes the tables of this folder, which are the same on every engine. Both know `bigint` and `text`; a
 * member stands where they differ, or where the first format of SQLite's files has another word for it.
 */
export interface TableStyle {
  /** What stands before the name of a table. */
  readonly at: string;
  /** Compared by code point, whatever the database's own order is. */
  readonly text: string;
  readonly integer: string;
  /** The primary key of rows that are numbered in the order they are made, no number twice. */
  readonly serial: string;
  /** The primary key of the log of changes, whose order is that of commits. */
  readonly position: string;
  /** Behind a table that is always found by its primary key. */
  readonly byKey: string;
}
