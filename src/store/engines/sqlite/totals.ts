import type { ListPlan } from '../../plans.ts';
import type { StoredCollection } from '../../schema.ts';
import { recordTable } from '../../sql/names.ts';
import { type Sql, sql } from '../../sql/tag.ts';
import type { Database } from './database.ts';
import { Remembered } from './remembered.ts';

/** How many records a filtered list has. */
export class Totals {
  readonly #db: Database;
  readonly #remembered = new Remembered<number>();

  constructor(db: Database) {
    this.#db = db;
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
    return this.#remembered.get(collection, version, question, () => {
      const row = this.#db.row(sql`SELECT count(*) FROM ${recordTable(collection)}${where}`);
      return Number(row?.[0]);
    });
  }
}
