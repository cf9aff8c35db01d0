import type { Connection } from '../dialect.ts';
import { tables } from '../tables.ts';
import { type Sql, sql } from '../tag.ts';

/** Returns how many ended. Deletes the sessions before their tokens: everybody who locks both does so in this order. */
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

/** The owner of a session that has ended but is kept: see `endSome`. */
export const endedOf = (user: string) => `${prefix}${user}`;

/** The user of a session, even of one that has ended. */
export const userOfSession = sql`replace("user", ${prefix}, '')`;

/**
 * Ends the sessions of a user that `which` selects. A session is kept, with its tokens until they expire, if it was refreshed
 * and another session of the same sign-in goes on: when one of its spent tokens is used again, that ends the other session too,
 * which a thief may have.
 */
export async function endSome(db: Connection, user: string, which: Sql): Promise<number> {
  const own = sql`"user" = ${user} AND (${which})`;
  // Locked as a deletion would: it waits for those who still write by one of them.
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
