import { perCollection } from '../../../cache.ts';
import type { StoredCollection } from '../../../schema.ts';
import type { Connection } from '../../../sql/dialect.ts';
import { tables } from '../../../sql/tables.ts';
import { raw, sql } from '../../../sql/tag.ts';
import type { ReadsAtOnce } from './reads-at-once.ts';

/**
 * Records up to this size are not recorded in `sizes`. Joining a page inside SQLite can't be stopped when it gets too large, so
 * it is measured before, which takes as long again: only in collections where a record larger than this was written, as hardly
 * any ever is.
 */
export const smallRecord = 64 * 1024;

export async function noteSize(db: Connection, key: number, bytes: number): Promise<void> {
  if (bytes <= smallRecord) return;
  await db.run(sql`
    INSERT INTO ${tables.sizes} (collection, largest) VALUES (${key}, ${bytes})
    ON CONFLICT (collection) DO UPDATE SET largest = max(largest, excluded.largest)`);
}

const largestQuery = perCollection(
  ({ key }) => sql`SELECT largest FROM ${tables.sizes} WHERE collection = ${raw(String(key))}`,
);

/** An upper bound of the bytes of the collection's records. */
export function largestOf(db: ReadsAtOnce, collection: StoredCollection): number {
  const row = db.once(largestQuery(collection));
  return Math.max(smallRecord, Number(row?.[0] ?? 0));
}
