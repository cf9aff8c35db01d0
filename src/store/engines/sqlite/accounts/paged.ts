import type { ColumnValue } from '../../../../model/field.ts';
import type { Page, Paged } from '../../../accounts.ts';
import { raw, type Sql, sql } from '../../../sql/tag.ts';
import type { Database } from '../database.ts';

/** One page of a query in the order of its `seq`, and how many rows it has in all. `from` begins behind FROM. */
export function paged<T>(
  db: Database,
  columns: string,
  from: Sql,
  { limit, offset }: Page,
  order: string,
  read: (row: readonly ColumnValue[]) => T,
): Paged<T> {
  return db.transaction('BEGIN', () => {
    const total = Number(db.row(sql`SELECT count(*) FROM ${from}`)?.[0]);
    const rows = db.rows(
      sql`SELECT ${raw(columns)} FROM ${from} ORDER BY ${raw(order)} LIMIT ${limit} OFFSET ${offset}`,
    );
    return { total, found: rows.map(read) };
  });
}
