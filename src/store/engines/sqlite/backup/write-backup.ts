import { rmSync } from 'node:fs';
import type { BackupFacts, BackupLabel } from '../../../backup-files.ts';
import type { DumpPart } from '../../../dump.ts';
import { Restoration } from '../../../sql/dump/restore.ts';
import { raw, sql, table } from '../../../sql/tag.ts';
import { Database } from '../connection/database.ts';
import type { SqliteDriver } from '../connection/driver.ts';
import { fileSystem } from '../connection/file-system.ts';
import { openMade } from '../connection/project-file.ts';
import { openProjectFile } from '../writes/open-project-file.ts';
import { saveStep } from '../writes/restore-file.ts';
import { restoreWriter } from '../writes/restore-writer.ts';
import { readContent } from './content.ts';
import { factsOf, syncFile } from './facts.ts';
import { writeLabel } from './label.ts';
import { checkIntegrity, damaged, readBackup } from './read-backup.ts';

/** Copies in one statement, which sees one snapshot and blocks no writer: a commit shares the disk with it, no more. */
export function copyFile(driver: SqliteDriver, from: string, to: string): void {
  const db = openMade(driver, from);
  try {
    prepareFile(to);
    db.exec('PRAGMA busy_timeout = 5000; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -4000;');
    db.run({ ...raw('VACUUM INTO ?'), values: [to] });
  } finally {
    db.close();
  }
}

/** Creates an empty file that is private from the start. */
function prepareFile(path: string): void {
  for (const part of ['', '-wal', '-shm', '-journal']) rmSync(`${path}${part}`, { force: true });
  fileSystem.makeFile(path);
}

/** Writes a new file part by part. */
export class FileWriting {
  readonly #db: Database;
  readonly #restoration: Restoration;

  private constructor(db: Database) {
    this.#db = db;
    this.#restoration = new Restoration((step) => saveStep(db, step), restoreWriter());
  }

  static async begin(driver: SqliteDriver, path: string): Promise<FileWriting> {
    prepareFile(path);
    const db = await openProjectFile(driver, path);
    db.exec('PRAGMA journal_mode = DELETE; PRAGMA synchronous = OFF;'); // it counts only after it was read back and synced
    const writing = new FileWriting(db);
    await writing.#restoration.begin();
    return writing;
  }

  add(part: DumpPart): Promise<void> {
    return this.#restoration.add(part);
  }

  async end(): Promise<void> {
    try {
      await this.#restoration.end();
    } finally {
      this.#db.close();
    }
  }

  abandon(): void {
    this.#db.close();
  }
}

/** Labels a file, then reads it back as a restore will. */
export function finishFile(driver: SqliteDriver, path: string, label: BackupLabel): BackupFacts {
  const db = new Database(driver, path);
  try {
    db.exec('PRAGMA journal_mode = DELETE; PRAGMA synchronous = OFF; PRAGMA cache_size = -4000;');
    checkIntegrity(db);
    refuseWrongCounts(db);
    const format = Number(db.row(raw('PRAGMA user_version'))?.[0]);
    const { digest } = readContent(db);
    db.transaction('BEGIN IMMEDIATE', () => writeLabel(db, { ...label, format, digest }));
  } finally {
    db.close();
  }
  syncFile(path);
  return checkFile(driver, path);
}

export function checkFile(driver: SqliteDriver, path: string): BackupFacts {
  const { db, label, content } = readBackup(driver, path);
  try {
    return factsOf(db, path, label, label.format, content);
  } finally {
    db.close();
  }
}

/** Checks that each collection has as many records as its counter says. */
function refuseWrongCounts(db: Database): void {
  const rows = db.rows(
    raw('SELECT key, id, total FROM collections JOIN counters ON counters.collection = collections.key'),
  );
  for (const [key, id, total] of rows) {
    const [found] = db.row(sql`SELECT count(*) FROM ${table(`r${key}`)}`) ?? [];
    if (Number(found) !== Number(total)) {
      throw damaged(`it has ${found} records of ${id}, and ${total} are counted`);
    }
  }
}
