import type { Exchange, LiveSession, User } from '../../accounts.ts';
import type { Connection } from '../dialect.ts';
import { tables } from '../tables.ts';
import { type Sql, sql } from '../tag.ts';
import { addToken } from './add-session.ts';
import { endedOf, endSessions, userOfSession } from './end-sessions.ts';
import { readUser, userColumns } from './users.ts';

/** Whose token it is. What hangs on the user stays as it is from here on, so it is read after this. */
export async function lockUserOfToken(db: Connection, digest: string): Promise<User | undefined> {
  const row = await db.row(sql`
    SELECT ${userColumns} FROM ${tables.users}
    WHERE id = (
      SELECT ${userOfSession} FROM ${tables.sessions} JOIN ${tables.refresh_tokens} ON session = sessions.id
      WHERE digest = ${digest}
    )${db.dialect.forUpdate}`);
  return row && readUser(row);
}

export async function exchangeToken(db: Connection, exchange: Exchange): Promise<LiveSession | undefined> {
  const { spentDigest, replacedDigest, newDigest, now, expires, seen, grace, most } = exchange;
  const user = await lockUserOfToken(db, spentDigest);
  if (!user) return undefined;
  const row = await db.row(sql`
    SELECT sessions.id, workspace, spent, since, "user" FROM ${tables.sessions} JOIN ${tables.refresh_tokens} ON session = sessions.id
    WHERE digest = ${spentDigest} AND refresh_tokens.expires > ${now}${db.dialect.forUpdate}`);
  if (!row) return undefined;
  const [session, current = null, spent = null, since, owner] = row;
  const id = String(session);
  const isOver = owner !== user.id;
  const stolen = spent !== null && Number(spent) + grace < now;
  if (stolen || user.disabled || (!isOver && (await hasMany(db, id, newDigest, now, most)))) {
    await endSessions(db, sql`id = ${id} OR (${grownWith(id, user.id, Number(since))})`);
    return undefined;
  }
  if (isOver) return undefined; // within its grace also: another tab may have switched, and left the session, at the same moment
  if (spent === null) {
    await db.run(sql`UPDATE ${tables.refresh_tokens} SET spent = ${now} WHERE digest = ${spentDigest}`);
    // What it replaced has no grace any more: whoever holds that and has not got this one is somebody else.
    await db.run(
      sql`UPDATE ${tables.refresh_tokens} SET spent = 0 WHERE digest = ${replacedDigest} AND session = ${id}`,
    );
  }
  await addToken(db, newDigest, id, expires);
  const workspace = await stayOrFirst(db, user.id, current === null ? null : String(current));
  await db.run(sql`
    UPDATE ${tables.sessions} SET
      expires = ${expires}, workspace = ${workspace},
      used = ${seen.used}, address = ${seen.address}, agent = ${seen.agent}
    WHERE id = ${id}`);
  return { id, user, workspace };
}

/** Digests of tokens begin with one of 64 letters each. */
const parts = 64;

/**
 * A session that has more ends: were spent ones forgotten before they expire, whoever stole one would refresh until it is. One refresh of
 * 64 looks, at one part of 64, and forgets what has expired there: all of 50,000 would be 0.1 s of the writer.
 */
async function hasMany(
  db: Connection,
  session: string,
  digest: string,
  now: number,
  most: number,
): Promise<boolean> {
  if (!digest.startsWith('A')) return false;
  const first = digest.slice(1, 2);
  const next = String.fromCharCode(first.charCodeAt(0) + 1);
  const part = sql`${tables.refresh_tokens} WHERE session = ${session} AND digest >= ${first} AND digest < ${next}`;
  await db.run(sql`DELETE FROM ${part} AND expires <= ${now}`);
  return (await db.row(sql`SELECT 1 FROM ${part} LIMIT 1 OFFSET ${Math.ceil(most / parts)}`)) !== undefined;
}

/**
 * Whoever stole a token may have switched to another workspace, which gave them a session that grew out of this one: all those have the
 * moment of the sign-in, and began later. One that began with it is another sign-in, unless this one grew out of it.
 */
function grownWith(id: string, user: string, since: number): Sql {
  const time = (since + 1).toString(16).padStart(12, '0');
  const later = `${time.slice(0, 8)}-${time.slice(8)}`; // as the ids of sessions begin
  const others = id < later ? sql` AND id >= ${later}` : sql``;
  return sql`"user" IN (${user}, ${endedOf(user)}) AND since = ${since} AND since > 0${others}`;
}

/** The workspace they are in while they are a member of it, or else the first they joined. */
async function stayOrFirst(db: Connection, user: string, current: string | null): Promise<string | null> {
  const row = await db.row(sql`
    SELECT workspace FROM ${tables.members} WHERE "user" = ${user}
    ORDER BY CASE WHEN workspace = ${current} THEN 0 ELSE 1 END, seq LIMIT 1`);
  return row ? String(row[0]) : null;
}
