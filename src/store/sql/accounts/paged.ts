import type { ColumnValue } from '../../../model/field.ts';
import type { Page, Paged } from '../../paged.ts';
import type { Connection } from '../dialect.ts';
import { raw, type Sql, sql } from '../tag.ts';

/**
 * One page of a query ordered by some columns (`id`, `id DESC`), and the total number of rows, both of the same snapshot
 * because it is a single statement. `from` is what follows FROM; the names of `columns` must be distinct. `more`: columns
 * looked up only for the rows of the page, where an engine might do so for those before it as well.
 */
export async function paged<T>(
  db: Connection,
  columns: string,
  from: Sql,
  { limit, offset }: Page,
  order: readonly string[],
  read: (row: readonly ColumnValue[]) => T,
  more?: Sql,
): Promise<Paged<T>> {
  const places = order.map((place, index) => `${place.replace(' DESC', '')} AS place${index}`).join(', ');
  const rows = await db.rows(sql`
    SELECT counted.total, page.*${more ? sql`, ${more}` : raw('')}
    FROM (SELECT count(*) AS total FROM ${from}) AS counted
    LEFT JOIN (
      SELECT ${raw(places)}, ${raw(columns)} FROM ${from}
      ORDER BY ${raw(order.join(', '))} LIMIT ${limit} OFFSET ${offset}
    ) AS page ON 1 = 1
    ORDER BY ${raw(order.map((place, index) => `page.place${index}${place.endsWith(' DESC') ? ' DESC' : ''}`).join(', '))}`);
  // An empty page is one row with the total and no order columns.
  const found = rows.filter(([, place]) => place !== null).map((row) => read(row.slice(1 + order.length)));
  return { total: Number(rows[0]?.[0]), found };
}
