import { existsSync } from 'node:fs';
import { Failure } from '../../../../failure.ts';
import { accountTables, type DumpPart } from '../../../dump.ts';
import { dumpParts } from '../../../sql/dump/dump.ts';
import { raw, sql } from '../../../sql/tag.ts';
import { refuseNewer } from '../../../sql/upgrade.ts';
import { Database } from '../connection/database.ts';
import { type SqliteDriver, SqliteFault } from '../connection/driver.ts';
import { applicationId } from '../connection/project-file.ts';
import { computedColumns } from '../tables/collection-tables.ts';
import { format } from '../tables/upgrades.ts';
import { type Content, contentTables, readContent } from './content.ts';
import { readLabel, type StoredLabel } from './label.ts';

export interface ReadBackup {
  readonly db: Database;
  readonly label: StoredLabel;
  readonly content: Content;
}

/** Opens a file for reading rows only: no expression in it may call anything harmful. */
export function openRows(driver: SqliteDriver, path: string): Database {
  if (!existsSync(path)) throw damaged('it is not there');
  const db = new Database(driver, path);
  try {
    db.exec('PRAGMA trusted_schema = OFF; PRAGMA query_only = ON; PRAGMA temp_store = MEMORY;');
    db.exec('PRAGMA cell_size_check = ON; PRAGMA cache_size = -4000;');
    return db;
  } catch (error) {
    db.close();
    throw asDamage(error);
  }
}

/** The content of a checked file, and the moment it shows. */
export async function* backupParts(db: Database): AsyncGenerator<DumpPart, void> {
  yield* dumpParts(db);
  const label = readLabel(db);
  if (label) yield { kind: 'made', at: label.made };
}

/** Reads all of a file of unknown origin. Throws a Failure that says what is wrong with it. */
export function readBackup(driver: SqliteDriver, path: string): ReadBackup {
  const db = openRows(driver, path);
  try {
    return { db, ...verify(db) };
  } catch (error) {
    db.close();
    throw asDamage(error);
  }
}

function verify(db: Database): Omit<ReadBackup, 'db'> {
  const number = (pragma: string) => Number(db.row(raw(`PRAGMA ${pragma}`))?.[0]);
  if (number('application_id') !== applicationId) throw damaged('it is not a file of Vitrine');
  const label = readLabel(db);
  if (!label) throw damaged('it has no label, or its label was changed: a backup is made by vitrine backup');
  if (label.format !== number('user_version')) throw damaged('its format is not what its label says');
  refuseNewer(label.format, format);
  refuseOtherThanTables(db);
  checkIntegrity(db);
  const content = readContent(db);
  if (content.digest !== label.digest) throw damaged('its checksum is not what its label says');
  return { label, content };
}

/** SQLite's own check of each table and its indexes. Those for search are skipped: they are rebuilt. */
export function checkIntegrity(db: Database): void {
  for (const table of contentTables(db)) {
    const [found] = db.row(raw(`PRAGMA integrity_check("${table}")`)) ?? [];
    if (found !== 'ok')
      throw damaged(`SQLite finds a fault in ${table}: ${String(found).replace(/\s*\n\s*/g, ' ')}`);
  }
}

/** Whatever has the name of one of our tables must be a table: reading a view would execute it. */
function refuseOtherThanTables(db: Database): void {
  const own = [...accountTables, 'meta', 'collections', 'counters'];
  const rows = db.rows(sql`
    SELECT name, type, sql FROM sqlite_schema WHERE type IN ('table', 'view')`);
  for (const [name, type, text] of rows) {
    const isOwn = own.includes(String(name) as never) || /^[rl]\d+(_\d+)?$/.test(String(name));
    if (!isOwn) continue;
    if (type !== 'table' || /^\s*create\s+virtual/i.test(String(text)))
      throw damaged(`${name} is not a table`);
    const plain = String(text).replaceAll(computedColumns, '');
    if (/\bgenerated\b|\bas\s*\(/i.test(plain)) throw damaged(`${name} has a computed column`);
  }
}

export function damaged(why: string): Failure {
  return new Failure('conflict', `The backup can't be used, as its file is damaged or not a backup: ${why}`);
}

/** SQLite errors while reading the file mean that the file is damaged. */
export function asDamage(error: unknown): unknown {
  if (!(error instanceof SqliteFault)) return error;
  const failure = damaged(error.message);
  failure.cause = error;
  return failure;
}
