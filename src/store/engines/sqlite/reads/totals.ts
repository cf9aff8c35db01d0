import type { ColumnValue } from '../../../../model/field.ts';
import { VersionedAnswers } from '../../../cache.ts';
import type { ListPlan } from '../../../plans.ts';
import type { StoredCollection } from '../../../schema.ts';
import { recordTable } from '../../../sql/names.ts';
import { raw, type Sql, sql } from '../../../sql/tag.ts';
import type { Database } from '../connection/database.ts';
import type { JoinedPage } from './joined-page.ts';
import { namedStatement } from './named-statement.ts';

/** One or two hundred bytes each; a filter used less often than a thousand others may be counted again. */
const most = 1_000;

/** Caches how many records a filtered list has, and where its pages begin, until the next write to the collection. */
export class Totals {
  readonly #db: Database;
  readonly #totals = new VersionedAnswers<number>({ most });
  readonly #anchors = new VersionedAnswers<number | undefined>({ most });

  constructor(db: Database) {
    this.#db = db;
  }

  /** The cached total of a filter, of whatever version. */
  known(question: string): { readonly version: number; readonly total: number } | undefined {
    const known = this.#totals.last(question);
    return known && { version: known.version, total: known.answer };
  }

  keep(version: number, question: string, total: number): void {
    this.#totals.keep(version, question, total);
  }

  /** The sequence number of a page's first record; undefined after the last page. */
  anchor(version: number, question: string, find: () => number | undefined): number | undefined {
    return this.#anchors.get(version, question, find);
  }

  /** The size of the page often gives the total without counting, or leaves only the records after it to be counted. */
  find(
    collection: StoredCollection,
    version: number,
    { where, question }: { readonly where: Sql; readonly question: string },
    { limit, offset, sort }: Pick<ListPlan, 'limit' | 'offset' | 'sort'>,
    { count, last }: Pick<JoinedPage, 'count' | 'last'>,
  ): number {
    if (count < limit && (count > 0 || offset === 0)) return offset + count;
    return this.#totals.get(version, question, () => {
      const all = () => sql`SELECT count(*) FROM ${recordTable(collection)}${where}`;
      const read = (name: string, values: readonly ColumnValue[], make: () => Sql) =>
        Number(this.#db.row(namedStatement(collection, `${name}${where.text}`, values, make))?.[0]);
      if (last === undefined) return read('count', where.values, all);
      // The plus keeps this condition from choosing another index: every index entry has the rowid, so it is checked before the
      // record is read.
      const after = sort[0]?.descending ? '<' : '>';
      const rest = () => sql`${all()} AND +seq ${raw(after)} ${last}`;
      return offset + count + read(`count ${after}`, [...where.values, last], rest);
    });
  }
}
