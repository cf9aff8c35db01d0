import type { Connection } from '../../../sql/dialect.ts';
import { sql } from '../../../sql/tag.ts';

/**
 * Drops the indexes of a collection's records, and returns the statements that make them again. Building an index over complete
 * data is faster than adding to it. Unique indexes stay, to report which record violates them.
 */
export async function dropIndexes(db: Connection, key: number): Promise<string[]> {
  const rows = await db.rows(sql`
    SELECT name, sql FROM sqlite_schema
    WHERE type = 'index' AND tbl_name = ${`r${key}`} AND sql LIKE 'CREATE INDEX %'`);
  for (const [name] of rows) await db.exec(`DROP INDEX ${name}`);
  return rows.map(([, text]) => String(text));
}
