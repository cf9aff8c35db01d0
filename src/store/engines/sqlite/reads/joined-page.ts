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
}

/** What stands before the conditions of a statement for `readJoined`. */
export function joinedRecords(
  collection: StoredCollection,
  { include, extra }: Pick<ListPlan, 'include' | 'extra'>,
): Sql {
  const places = raw(include.length > 0 ? 'seq, ' : '');
  return sql`SELECT ${places}${recordText(extra)} AS json FROM ${recordTable(collection)}`;
}

export function joinedPage(records: Sql, { include }: Pick<ListPlan, 'include'>): Sql {
  const places = raw(include.length > 0 ? "group_concat(seq, ',')" : "''");
  return sql`SELECT count(*), group_concat(json, ','), ${places} FROM (${records})`;
}

export function readJoined(db: Database, page: Sql): JoinedPage {
  const [count, found, seqs] = db.row(page) ?? [];
  return { count: Number(count), found: found?.toString() ?? '', seqs: seqs?.toString() ?? '' };
}

export function joinPages(one: JoinedPage, other: JoinedPage): JoinedPage {
  if (one.count === 0) return other;
  if (other.count === 0) return one;
  return {
    count: one.count + other.count,
    found: `${one.found},${other.found}`,
    seqs: `${one.seqs},${other.seqs}`,
  };
}
