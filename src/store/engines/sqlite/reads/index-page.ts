import type { ListPlan } from '../../../plans.ts';
import { column, recordTable } from '../../../sql/names.ts';
import { raw, type Sql, sql } from '../../../sql/tag.ts';
import type { Database } from '../connection/database.ts';
import { markBefore, type OrderMarks } from './index-marks.ts';
import { type IndexOrder, isReversed, isUnique } from './index-order.ts';
import { type JoinedPage, joinedPage, joinedRecords, joinPages, readJoined, shapeOf } from './joined-page.ts';
import { namedStatement } from './named-statement.ts';

type Page = Pick<ListPlan, 'offset' | 'limit' | 'include' | 'extra'>;

/**
 * Reads a page along an index starting from a mark shortly before it: by one statement, or by two if it extends beyond the
 * value at the mark. undefined: it has to be found in another way, as there is no mark, or records without a value are among
 * them.
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

/** If values are unique, their order is that of the list, whatever the order of ties. */
function fromUnique(db: Database, order: IndexOrder, page: Page, { seq, skipped }: Mark): JoinedPage {
  const { descending } = order.key;
  return read(db, order, page, 'unique', [seq, page.limit, skipped], ({ value, marked }) => ({
    where: sql`${value} ${raw(descending ? '<=' : '>=')} ${marked}`,
    sorted: sql`${value}${way(descending)}`,
  }));
}

function fromSame(
  db: Database,
  order: IndexOrder,
  page: Page,
  { seq, skipped }: Mark,
  wanted: number,
): JoinedPage | undefined {
  const { key, descending } = order;
  const same = ({ value, marked }: Columns) =>
    sql`${value} = ${marked} AND seq ${raw(descending ? '<=' : '>=')} ${seq}`;
  const first = read(db, order, page, 'same', [seq, seq, page.limit, skipped], (columns) => ({
    where: same(columns),
    sorted: sql`seq${way(descending)}`,
  }));
  if (first.count === wanted || isReversed(order)) return first;
  const passed = first.count > 0 ? skipped : count(db, order, same(columnsOf(order, seq)));
  const rest = [seq, page.limit - first.count, skipped - passed];
  const others = read(db, order, page, 'others', rest, ({ value, marked }) => ({
    where: sql`${value} ${raw(key.descending ? '<' : '>')} ${marked}`,
    sorted: sql`${value}${way(key.descending)}, seq${way(descending)}`,
  }));
  return joinPages(first, others);
}

interface Columns {
  /** The column that the records are sorted by. */
  readonly value: Sql;
  /** Its value in the record at the mark. */
  readonly marked: Sql;
}

function columnsOf({ collection, key }: IndexOrder, seq: number): Columns {
  const value = column(collection, key.name);
  return { value, marked: sql`(SELECT ${value} FROM ${recordTable(collection)} WHERE seq = ${seq})` };
}

const way = (descending: boolean) => raw(descending ? ' DESC' : '');

function count(db: Database, { collection }: IndexOrder, where: Sql): number {
  return Number(db.row(sql`SELECT count(*) FROM ${recordTable(collection)} WHERE ${where}`)?.[0]);
}

/** `values`: those of the conditions, then limit and offset. */
function read(
  db: Database,
  order: IndexOrder,
  page: Page,
  kind: 'unique' | 'same' | 'others',
  values: readonly number[],
  make: (columns: Columns) => { readonly where: Sql; readonly sorted: Sql },
): JoinedPage {
  const { collection, key, descending } = order;
  const name = `${kind} ${key.name} ${key.descending} ${descending} ${shapeOf(page)}`;
  const statement = namedStatement(collection, name, values, () => {
    const { where, sorted } = make(columnsOf(order, 0));
    const records = joinedRecords(collection, page);
    return joinedPage(sql`${records} WHERE ${where} ORDER BY ${sorted} LIMIT ${0} OFFSET ${0}`, page);
  });
  return readJoined(db, statement);
}
