import type { Connection } from '../dialect.ts';
import { tables } from '../tables.ts';
import { sql } from '../tag.ts';

/** Format 12: management could add members to a workspace that had no owner. The longest member becomes one. */
export async function nameOwners(db: Connection): Promise<void> {
  await db.run(sql`
    UPDATE ${tables.members} SET role = 'owner' WHERE seq IN (
      SELECT min(seq) FROM ${tables.members} GROUP BY workspace
      HAVING max(CASE WHEN role = 'owner' THEN 1 ELSE 0 END) = 0)`);
}
