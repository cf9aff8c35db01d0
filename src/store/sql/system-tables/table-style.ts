/**
 * How an engine writes the tables of this folder, which are the same on every engine. Both know `bigint` and `text`; a member
 * is used where they differ, or where the first format of SQLite's files has another word for it.
 */
export interface TableStyle {
  /** Prefix of table names. */
  readonly at: string;
  /** Compared by code point, whatever the database's own collation. */
  readonly text: string;
  readonly integer: string;
  /** The primary key of rows numbered in order of creation, without reusing numbers. */
  readonly serial: string;
  /** The primary key of the change log, which is in commit order. */
  readonly position: string;
  /** Follows a table that is always accessed by its primary key. */
  readonly byKey: string;
}
