import { newVersion } from '../../new-version.ts';
import type { StoredCollection } from '../../schema.ts';
import type { Connection } from '../../sql/dialect.ts';
import { tables } from '../../sql/tables.ts';
import { raw, type Sql, sql } from '../../sql/tag.ts';

/**
 * Marks a change of records; `added`: how many there are more. Were it in one row of their collection, each change would wait for
 * the one before to be on disk; so it goes to a row that nobody has, and to a new one where all are taken: there are
 * as many as ever wrote at the same time.
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

/** Of a collection: another one whenever its records have changed. The sum of random marks, as far as a number holds it. */
export function versionOf({ key }: StoredCollection): Sql {
  const which = raw(String(key));
  return sql`((
    (SELECT version FROM ${tables.counters} WHERE collection = ${which})
    + (SELECT coalesce(sum(version), 0)::bigint FROM ${tables.touches} WHERE collection = ${which})
  ) & ${raw(String(Number.MAX_SAFE_INTEGER))})`;
}

/** How many records of a collection, by its key, are not counted in its row. */
export function countedApart(key: Sql): Sql {
  return sql`(SELECT coalesce(sum(added), 0)::bigint FROM ${tables.touches} WHERE touches.collection = ${key})`;
}

/** How many records a collection has. */
export function totalOf({ key }: Pick<StoredCollection, 'key'>): Sql {
  const which = raw(String(key));
  return sql`((SELECT total FROM ${tables.counters} WHERE collection = ${which}) + ${countedApart(which)})`;
}

/** The tables of a collection are other ones, under another key. */
export async function moveTouches(db: Connection, from: number, to: number): Promise<void> {
  await db.run(sql`UPDATE ${tables.touches} SET collection = ${to} WHERE collection = ${from}`);
}
