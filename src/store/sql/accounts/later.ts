import { type Sql, sql } from '../tag.ts';

/** A new value for the column `updated`: now, but always later than the current value. */
export function later(now: number): Sql {
  return sql`CASE WHEN updated >= ${now} THEN updated + 1 ELSE ${now} END`;
}
