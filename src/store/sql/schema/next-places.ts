import type { StoredCollection } from '../../schema.ts';
import { firstWithin } from '../../sizes.ts';
import type { Connection } from '../dialect.ts';
import { recordTable } from '../names.ts';
import { sql } from '../tag.ts';

/** Of the records of one step. Their values may be lists, of which each element is a row. */
const mostBytes = 160 * 1024;

/** Takes only as many of the next records as are read and written quickly: one can have two megabytes. */
export async function nextPlaces(
  db: Connection,
  from: StoredCollection,
  last: number,
  most: number,
): Promise<{ to: number; more: boolean }> {
  const rows = await db.rows(sql`
    SELECT seq, octet_length(json) FROM ${recordTable(from)}
    WHERE seq > ${last} ORDER BY seq LIMIT ${most}`);
  const taken = firstWithin(rows, mostBytes, ([, bytes]) => Number(bytes));
  return {
    to: Number(taken.at(-1)?.[0] ?? last),
    more: taken.length < rows.length || rows.length === most,
  };
}
