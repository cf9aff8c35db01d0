import { createHash, type Hash } from 'node:crypto';
import type { ColumnValue } from '../../../../model/field.ts';
import { raw, sql } from '../../../sql/tag.ts';
import type { Database } from '../connection/database.ts';

/**
 * Rows per query: the largest records have a few MB each, and 64 of them took 400 MB. For small rows 200,000 take 300 ms
 * instead of 220.
 */
const atOnce = 8;

/** What is rebuilt from the records (search texts, recorded writes), SQLite's own tables, and the label. */
const leftOut = /^(sqlite_.*|[stpm]\d+(_.*)?|backup)$/;

/** Everything that a backup preserves. */
export interface Content {
  /** Number of rows by table. */
  readonly rows: ReadonlyMap<string, number>;
  /** SHA-256 of all values in hexadecimal, independent of the file's layout. */
  readonly digest: string;
}

/** Reads every row. Does not know any table by name, so the result is the same for a file of any format, in any later version. */
export function readContent(db: Database): Content {
  const rows = new Map<string, number>();
  const hash = createHash('sha256');
  for (const table of contentTables(db)) {
    hash.update(`${table}\n`);
    rows.set(table, readTable(db, table, hash));
  }
  return { rows, digest: hash.digest('hex') };
}

export function contentTables(db: Database): string[] {
  const found = db.rows(raw("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name"));
  return found.map(([name]) => String(name)).filter((name) => !leftOut.test(name));
}

function readTable(db: Database, table: string, hash: Hash): number {
  const key = keyOf(db, table);
  const columns = key.map(quoted).join(', ');
  const select = `SELECT ${columns}, ${quoted(table)}.* FROM ${quoted(table)}`;
  const places = key.map(() => '?').join(', ');
  let count = 0;
  let last: readonly ColumnValue[] | undefined;
  for (;;) {
    const where = last ? `WHERE (${columns}) > (${places})` : '';
    const text = `${select} ${where} ORDER BY ${columns} LIMIT ${atOnce}`;
    const found = db.rows({ ...raw(text), values: last ?? [] });
    for (const row of found) hash.update(`${JSON.stringify(row.slice(key.length))}\n`);
    count += found.length;
    last = found.at(-1)?.slice(0, key.length);
    if (found.length < atOnce) return count;
  }
}

/** The columns that a table's rows are ordered by: the rowid, unless it has none. */
function keyOf(db: Database, table: string): string[] {
  const list = db.row(sql`SELECT wr FROM pragma_table_list WHERE schema = 'main' AND name = ${table}`);
  if (Number(list?.[0]) === 0) return ['rowid'];
  const columns = db.rows(sql`SELECT name FROM pragma_table_info(${table}) WHERE pk > 0 ORDER BY pk`);
  return columns.map(([name]) => String(name));
}

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;
