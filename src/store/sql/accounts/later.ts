import { type Sql, sql } from '../tag.ts';

/** For the column `updated`: now, but never the time that is there, nor one before it. */
export function later(now: number): Sql {
  return sql`CASE WHEN updated >= ${now} THEN updated + 1 ELSE ${now} END`;
}
