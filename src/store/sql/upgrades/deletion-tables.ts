import type { Connection } from '../dialect.ts';
import { tables } from '../tables.ts';
import { sql } from '../tag.ts';

/** Format 5: deletions that are done in slices, and the records they take. */
export async function addDeletionTables(db: Connection): Promise<void> {
  await db.run(sql`CREATE TABLE ${tables.deletions} (at bigint NOT NULL, carrying bigint NOT NULL)`);
  await db.run(sql`
    CREATE TABLE ${tables.doomed} (
      n bigint PRIMARY KEY,
      collection bigint NOT NULL,
      id text NOT NULL,
      stage bigint NOT NULL,
      relation bigint NOT NULL,
      last bigint NOT NULL,
      UNIQUE (collection, id)
    )`);
  await db.run(sql`CREATE INDEX doomed_stage ON ${tables.doomed} (stage, n)`);
}
