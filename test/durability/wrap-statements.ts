import type { SqliteDriver, SqliteStatement } from '../../src/store/engines/sqlite/connection/driver.ts';

/** The driver with something around every statement that is prepared. */
export function wrapStatements(
  driver: SqliteDriver,
  wrap: (statement: SqliteStatement, text: string) => SqliteStatement,
): SqliteDriver {
  return {
    open(path) {
      const connection = driver.open(path);
      return { ...connection, prepare: (text) => wrap(connection.prepare(text), text) };
    },
  };
}
