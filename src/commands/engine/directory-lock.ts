import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type SqliteDriver, SqliteFault } from '../../store/engines/sqlite/connection/driver.ts';

const busy = 5;

export class DirectoryInUse extends Error {}

/**
 * Takes a data directory for this process alone, or says which other has it. The lock is one of SQLite on a
 * file of its own: the system lets go of it when the process ends in whatever way, so none is ever stale.
 */
export function lockDirectory(driver: SqliteDriver, directory: string): () => void {
  mkdirSync(directory, { recursive: true });
  const connection = driver.open(join(directory, 'serve.lock'));
  try {
    connection.exec('PRAGMA busy_timeout = 0; PRAGMA synchronous = OFF;');
    connection.exec(`PRAGMA user_version = ${process.pid}`);
    connection.exec('BEGIN IMMEDIATE'); // others may still read whose it is
    return () => connection.close();
  } catch (error) {
    const owner = isBusy(error) ? readOwner(connection) : '';
    connection.close();
    throw isBusy(error) ? new DirectoryInUse(`another Vitrine${owner} uses it`) : error;
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof SqliteFault && (error.code & 0xff) === busy;
}

function readOwner(connection: ReturnType<SqliteDriver['open']>): string {
  try {
    const statement = connection.prepare('PRAGMA user_version');
    const pid = statement.rows([])[0]?.[0];
    statement.finalize();
    return ` (process ${pid})`;
  } catch {
    return ''; // it is being written at this very moment
  }
}
