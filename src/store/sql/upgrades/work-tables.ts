import type { Connection } from '../dialect.ts';
import { tables } from '../tables.ts';
import { sql } from '../tag.ts';

/** Format 6: which process does the background work, and which projects have some. */
export async function addWorkTables(db: Connection): Promise<void> {
  await db.run(
    sql`CREATE TABLE ${tables.leases} (name text PRIMARY KEY, holder text NOT NULL, beat bigint NOT NULL)`,
  );
  await db.run(sql`
    CREATE TABLE ${tables.work} (kind text NOT NULL, project text NOT NULL, PRIMARY KEY (kind, project))`);
}

/** Format 9: identifies the announcement of work. */
export async function addWorkMarks(db: Connection): Promise<void> {
  await db.run(sql`ALTER TABLE ${tables.work} ADD COLUMN mark text`);
}
