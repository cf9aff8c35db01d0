import type { ListPlan } from '../../../plans.ts';
import type { StoredCollection } from '../../../schema.ts';
import { recordTable } from '../../../sql/names.ts';
import { raw, type Sql, sql } from '../../../sql/tag.ts';
import type { Database } from '../connection/database.ts';
import { recordText } from './record-text.ts';

/** Records whose texts are joined inside SQLite: none is parsed and serialized again on its way out. */
export interface JoinedPage {
  readonly count: number;
  /** Their texts. */
  readonly found: string;
  /** Their sequence numbers if related records are included; otherwise empty. */
  readonly seqs: string;
  /** The sequence number of the last one, if the statement returns it. */
  readonly last: number | undefined;
}

/** Identifies what the statements of a plan depend on besides its conditions and order. */
export const shapeOf = ({ include, extra }: Pick<ListPlan, 'include' | 'extra'>): string =>
  `${include.length > 0} ${extra}`;

/** The SELECT and FROM of a statement for `readJoined`; conditions are to follow. */
export function joinedRecords(collection: StoredCollection, { extra }: Pick<ListPlan, 'extra'>): Sql {
  return sql`SELECT seq, ${recordText(extra)} AS json FROM ${recordTable(collection)}`;
}

/** `last`: whether the last record has the greatest or the least sequence number. */
export function joinedPage(
  records: Sql,
  { include }: Pick<ListPlan, 'include'>,
  last?: 'greatest' | 'least',
): Sql {
  const places = raw(include.length > 0 ? "group_concat(seq, ',')" : "''");
  const end = raw(last === undefined ? 'NULL' : last === 'greatest' ? 'max(seq)' : 'min(seq)');
  return sql`SELECT count(*), group_concat(json, ','), ${places}, ${end} FROM (${records})`;
}

export function readJoined(db: Database, page: Sql): JoinedPage {
  const [count, found, seqs, last] = db.row(page) ?? [];
  return {
    count: Number(count),
    found: found?.toString() ?? '',
    seqs: seqs?.toString() ?? '',
    last: typeof last === 'number' ? last : undefined,
  };
}

export function joinPages(one: JoinedPage, other: JoinedPage): JoinedPage {
  if (one.count === 0) return other;
  if (other.count === 0) return one;
  return {
    count: one.count + other.count,
    found: `${one.found},${other.found}`,
    seqs: `${one.seqs},${other.seqs}`,
    last: other.last,
  };
}
