import type { BackupFiles } from '../../../backup-files.ts';
import type { Dump } from '../../../dump.ts';
import type { SqliteDriver } from '../connection/driver.ts';
import { fileSystem } from '../connection/file-system.ts';
import { restoreBackup } from '../writes/restore-file.ts';
import { asDamage, backupParts, openRows } from './read-backup.ts';
import { checkFile, copyFile, FileWriting, finishFile } from './write-backup.ts';

/** In this very thread, which does nothing else meanwhile. */
export function localBackupFiles(driver: SqliteDriver): BackupFiles {
  return {
    copy: async (from, to) => copyFile(driver, from, to),
    async write(to, dump) {
      const writing = await FileWriting.begin(driver, to);
      try {
        for await (const part of dump.parts()) await writing.add(part);
      } catch (error) {
        writing.abandon();
        throw error;
      }
      await writing.end();
    },
    finish: async (path, label) => finishFile(driver, path, label),
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
      localBackupFiles(driver).read(from, (dump) => restoreBackup(driver, fileSystem, draft, dump)),
    async close() {},
  };
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
