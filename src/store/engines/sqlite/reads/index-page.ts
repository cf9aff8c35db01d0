import type { ListPlan } from '../../../plans.ts';
import { column, recordTable } from '../../../sql/names.ts';
import { raw, type Sql, sql } from '../../../sql/tag.ts';
import type { Database } from '../connection/database.ts';
import { markBefore, type OrderMarks } from './index-marks.ts';
import { type IndexOrder, isReversed, isUnique } from './index-order.ts';
import { type JoinedPage, joinedPage, joinedRecords, joinPages, readJoined } from './joined-page.ts';

type Page = Pick<ListPlan, 'offset' | 'limit' | 'include' | 'extra'>;

/**
 * A page along an index, from a mark shortly before it: by one statement, or by two where it ends among other values than it
 * begins at. undefined: it has to be found in another way, as there is no mark, or records without a value come into it.
 */
export function pageFromMark(
  db: Database,
  order: IndexOrder,
  page: Page,
  marks: OrderMarks,
  total: number,
): JoinedPage | undefined {
  const mark = markBefore(marks, page.offset);
  if (!mark) return undefined;
  const wanted = Math.min(page.limit, total - page.offset);
  const found = isUnique(order) ? fromUnique(db, order, page, mark) : fromSame(db, order, page, mark, wanted);
  return found?.count === wanted ? found : undefined;
}

interface Mark {
  readonly seq: number;
  readonly skipped: number;
}

/** Where each value is there once, its order is that of the list, whichever way that has records with the same value. */
function fromUnique(db: Database, order: IndexOrder, page: Page, { seq, skipped }: Mark): JoinedPage {
  const { key } = order;
  const { value, marked } = columnsOf(order, seq);
  const from = sql`${value} ${raw(key.descending ? '<=' : '>=')} ${marked}`;
  return read(db, order, page, from, sql`${value}${way(key.descending)}`, page.limit, skipped);
}

function fromSame(
  db: Database,
  order: IndexOrder,
  page: Page,
  { seq, skipped }: Mark,
  wanted: number,
): JoinedPage | undefined {
  const { key, descending, collection } = order;
  const { value, marked } = columnsOf(order, seq);
  const same = sql`${value} = ${marked} AND seq ${raw(descending ? '<=' : '>=')} ${seq}`;
  const first = read(db, order, page, same, sql`seq${way(descending)}`, page.limit, skipped);
  if (first.count === wanted || isReversed(order)) return first;
  const passed =
    first.count > 0
      ? skipped
      : Number(db.row(sql`SELECT count(*) FROM ${recordTable(collection)} WHERE ${same}`)?.[0]);
  const others = sql`${value} ${raw(key.descending ? '<' : '>')} ${marked}`;
  const sorted = sql`${value}${way(key.descending)}, seq${way(descending)}`;
  return joinPages(first, read(db, order, page, others, sorted, page.limit - first.count, skipped - passed));
}

function columnsOf({ collection, key }: IndexOrder, seq: number): { value: Sql; marked: Sql } {
  const value = column(collection, key.name);
  return { value, marked: sql`(SELECT ${value} FROM ${recordTable(collection)} WHERE seq = ${seq})` };
}

const way = (descending: boolean) => raw(descending ? ' DESC' : '');

function read(
  db: Database,
  { collection }: IndexOrder,
  page: Page,
  where: Sql,
  sorted: Sql,
  limit: number,
  offset: number,
): JoinedPage {
  const records = joinedRecords(collection, page);
  const some = sql`${records} WHERE ${where} ORDER BY ${sorted} LIMIT ${limit} OFFSET ${offset}`;
  return readJoined(db, joinedPage(some, page));
}
