import type { StoredCollection } from '../../../schema.ts';
import { largePage, largestAnswer, pageTooLarge } from '../../../sizes.ts';
import { type Sql, sql } from '../../../sql/tag.ts';
import type { Database } from '../connection/database.ts';
import { largestOf } from '../tables/sizes.ts';

/**
 * Whether a page has to be read in parts. Refuses one that is too large for an answer. `records`: a FROM item with the `json` of
 * each of the page's records.
 */
export function isPageLarge(
  db: Database,
  collection: StoredCollection,
  limit: number,
  records: () => Sql,
): boolean {
  if (limit * largestOf(db, collection) <= Math.min(largePage, largestAnswer)) return false;
  const [length] = db.row(sql`SELECT total(octet_length(json)) FROM ${records()}`) ?? [0];
  if (Number(length) > largestAnswer) throw pageTooLarge();
  return Number(length) > largePage;
}
