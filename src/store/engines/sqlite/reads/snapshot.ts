import type { Dump } from '../../../dump.ts';
import { dumpParts } from '../../../sql/dump/dump.ts';
import type { SqliteDriver } from '../connection/driver.ts';
import { openProjectFile } from '../writes/open-project-file.ts';

/** Reads a snapshot of a project's file, whatever is written to it meanwhile. */
export async function readSnapshot<T>(
  driver: SqliteDriver,
  path: string,
  work: (dump: Dump) => Promise<T>,
): Promise<T> {
  const db = await openProjectFile(driver, path);
  try {
    db.exec('BEGIN; PRAGMA query_only = ON;');
    return await work({ parts: () => dumpParts(db) });
  } finally {
    db.close();
  }
}
