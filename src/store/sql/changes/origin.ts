import { newVersion } from '../../new-version.ts';
import type { Connection } from '../dialect.ts';
import { tables } from '../tables.ts';
import { sql } from '../tag.ts';
import { kinds } from './change-log.ts';

/** Where the log of a project begins: no change, but something that a position can stand on. */
export async function writeOrigin(db: Connection): Promise<void> {
  await db.run(sql`
    INSERT INTO ${tables.changes} (mark, kind, collection, id, at)
    VALUES (${newVersion()}, ${kinds.origin}, 0, '', 0)`);
}
