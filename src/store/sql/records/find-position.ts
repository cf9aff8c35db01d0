import type { Position, PositionPlan } from '../../plans.ts';
import type { StoredCollection } from '../../schema.ts';
import type { Connection } from '../dialect.ts';
import { column, recordTable } from '../names.ts';
import { join, raw, sql } from '../tag.ts';

/** The sort values of the record with a given sequence number. */
export async function findPosition(
  db: Connection,
  collection: StoredCollection,
  { sort, seq }: Omit<PositionPlan, 'collection'>,
): Promise<Position | undefined> {
  const keys = join([raw('seq'), ...sort.map(({ name }) => column(collection, name))], ', ');
  const row = await db.row(sql`SELECT ${keys} FROM ${recordTable(collection)} WHERE seq = ${seq}`);
  return row && { seq, values: row.slice(1) };
}
