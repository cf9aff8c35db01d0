import type { StoredCollection } from '../../schema.ts';
import type { Connection } from '../../sql/connection.ts';
import { raw, type Sql, sql } from '../../sql/tag.ts';

/** By whose sessions changes are counted apart. */
const slots = 16;

/**
 * Counts a change of records that leaves their number as it is. Were it counted in the row of the collection, each
 * change would wait for the one before to be on disk; so nearly every session has a row of its own.
 */
export async function touch(db: Connection, key: number): Promise<void> {
  await db.run(sql`
    INSERT INTO touches (collection, slot, version)
    VALUES (${key}, pg_backend_pid() % ${raw(String(slots))}, 1)
    ON CONFLICT (collection, slot) DO UPDATE SET version = touches.version + 1`);
}

/** Of a collection: another one whenever its records have changed. */
export function versionOf({ key }: StoredCollection): Sql {
  return raw(`(
    (SELECT version FROM counters WHERE collection = ${key})
    + (SELECT coalesce(sum(version), 0)::bigint FROM touches WHERE collection = ${key}))`);
}
