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

const prefix = 'ended ';

/** As whose a session is kept that has ended, and is nobody's: see `endSome`. */
export const endedOf = (user: string) => `${prefix}${user}`;

/** Whose sessions are those that have ended too. */
export const userOfSession = sql`replace("user", ${prefix}, '')`;

/**
 * Ends sessions of a user, as `which` tells by their ids. One that was refreshed, and out of whose sign-in another grew that goes on, is
 * kept with its tokens until these expire: a spent one that comes again is to end what a thief has by the other, whatever they ended.
 */
export async function endSome(db: Connection, user: string, which: Sql): Promise<number> {
  const own = sql`"user" = ${user} AND (${which})`;
  // Locked as by a deletion, which waits for whoever still writes by one of them.
  const rows = await db.rows(sql`
    SELECT id FROM ${tables.sessions} WHERE ${own} AND since IN (
      SELECT since FROM ${tables.sessions} WHERE "user" = ${user} AND since > 0 AND NOT (${which})
    ) AND EXISTS (
      SELECT 1 FROM ${tables.refresh_tokens} WHERE session = sessions.id AND spent IS NOT NULL
    )${db.dialect.forUpdate}`);
  if (rows.length > 0) {
    const kept = db.dialect.values(rows.flat(), 'text');
    await db.run(sql`
      UPDATE ${tables.sessions} SET "user" = ${endedOf(user)}, address = '', agent = '' WHERE id IN (${kept})`);
  }
  return rows.length + (await endSessions(db, own));
}
