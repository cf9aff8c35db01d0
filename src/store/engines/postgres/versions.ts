import { newVersion } from '../../new-version.ts';
import type { StoredCollection } from '../../schema.ts';
import type { Connection } from '../../sql/dialect.ts';
import { tables } from '../../sql/tables.ts';
import { raw, type Sql, sql } from '../../sql/tag.ts';

/** Rows that sessions share by their number, so that few wait for one another. */
const slots = 16;

/**
 * Marks a change of records that leaves their number as it is. Were the mark in the row of the collection, each
 * change would wait for the one before to be on disk; so nearly every session has a row of its own.
 */
export async function touch(db: Connection, key: number): Promise<void> {
  await db.run(sql`
    INSERT INTO ${tables.touches} (collection, slot, version)
    VALUES (${key}, pg_backend_pid() % ${raw(String(slots))}, ${newVersion()})
    ON CONFLICT (collection, slot) DO UPDATE SET version = excluded.version`);
}

/** Of a collection: another one whenever its records have changed. The sum of random marks, which fits into 2^53. */
export function versionOf({ key }: StoredCollection): Sql {
  const which = raw(String(key));
  return sql`(
    (SELECT version FROM ${tables.counters} WHERE collection = ${which})
    + (SELECT coalesce(sum(version), 0)::bigint FROM ${tables.touches} WHERE collection = ${which}))`;
}
