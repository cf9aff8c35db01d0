import { truncateSync } from 'node:fs';
import { join } from 'node:path';
import { type SqliteDriver, SqliteFault } from '../../store/engines/sqlite/connection/driver.ts';
import { isUnreadable } from '../../store/engines/sqlite/connection/faults.ts';
import { fileSystem } from '../../store/engines/sqlite/connection/file-system.ts';

const busy = 5;

export class DirectoryInUse extends Error {}

/**
 * Locks a data directory for this process, or says which other process has it. It is an SQLite lock on a file of its own: the
 * system releases it however the process ends, so it is never stale.
 */
export function lockDirectory(driver: SqliteDriver, directory: string): () => void {
  fileSystem.makeFolder(directory);
  const path = join(directory, 'serve.lock');
  fileSystem.makeFile(path);
  try {
    return lockFile(driver, path);
  } catch (error) {
    if (!isUnreadable(error)) throw error;
    // A power failure may have corrupted the file. Nobody holds the lock, as nobody could open it. The file is truncated and not
    // removed, so that a process that does the same at this moment locks the same file.
    truncateSync(path);
    return lockFile(driver, path);
  }
}

function lockFile(driver: SqliteDriver, path: string): () => void {
  const connection = driver.open(path);
  try {
    connection.exec('PRAGMA busy_timeout = 0');
    connection.exec(`PRAGMA user_version = ${process.pid}`);
    connection.exec('BEGIN IMMEDIATE'); // others can still read who holds it
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
    return ''; // it is being written at this moment
  }
}
