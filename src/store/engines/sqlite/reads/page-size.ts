import type { StoredCollection } from '../../../schema.ts';
import { largestAnswer, pageTooLarge } from '../../../sizes.ts';
import { type Sql, sql } from '../../../sql/tag.ts';
import type { Database } from '../connection/database.ts';
import { largestOf } from '../tables/sizes.ts';

/** `records`: a FROM item with the `json` of each of the page's records. */
export function refuseLarge(
  db: Database,
  collection: StoredCollection,
  limit: number,
  records: () => Sql,
): void {
  if (limit * largestOf(db, collection) <= largestAnswer) return;
  const [length] = db.row(sql`SELECT total(octet_length(json)) FROM ${records()}`) ?? [0];
  if (Number(length) > largestAnswer) throw pageTooLarge();
}
