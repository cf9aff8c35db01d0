import { VersionedAnswers } from '../../../cache.ts';
import type { ListPlan } from '../../../plans.ts';
import type { StoredCollection } from '../../../schema.ts';
import { recordTable } from '../../../sql/names.ts';
import { raw, type Sql, sql } from '../../../sql/tag.ts';
import type { Database } from '../connection/database.ts';
import type { JoinedPage } from './joined-page.ts';

/** Of a hundred bytes or two each; a filter that is asked for less often than a thousand others may be counted again. */
const most = 1_000;

/** How many records a filtered list has, and where its pages begin. Both end with the next write to the collection. */
export class Totals {
  readonly #db: Database;
  readonly #totals = new VersionedAnswers<number>({ most });
  readonly #anchors = new VersionedAnswers<number | undefined>({ most });

  constructor(db: Database) {
    this.#db = db;
  }

  /** What is remembered of a filter, of whatever version. */
  known(question: string): { readonly version: number; readonly total: number } | undefined {
    const known = this.#totals.last(question);
    return known && { version: known.version, total: known.answer };
  }

  keep(version: number, question: string, total: number): void {
    this.#totals.keep(version, question, total);
  }

  /** The place of a page's first record; undefined after the last page. */
  anchor(version: number, question: string, find: () => number | undefined): number | undefined {
    return this.#anchors.get(version, question, find);
  }

  /** What the page holds often tells the total without counting, or leaves only what comes after it to count. */
  find(
    collection: StoredCollection,
    version: number,
    { where, question }: { readonly where: Sql; readonly question: string },
    { limit, offset, sort }: Pick<ListPlan, 'limit' | 'offset' | 'sort'>,
    { count, last }: Pick<JoinedPage, 'count' | 'last'>,
  ): number {
    if (count < limit && (count > 0 || offset === 0)) return offset + count;
    return this.#totals.get(version, question, () => {
      const counted = sql`SELECT count(*) FROM ${recordTable(collection)}${where}`;
      if (last === undefined) return Number(this.#db.row(counted)?.[0]);
      // With the plus the places choose no other index: an entry of it tells the place before the record is looked at.
      const after = raw(sort[0]?.descending ? '<' : '>');
      return offset + count + Number(this.#db.row(sql`${counted} AND +seq ${after} ${last}`)?.[0]);
    });
  }
}
