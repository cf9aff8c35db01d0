import { VersionedAnswers } from '../../../cache.ts';
import type { ListPlan } from '../../../plans.ts';
import type { StoredCollection } from '../../../schema.ts';
import { recordTable } from '../../../sql/names.ts';
import { type Sql, sql } from '../../../sql/tag.ts';
import type { Database } from '../connection/database.ts';

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

  /** `count` is how many records the page holds, which often tells the total without counting. */
  find(
    collection: StoredCollection,
    version: number,
    { where, question }: { readonly where: Sql; readonly question: string },
    { limit, offset }: Pick<ListPlan, 'limit' | 'offset'>,
    count: number,
  ): number {
    if (count < limit && (count > 0 || offset === 0)) return offset + count;
    return this.#totals.get(version, question, () => {
      const row = this.#db.row(sql`SELECT count(*) FROM ${recordTable(collection)}${where}`);
      return Number(row?.[0]);
    });
  }
}
