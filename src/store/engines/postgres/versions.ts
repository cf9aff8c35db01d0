import { newVersion } from '../../new-version.ts';
import type { StoredCollection } from '../../schema.ts';
import type { Connection } from '../../sql/dialect.ts';
import { tables } from '../../sql/tables.ts';
import { raw, type Sql, sql } from '../../sql/tag.ts';

/**
 * Marks a change of a collection's records; `added`: net number of new records. With a single row per collection, each change
 * would wait for the previous one to be committed. So it updates any row that is not locked, or adds one if all are: there are
 * as many as there ever were concurrent writers.
 */
export async function touch(db: Connection, key: number, added: number): Promise<void> {
  const version = newVersion();
  await db.run(sql`
    WITH free AS (
      SELECT slot FROM ${tables.touches} WHERE collection = ${key} LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED
    ), used AS (
      UPDATE ${tables.touches} SET version = ${version}::bigint, added = added + ${added}::bigint
      WHERE collection = ${key} AND slot = (SELECT slot FROM free) RETURNING slot
    )
    INSERT INTO ${tables.touches} (collection, slot, version, added)
    SELECT ${key}::bigint, ${newVersion()}::bigint, ${version}::bigint, ${added}::bigint
    WHERE NOT EXISTS (SELECT 1 FROM used)`);
}

/**
 * Version of a collection, which changes whenever its records do: the sum of random marks, truncated to what a number can hold.
 */
export function versionOf({ key }: StoredCollection): Sql {
  const which = raw(String(key));
  return sql`((
    (SELECT version FROM ${tables.counters} WHERE collection = ${which})
    + (SELECT coalesce(sum(version), 0)::bigint FROM ${tables.touches} WHERE collection = ${which})
  ) & ${raw(String(Number.MAX_SAFE_INTEGER))})`;
}

/** Number of a collection's records that are not counted in its counters row. */
export function countedApart(key: Sql): Sql {
  return sql`(SELECT coalesce(sum(added), 0)::bigint FROM ${tables.touches} WHERE touches.collection = ${key})`;
}

/** Number of records in a collection. */
export function totalOf({ key }: Pick<StoredCollection, 'key'>): Sql {
  const which = raw(String(key));
  return sql`((SELECT total FROM ${tables.counters} WHERE collection = ${which}) + ${countedApart(which)})`;
}

/** The collection's tables were replaced by ones with another key. */
export async function moveTouches(db: Connection, from: number, to: number): Promise<void> {
  await db.run(sql`UPDATE ${tables.touches} SET collection = ${to} WHERE collection = ${from}`);
}
