import { newVersion } from '../../new-version.ts';
import type { StoredCollection } from '../../schema.ts';
import type { Connection } from '../../sql/dialect.ts';
import { tables } from '../../sql/tables.ts';
import { raw, type Sql, sql } from '../../sql/tag.ts';

/** Rows that sessions share by their number, so that few wait for one another. */
const slots = 16;

/**
 * Marks a change of records that leaves the row of their collection as it is; `added`: how many there are more. Were it in that
 * row, each change would wait for the one before to be on disk; so nearly every session has a row of its own.
 */
export async function touch(db: Connection, key: number, added: number): Promise<void> {
  await db.run(sql`
    INSERT INTO ${tables.touches} AS known (collection, slot, version, added)
    VALUES (${key}, pg_backend_pid() % ${raw(String(slots))}, ${newVersion()}, ${added})
    ON CONFLICT (collection, slot) DO UPDATE SET version = excluded.version, added = known.added + excluded.added`);
}

/** Of a collection: another one whenever its records have changed. The sum of random marks, which fits into 2^53. */
export function versionOf({ key }: StoredCollection): Sql {
  const which = raw(String(key));
  return sql`(
    (SELECT version FROM ${tables.counters} WHERE collection = ${which})
    + (SELECT coalesce(sum(version), 0)::bigint FROM ${tables.touches} WHERE collection = ${which}))`;
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
