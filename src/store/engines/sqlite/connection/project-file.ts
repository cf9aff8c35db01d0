import { ProjectGone } from '../../../schema.ts';
import { raw } from '../../../sql/tag.ts';
import { refuseNewer, runUpgrades, type Upgrade } from '../../../sql/upgrade.ts';
import { format, upgrades } from '../tables/upgrades.ts';
import { Database } from './database.ts';
import type { SqliteDriver } from './driver.ts';
import { fileSystem } from './file-system.ts';

/** 'Vitr': distinguishes our files from other SQLite files. */
export const applicationId = 0x56697472;

/** Older versions have a race between connections in WAL mode that can corrupt a file. */
const oldestSqlite = [3, 51, 3] as const;

/** 16 MB. A page that many writes change is copied back into the file less often that way: an insertion costs a tenth less. */
export const pagesInLog = 4_000;

/**
 * Pages that a transaction may change before some are written to the log early. A page that changes again after that is written
 * twice, which takes half as long again for a batch of 16 MiB. The memory is freed when the transaction ends.
 */
const pagesOfBatch = 16_000;

const copiesUntilSynced = 3;

/**
 * Opens one of our files, or makes it with `create`. Committed means on disk: WAL, synchronous=FULL. A file of an earlier
 * format must be upgraded before it is used.
 */
export function openFile(driver: SqliteDriver, path: string, create: (db: Database) => void): Database {
  makePrivateFile(path);
  const db = new Database(driver, path);
  try {
    verifySqlite(db);
    db.exec('PRAGMA busy_timeout = 5000; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;');
    db.exec('PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON;'); // without it, macOS leaves synced data in the disk's cache
    db.exec(`PRAGMA wal_autocheckpoint = ${pagesInLog}`);
    db.exec(`PRAGMA cache_size = -16000; PRAGMA cache_spill = ${pagesOfBatch}; PRAGMA temp_store = MEMORY;`);
    db.transaction('BEGIN IMMEDIATE', () => {
      if (!isMade(db, path)) {
        create(db);
        db.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${format};`);
      }
    });
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** SQLite would make it readable for others. */
function makePrivateFile(path: string): void {
  try {
    fileSystem.makeFile(path);
  } catch {} // SQLite will say why it can't be made
}

/**
 * How much of a file is memory-mapped, at most what SQLite allows: a View takes 4.5 µs with it and 7.6 without, a filtered page
 * half as long, and sorting all records four fifths. It is the system's cache, not memory of the process; the rest of the file is
 * read by system calls.
 */
const mapped = 0x7fff0000;

/** Another connection to an open file, for reading, which does not wait for commits. */
export function openReader(driver: SqliteDriver, path: string, isShared = false): Database {
  const db = openMade(driver, path, isShared);
  try {
    db.exec('PRAGMA busy_timeout = 5000; PRAGMA cache_size = -4000; PRAGMA temp_store = MEMORY;');
    db.exec(`PRAGMA mmap_size = ${mapped}`);
    db.exec('PRAGMA query_only = ON;');
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/**
 * Another connection to an open file, which copies the log into the file. SQLite syncs the file only if nothing was written to
 * the log meanwhile; during writes, one of the short copies after the first achieves that. Otherwise all of it would be synced
 * when the log is restarted, and writes would wait 30 ms instead of 5.
 */
export function openCheckpointer(driver: SqliteDriver, path: string): { copy(): void; close(): void } {
  const db = new Database(driver, path);
  db.exec('PRAGMA busy_timeout = 0; PRAGMA synchronous = FULL;');
  db.exec('PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON;');
  return {
    copy() {
      for (let copies = 0; copies < copiesUntilSynced; copies++)
        db.row(raw('PRAGMA wal_checkpoint(PASSIVE)'));
    },
    close: () => db.close(),
  };
}

/** For a file that another process may have deleted just now. */
export function openMade(driver: SqliteDriver, path: string, isShared = false): Database {
  try {
    return new Database(driver, path, isShared);
  } catch (error) {
    throw fileSystem.exists(path) ? error : new ProjectGone();
  }
}

function verifySqlite(db: Database): void {
  const version = String(db.row(raw('SELECT sqlite_version()'))?.[0]);
  const parts = version.split('.').map(Number);
  for (const [index, needed] of oldestSqlite.entries()) {
    const part = parts[index] ?? 0;
    if (part > needed) return;
    if (part < needed) {
      throw new Error(`SQLite ${version} is too old: ${oldestSqlite.join('.')} or newer is needed`);
    }
  }
}

/** Whether the file already holds something; then it must be ours and not of a newer format. */
function isMade(db: Database, path: string): boolean {
  const id = Number(db.row(raw('PRAGMA application_id'))?.[0]);
  const empty = Number(db.row(raw('SELECT count(*) FROM sqlite_schema'))?.[0]) === 0;
  if (empty) return false;
  if (id !== applicationId) throw new Error(`${path} is not a file of Vitrine`);
  refuseNewer(formatOf(db), format);
  return true;
}

const formatOf = (db: Database) => Number(db.row(raw('PRAGMA user_version'))?.[0]);

/** Whether a file is of an earlier format, so that it will be upgraded when it is opened. */
export function isOutdated(driver: SqliteDriver, path: string): boolean {
  const db = openReader(driver, path);
  try {
    return formatOf(db) < format;
  } finally {
    db.close();
  }
}

/** Upgrades an older file to the current format in one transaction. `part`: what kind of file it is. */
export async function upgradeFile(db: Database, part: keyof Upgrade): Promise<void> {
  if (formatOf(db) >= format) return;
  await db.longTransaction(async () => {
    // The format is read again: another process may have upgraded the file while this one waited.
    await runUpgrades(db, part, formatOf(db), upgrades);
    db.exec(`PRAGMA user_version = ${format}`);
    return 'commit';
  });
}
