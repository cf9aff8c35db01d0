import type { ListPlan } from '../../plans.ts';
import type { StoredCollection } from '../../schema.ts';
import { recordTable } from '../../sql/names.ts';
import { type Sql, sql } from '../../sql/tag.ts';
import type { Database } from './database.ts';

const mostRemembered = 1_000;

/** Counts of filtered lists, each remembered for as long as nothing is written to its collection. */
export class Totals {
  readonly #db: Database;
  readonly #remembered = new Map<string, { readonly version: number; readonly total: number }>();

  constructor(db: Database) {
    this.#db = db;
  }

  /** `count` is how many records the page holds, which often tells the total without counting. */
  find(
    collection: StoredCollection,
    version: number,
    where: Sql,
    { limit, offset }: Pick<ListPlan, 'limit' | 'offset'>,
    count: number,
  ): number {
    if (count < limit && (count > 0 || offset === 0)) return offset + count;
    const key = `${collection.key} ${where.text} ${JSON.stringify(where.values)}`;
    const known = this.#remembered.get(key);
    if (known?.version === version) return known.total;
    const row = this.#db.row(sql`SELECT count(*) FROM ${recordTable(collection)}${where}`);
    const total = Number(row?.[0]);
    this.#remembered.delete(key);
    if (this.#remembered.size >= mostRemembered) {
      const [oldest] = this.#remembered.keys();
      if (oldest !== undefined) this.#remembered.delete(oldest);
    }
    this.#remembered.set(key, { version, total });
    return total;
  }
}
