import type { ColumnValue } from '../../../../model/field.ts';

/** What the store needs of a runtime's SQLite. Implemented in runtime/. */
export interface SqliteDriver {
  /** Opens an existing file, which may be empty: a reader must not recreate a file that is just being deleted. */
  open(path: string): SqliteConnection;
}

export interface SqliteConnection {
  exec(sql: string): void;
  prepare(sql: string): SqliteStatement;
  /** SQLite may have ended the transaction by itself, for example because of a full disk. */
  isInTransaction(): boolean;
  close(): void;
}

export interface SqliteStatement {
  rows(values: readonly ColumnValue[]): ColumnValue[][];
  /** Returns the number of changed rows. */
  run(values: readonly ColumnValue[]): number;
  finalize(): void;
}

/** An error of SQLite itself, whatever the runtime throws. */
export class SqliteFault extends Error {
  /** The extended result code. */
  readonly code: number;

  constructor(code: number, message: string, cause: unknown) {
    super(message, { cause });
    this.name = 'SqliteFault';
    this.code = code;
  }
}
