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
 * A session and all others of its sign-in: a thief may have switched to another workspace, which gave them a session that grew
 * out of it. All sessions of one sign-in have its time in `since`, and those that grew out of it began at another time: later,
 * or earlier by the clock of a node that is behind. A session that began at that very time is another sign-in, unless this one
 * grew out of it.
 */
export function ofSameSignIn(id: string, user: string, since: number): Sql {
  const [first, next] = [startOfIds(since), startOfIds(since + 1)];
  const others = id >= first && id < next ? sql` AND (id < ${first} OR id >= ${next})` : sql``;
  return sql`id = ${id} OR ("user" IN (${user}, ${endedOf(user)}) AND since = ${since} AND since > 0${others})`;
}

/** What the ids of sessions begin with that began in this millisecond. */
function startOfIds(time: number): string {
  const digits = time.toString(16).padStart(12, '0');
  return `${digits.slice(0, 8)}-${digits.slice(8)}`;
}

/**
 * Ends the sessions of a user that `which` selects. A session is kept, with its tokens until they expire, if another session of
 * the same sign-in goes on: a logout with its token, or a spent token that is used again, ends the other session too, which a
 * thief may have.
 */
export async function endSome(db: Connection, user: string, which: Sql): Promise<number> {
  const own = sql`"user" = ${user} AND (${which})`;
  // Locked as a deletion would: it waits for those who still write by one of them.
  const rows = await db.rows(sql`
    SELECT id FROM ${tables.sessions} WHERE ${own} AND since IN (
      SELECT since FROM ${tables.sessions} WHERE "user" = ${user} AND since > 0 AND NOT (${which})
    )${db.dialect.forUpdate}`);
  if (rows.length > 0) {
    const kept = db.dialect.values(rows.flat(), 'text');
    await db.run(sql`
      UPDATE ${tables.sessions} SET "user" = ${endedOf(user)}, address = '', agent = '' WHERE id IN (${kept})`);
  }
  return rows.length + (await endSessions(db, own));
}
