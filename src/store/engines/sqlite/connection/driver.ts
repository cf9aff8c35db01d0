import type { ColumnValue } from '../../../../model/field.ts';

/** What the store needs of a runtime's SQLite. Implemented in runtime/. */
export interface SqliteDriver {
  /** A file that is there already, be it empty: whoever reads one that is deleted at this moment is not to make it again. */
  open(path: string): SqliteConnection;
}

export interface SqliteConnection {
  exec(sql: string): void;
  prepare(sql: string): SqliteStatement;
  /** SQLite may have ended one by itself, as for a full disk. */
  isInTransaction(): boolean;
  close(): void;
}

export interface SqliteStatement {
  rows(values: readonly ColumnValue[]): ColumnValue[][];
  /** How many rows were changed. */
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
