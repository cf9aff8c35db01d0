import type { ListPlan } from '../../../plans.ts';
import type { StoredCollection } from '../../../schema.ts';
import { recordTable } from '../../../sql/names.ts';
import { raw, type Sql, sql } from '../../../sql/tag.ts';
import type { Database } from '../connection/database.ts';
import { recordText } from './record-text.ts';

/** Records whose texts are joined inside SQLite: none is taken apart and put together again on its way out. */
export interface JoinedPage {
  readonly count: number;
  /** Their texts. */
  readonly found: string;
  /** Their places, where related records are included; else nothing. */
  readonly seqs: string;
  /** The place of the last one, where the statement tells it. */
  readonly last: number | undefined;
}

/** Names what of a plan the texts of its statements depend on, beside its conditions and its order. */
export const shapeOf = ({ include, extra }: Pick<ListPlan, 'include' | 'extra'>): string =>
  `${include.length > 0} ${extra}`;

/** What stands before the conditions of a statement for `readJoined`. */
export function joinedRecords(collection: StoredCollection, { extra }: Pick<ListPlan, 'extra'>): Sql {
  return sql`SELECT seq, ${recordText(extra)} AS json FROM ${recordTable(collection)}`;
}

/** `last`: which of the places is that of the last record. */
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
