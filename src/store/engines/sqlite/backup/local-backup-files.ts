import { Failure } from '../../../../failure.ts';
import type { BackupFiles } from '../../../backup-files.ts';
import type { Dump } from '../../../dump.ts';
import type { SqliteDriver } from '../connection/driver.ts';
import { isFull } from '../connection/faults.ts';
import { fileSystem } from '../connection/file-system.ts';
import { reasonOf, restoreBackup } from '../writes/restore-file.ts';
import { asDamage, backupParts, openRows } from './read-backup.ts';
import { checkFile, copyFile, FileWriting, finishFile } from './write-backup.ts';

/** Works in the calling thread, and blocks it. */
export function localBackupFiles(driver: SqliteDriver): BackupFiles {
  return {
    copy: (from, to) => withRoom(() => copyFile(driver, from, to)),
    write: (to, dump) =>
      withRoom(async () => {
        const writing = await FileWriting.begin(driver, to);
        try {
          for await (const part of dump.parts()) await writing.add(part);
        } catch (error) {
          writing.abandon();
          throw error;
        }
        await writing.end();
      }),
    finish: (path, label) => withRoom(() => finishFile(driver, path, label)),
    check: async (path) => checkFile(driver, path),
    async read(path, work) {
      const db = openRows(driver, path);
      try {
        return await work(readable({ parts: () => backupParts(db) }));
      } finally {
        db.close();
      }
    },
    restore: (draft, from) =>
      withRoom(
        () => localBackupFiles(driver).read(from, (dump) => restoreBackup(driver, fileSystem, draft, dump)),
        'what is restored',
      ),
    async close() {},
  };
}

/**
 * A disk full because of the backup, or of what is restored from it, is no problem of the database: so it is reported
 * differently, here where the file is written.
 */
export async function withRoom<T>(work: () => T | Promise<T>, what = 'the backup'): Promise<T> {
  try {
    return await work();
  } catch (caught) {
    const error = reasonOf(caught);
    if (!isFull(error)) throw error;
    const failure = new Failure('unavailable', `There is no space left for ${what}`, { retryAfter: 60 });
    failure.cause = error;
    throw failure;
  }
}

function readable(dump: Dump): Dump {
  return {
    async *parts() {
      try {
        yield* dump.parts();
      } catch (error) {
        throw asDamage(error);
      }
    },
  };
}
