import type { ColumnValue } from '../../../model/field.ts';
import type { Page, Paged } from '../../paged.ts';
import type { Connection } from '../dialect.ts';
import { raw, type Sql, sql } from '../tag.ts';

/**
 * One page of a query in the order of some columns (`id`, `id DESC`), and how many rows it has in all, both as of the same moment
 * because they are one statement. `from` begins after FROM; the names of `columns` differ.
 */
export async function paged<T>(
  db: Connection,
  columns: string | Sql,
  from: Sql,
  { limit, offset }: Page,
  order: readonly string[],
  read: (row: readonly ColumnValue[]) => T,
): Promise<Paged<T>> {
  const places = order.map((place, index) => `${place.replace(' DESC', '')} AS place${index}`).join(', ');
  const rows = await db.rows(sql`
    SELECT counted.total, page.*
    FROM (SELECT count(*) AS total FROM ${from}) AS counted
    LEFT JOIN (
      SELECT ${raw(places)}, ${typeof columns === 'string' ? raw(columns) : columns} FROM ${from}
      ORDER BY ${raw(order.join(', '))} LIMIT ${limit} OFFSET ${offset}
    ) AS page ON 1 = 1
    ORDER BY ${raw(order.map((place, index) => `page.place${index}${place.endsWith(' DESC') ? ' DESC' : ''}`).join(', '))}`);
  // An empty page is one row with the total and no place.
  const found = rows.filter(([, place]) => place !== null).map((row) => read(row.slice(1 + order.length)));
  return { total: Number(rows[0]?.[0]), found };
}
