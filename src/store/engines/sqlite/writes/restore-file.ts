import { dirname } from 'node:path';
import type { Dump } from '../../../dump.ts';
import { dumpParts } from '../../../sql/dump/dump.ts';
import { restoreDump } from '../../../sql/dump/restore.ts';
import type { Database } from '../connection/database.ts';
import type { SqliteDriver } from '../connection/driver.ts';
import type { FileSystem } from '../connection/file-system.ts';
import { openProjectFile } from './open-project-file.ts';
import { restoreWays } from './restore-ways.ts';

/** Makes a file that nobody else knows of yet, to be moved to its place: all of it is in the file alone, and lasts. */
export async function makeFile(
  driver: SqliteDriver,
  files: FileSystem,
  path: string,
  fill: (db: Database) => Promise<void> = async () => {},
): Promise<void> {
  files.makeFile(path);
  const db = await openProjectFile(driver, path);
  try {
    await fill(db);
    db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  } finally {
    db.close();
  }
  files.sync(dirname(path));
}

/** With what was dumped in it. Each part is saved by itself, so no journal grows with the project. */
export function restoreFile(
  driver: SqliteDriver,
  files: FileSystem,
  path: string,
  dump: Dump,
  check: (restored: Dump) => Promise<void>,
): Promise<void> {
  return makeFile(driver, files, path, async (db) => {
    await restoreDump((step) => save(db, step), dump, restoreWays());
    await check({ parts: () => dumpParts(db) });
  });
}

function save(db: Database, step: (db: Database) => unknown): Promise<void> {
  return db.longTransaction(async () => {
    await step(db);
    return 'commit';
  });
}
