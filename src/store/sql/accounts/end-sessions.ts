import type { Connection } from '../dialect.ts';
import { tables } from '../tables.ts';
import { type Sql, sql } from '../tag.ts';

/** How many. The sessions before their tokens, as everybody who locks both. */
export async function endSessions(db: Connection, which: Sql): Promise<number> {
  const rows = await db.rows(sql`DELETE FROM ${tables.sessions} WHERE ${which} RETURNING id`);
  if (rows.length === 0) return 0;
  const ended = rows.map(([id]) => String(id));
  await db.run(
    sql`DELETE FROM ${tables.refresh_tokens} WHERE session IN (${db.dialect.values(ended, 'text')})`,
  );
  return ended.length;
}
