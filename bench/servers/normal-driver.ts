import type { SqliteConnection, SqliteDriver } from '../../src/store/engines/sqlite/connection/driver.ts';

/** The driver with synchronous=NORMAL: a commit is not on disk when it is answered. Loaded by the thread that writes. */
export function wrapDriver(driver: SqliteDriver): SqliteDriver {
  return {
    open(path) {
      const connection = driver.open(path);
      return {
        ...connection,
        exec(text) {
          connection.exec(text.replace(/synchronous = FULL/, 'synchronous = NORMAL'));
          if (/synchronous/.test(text)) verify(connection);
        },
      };
    },
  };
}

/** A setting that was not taken would make both variants the same. */
function verify(connection: SqliteConnection): void {
  const statement = connection.prepare('PRAGMA synchronous');
  const level = statement.rows([])[0]?.[0];
  statement.finalize();
  if (level !== 1) throw new Error(`synchronous is ${level} and not 1, which is NORMAL`);
}
