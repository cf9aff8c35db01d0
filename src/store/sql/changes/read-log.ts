import { Failure } from '../../../failure.ts';
import type { LogEntries, LogEntry, LogPosition } from '../../changes.ts';
import { ProjectGone } from '../../schema.ts';
import type { Connection } from '../dialect.ts';
import { readSchemaVersion } from '../schema/load-schema.ts';
import { tables } from '../tables.ts';
import { sql } from '../tag.ts';
import { kinds } from './change-log.ts';

/** The position up to which the log is complete, and whether a write is under way that already has a position in it. */
export interface Watermark {
  readonly pos: number;
  readonly pending: boolean;
}

/** Rows of the log scanned at a time: some milliseconds. */
const mostScanned = 2_000;

const position = (row: readonly unknown[]): LogPosition => ({ pos: Number(row[0]), mark: Number(row[1]) });

/** The change that a position points to must still exist, and be the same one. */
export async function requireStart(db: Connection, after: LogPosition | 'oldest'): Promise<LogPosition> {
  if (after === 'oldest') {
    const row = await db.row(sql`SELECT pos, mark FROM ${tables.changes} ORDER BY pos LIMIT 1`);
    if (!row) throw new Error('a log without its origin');
    return position(row);
  }
  const row = await db.row(sql`SELECT mark FROM ${tables.changes} WHERE pos = ${after.pos}`);
  if (Number(row?.[0]) !== after.mark) throw noLongerKept();
  return after;
}

function noLongerKept(): Failure {
  return new Failure(
    'gone',
    'after: this position is no longer kept: read your records anew, and go on from after=now',
  );
}

/** The newest position. */
export async function readNewest(db: Connection, { pos }: Watermark): Promise<LogPosition> {
  const row = await db.row(
    sql`SELECT pos, mark FROM ${tables.changes} WHERE pos <= ${pos} ORDER BY pos DESC LIMIT 1`,
  );
  if (!row) throw new Error('a log without its origin');
  return position(row);
}

/** How far one read goes, and whether that is the end of the log. */
export async function findEnd(
  db: Connection,
  start: LogPosition,
  watermark: Watermark,
): Promise<{ readonly end: LogPosition; readonly isLast: boolean }> {
  const row = await db.row(sql`
    SELECT pos, mark FROM ${tables.changes} WHERE pos > ${start.pos} AND pos <= ${watermark.pos}
    ORDER BY pos LIMIT 1 OFFSET ${mostScanned - 1}`);
  if (row) return { end: position(row), isLast: false };
  const end = await readNewest(db, watermark);
  return { end: end.pos > start.pos ? end : start, isLast: true };
}

/** The entries of the log without the records, to know whom they concern. */
export async function readEntries(
  db: Connection,
  after: LogPosition,
  watermark: Watermark,
): Promise<LogEntries> {
  const version = await readSchemaVersion(db);
  if (!(version > 0)) throw new ProjectGone();
  const start = await requireStart(db, after);
  const { end, isLast } = await findEnd(db, start, watermark);
  const rows = await db.rows(sql`
    SELECT pos, mark, kind, collection, owner, old_owner, workspace, old_workspace FROM ${tables.changes}
    WHERE pos > ${start.pos} AND pos <= ${end.pos} ORDER BY pos`);
  const entries = rows.map((row): LogEntry => {
    const isRefetch = row[2] === kinds.refetch;
    const named = (from: number) => row.slice(from, from + 2).filter((value) => typeof value === 'string');
    return {
      ...position(row),
      kind: isRefetch ? 'refetch' : 'record',
      collection: Number(row[3]),
      owners: isRefetch ? [] : named(4),
      workspaces: named(6),
    };
  });
  return { version, entries, next: end, upToDate: isLast, pending: watermark.pending };
}
