import type { Connection } from '../dialect.ts';
import { tables } from '../tables.ts';
import { sql } from '../tag.ts';

/** Format 6: which backups and restores are under way, and which failed. */
export async function addBackupRuns(db: Connection): Promise<void> {
  await db.run(sql`
    CREATE TABLE ${tables.backup_runs} (
      id text PRIMARY KEY, project text NOT NULL, kind text NOT NULL, backup text NOT NULL, started bigint NOT NULL,
      beat bigint NOT NULL, status text NOT NULL, error text
    )`);
}
