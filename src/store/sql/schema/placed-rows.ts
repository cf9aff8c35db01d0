import type { ColumnValue } from '../../../model/field.ts';
import { recordValues } from '../../record-json.ts';
import type { StoredCollection } from '../../schema.ts';
import { firstWithin } from '../../sizes.ts';
import type { Connection } from '../dialect.ts';
import { recordTable } from '../names.ts';
import type { PlacedRecord } from '../records/placed-record.ts';
import { sql } from '../tag.ts';

/** Of records in one step. They may be lists, of which each element is a row. */
const mostBytes = 160 * 1024;

/** Of the next records as many as are read and written soon: one can have two megabytes. */
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

/** Of the columns seq, id, created, updated, owner, workspace, json. */
export function readPlaced(row: readonly ColumnValue[]): PlacedRecord {
  const [seq, id, created, updated, owner, workspace, json] = row;
  return {
    seq: Number(seq),
    id: String(id),
    created: Number(created),
    updated: Number(updated),
    owner: owner === null ? null : String(owner),
    workspace: workspace === null ? null : String(workspace),
    values: recordValues(String(json)),
  };
}
