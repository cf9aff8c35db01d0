import type { Dump } from '../../../dump.ts';
import { dumpParts } from '../../../sql/dump/dump.ts';
import { restoreDump } from '../../../sql/dump/restore.ts';
import type { Database } from '../connection/database.ts';
import type { SqliteDriver } from '../connection/driver.ts';
import { openProjectFile } from './open-project-file.ts';
import { restoreWays } from './restore-ways.ts';

/** Fills a new file that nobody else knows of yet. Each part is saved by itself, so no journal grows with the project. */
export async function restoreFile(
  driver: SqliteDriver,
  path: string,
  dump: Dump,
  check: (restored: Dump) => Promise<void>,
): Promise<void> {
  const db = await openProjectFile(driver, path);
  try {
    await restoreDump((step) => save(db, step), dump, restoreWays());
    await check({ parts: () => dumpParts(db) });
    db.exec('PRAGMA wal_checkpoint(TRUNCATE)'); // the file alone is moved to its place
  } finally {
    db.close();
  }
}

function save(db: Database, step: (db: Database) => unknown): Promise<void> {
  return db.longTransaction(async () => {
    await step(db);
    return 'commit';
  });
}
