import { dirname } from 'node:path';
import type { Dump } from '../../../dump.ts';
import { endWhatWaited } from '../../../sql/dump/after-restore.ts';
import { dumpParts } from '../../../sql/dump/dump.ts';
import { beginLine } from '../../../sql/dump/history.ts';
import { keepRemovals } from '../../../sql/dump/kept-removals.ts';
import { restoreDump } from '../../../sql/dump/restore.ts';
import { type Database, TransactionLost } from '../connection/database.ts';
import type { SqliteDriver } from '../connection/driver.ts';
import { CommitUnknown } from '../connection/faults.ts';
import type { FileSystem } from '../connection/file-system.ts';
import { openProjectFile } from './open-project-file.ts';
import { restoreWriter } from './restore-writer.ts';

/**
 * Creates a file that nobody else knows of yet, to be renamed later: everything is in the file itself, not the WAL, and
 * durable.
 */
export async function makeFile(
  driver: SqliteDriver,
  files: FileSystem,
  path: string,
  fill: (db: Database) => Promise<void> = async () => {},
): Promise<void> {
  files.makeFile(path);
  try {
    await writeFile(driver, path, fill);
  } catch (error) {
    throw reasonOf(error);
  }
  files.sync(dirname(path));
}

async function writeFile(
  driver: SqliteDriver,
  path: string,
  fill: (db: Database) => Promise<void>,
): Promise<void> {
  const db = await openProjectFile(driver, path);
  try {
    await fill(db);
    db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  } finally {
    db.close();
  }
}

/** What went wrong with such a file. That it is not known how much of it was saved says nothing: it is not used. */
export function reasonOf(error: unknown): unknown {
  return error instanceof CommitUnknown || error instanceof TransactionLost ? error.cause : error;
}

/** Creates a file from a dump. Each part is committed separately, so no journal grows with the project. */
export function restoreFile(
  driver: SqliteDriver,
  files: FileSystem,
  path: string,
  dump: Dump,
  check: (restored: Dump) => Promise<void>,
): Promise<void> {
  const begun = Date.now();
  return makeFile(driver, files, path, async (db) => {
    await restoreDump((step) => saveStep(db, step), dump, restoreWriter());
    await check({ parts: () => dumpParts(db) });
    await saveStep(db, (made) => beginLine(made, begun));
  });
}

/** Fills a file created for it with the rows of a backup; what was waiting to be done then is dropped. */
export function restoreBackup(
  driver: SqliteDriver,
  files: FileSystem,
  path: string,
  dump: Dump,
): Promise<void> {
  return makeFile(driver, files, path, async (db) => {
    await restoreDump((step) => saveStep(db, step), dump, restoreWriter());
    await saveStep(db, endWhatWaited);
  });
}

/** Carries deletions in the file that a draft replaces over to the draft. */
export async function keepRemovalsOf(driver: SqliteDriver, path: string, draft: string): Promise<void> {
  const from = await openProjectFile(driver, path);
  try {
    const to = await openProjectFile(driver, draft);
    try {
      await saveStep(to, (db) => keepRemovals(from, db, Date.now()));
      to.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    } finally {
      to.close();
    }
  } finally {
    from.close();
  }
}

/** A part that is on disk before the next begins. */
export function saveStep(db: Database, step: (db: Database) => unknown): Promise<void> {
  return db.longTransaction(async () => {
    await step(db);
    return 'commit';
  });
}
