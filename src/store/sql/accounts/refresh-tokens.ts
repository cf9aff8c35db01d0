import type { Exchange, LiveSession, User } from '../../accounts.ts';
import type { Connection } from '../dialect.ts';
import { tables } from '../tables.ts';
import { sql } from '../tag.ts';
import { addToken } from './add-session.ts';
import { endSessions, ofSameSignIn, userOfSession } from './end-sessions.ts';
import { readUser, userColumns } from './users.ts';

/** Finds and locks the user whose token it is. Whatever depends on the user is read after this, as it can't change any more. */
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
  if (stolen || user.disabled || (!isOver && (await hasTooMany(db, id, newDigest, now, most)))) {
    await endSessions(db, ofSameSignIn(id, user.id, Number(since)));
    return undefined;
  }
  if (isOver) return undefined; // even within the grace period: another tab may have switched workspaces, and left this session, at the same moment
  if (spent === null) {
    await db.run(sql`UPDATE ${tables.refresh_tokens} SET spent = ${now} WHERE digest = ${spentDigest}`);
    // The token before has no grace any more: whoever still uses it never got this one, so it is somebody else.
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

/** A digest begins with one of 64 characters. */
const parts = 64;

/**
 * A session with too many tokens ends. Forgetting spent tokens before they expire would not do: a thief could refresh until the
 * token that gives them away is forgotten. Only one refresh in 64 checks, and only one part in 64 of the tokens, of which it
 * removes the expired ones: going through all of 50,000 would take the writer 0.1 s.
 */
async function hasTooMany(
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

/** The current workspace while they are a member of it, otherwise the first one they joined. */
async function stayOrFirst(db: Connection, user: string, current: string | null): Promise<string | null> {
  const row = await db.row(sql`
    SELECT workspace FROM ${tables.members} WHERE "user" = ${user}
    ORDER BY CASE WHEN workspace = ${current} THEN 0 ELSE 1 END, seq LIMIT 1`);
  return row ? String(row[0]) : null;
}
