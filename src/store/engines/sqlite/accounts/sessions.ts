import type { Accounts, Exchange, LiveSession, NewSession } from '../../../accounts.ts';
import { sql } from '../../../sql/tag.ts';
import type { Database } from '../database.ts';
import type { Reach } from './accounts.ts';
import { findUser } from './users.ts';
import { firstWorkspace } from './workspaces.ts';

type SessionCalls = Pick<Accounts, 'findSession' | 'openSession' | 'exchange' | 'endSession'>;

/** Asked at every request with a token, so the texts are not put together each time. */
const sessionText = 'SELECT user, 0 FROM sessions WHERE id = ?';
const memberText = `
  SELECT user, EXISTS (SELECT 1 FROM members WHERE user = sessions.user AND workspace = ?)
  FROM sessions WHERE id = ?`;

export function sessionCalls({ read, write }: Reach): SessionCalls {
  return {
    findSession: (id, workspace) =>
      read((db) => {
        const query =
          workspace === null
            ? { text: sessionText, values: [id] }
            : { text: memberText, values: [workspace, id] };
        const row = db.row(query);
        return row && { user: String(row[0]), member: row[1] === 1 };
      }),
    openSession: ({ id, user, workspace, tokenDigest, expires, proof }, now) =>
      write(({ db }) => {
        if (!holds(db, user, proof)) return false;
        forgetExpired(db, now);
        db.run(sql`
          INSERT INTO sessions (id, user, workspace, expires) VALUES (${id}, ${user}, ${workspace}, ${expires})`);
        addToken(db, tokenDigest, id, expires);
        return true;
      }),
    exchange: (exchange) => write(({ db }) => exchangeToken(db, exchange)),
    endSession: (digest) =>
      write(({ db }) => {
        const row = db.row(sql`SELECT session FROM refresh_tokens WHERE digest = ${digest}`);
        if (row) endSession(db, String(row[0]));
      }),
  };
}

/** Verifying a password takes time, in which the account may have changed. */
function holds(db: Database, user: string, proof: NewSession['proof']): boolean {
  const row =
    'session' in proof
      ? db.row(
          sql`SELECT 1 FROM sessions JOIN users ON users.id = user WHERE sessions.id = ${proof.session} AND disabled = 0`,
        )
      : db.row(
          sql`SELECT 1 FROM users WHERE id = ${user} AND disabled = 0 AND password = ${proof.passwordHash}`,
        );
  return row !== undefined;
}

function exchangeToken(
  db: Database,
  { spentDigest, newDigest, now, expires, grace }: Exchange,
): LiveSession | undefined {
  const row = db.row(sql`
    SELECT session, spent, user, workspace FROM refresh_tokens JOIN sessions ON sessions.id = session
    WHERE digest = ${spentDigest} AND refresh_tokens.expires > ${now}`);
  if (!row) return undefined;
  const [session, spent, userId, current] = row;
  const id = String(session);
  const user = findUser(db, sql`id = ${String(userId)} AND disabled = 0`);
  const stolen = spent !== null && Number(spent) + grace < now;
  if (stolen || !user) {
    endSession(db, id);
    return undefined;
  }
  if (spent === null) db.run(sql`UPDATE refresh_tokens SET spent = ${now} WHERE digest = ${spentDigest}`);
  db.run(sql`DELETE FROM refresh_tokens WHERE session = ${id} AND expires <= ${now}`);
  addToken(db, newDigest, id, expires);
  const stays = db.row(sql`SELECT 1 FROM members WHERE user = ${user.id} AND workspace = ${current ?? null}`);
  const workspace = stays ? String(current) : firstWorkspace(db, user.id);
  db.run(sql`UPDATE sessions SET expires = ${expires}, workspace = ${workspace} WHERE id = ${id}`);
  return { id, user, workspace };
}

function addToken(db: Database, digest: string, session: string, expires: number): void {
  db.run(
    sql`INSERT INTO refresh_tokens (digest, session, expires) VALUES (${digest}, ${session}, ${expires})`,
  );
}

function endSession(db: Database, id: string): void {
  db.run(sql`DELETE FROM refresh_tokens WHERE session = ${id}`);
  db.run(sql`DELETE FROM sessions WHERE id = ${id}`);
}

export function endSessionsOf(db: Database, user: string): void {
  db.run(sql`DELETE FROM refresh_tokens WHERE session IN (SELECT id FROM sessions WHERE user = ${user})`);
  db.run(sql`DELETE FROM sessions WHERE user = ${user}`);
}

function forgetExpired(db: Database, now: number): void {
  db.run(sql`DELETE FROM refresh_tokens WHERE session IN (SELECT id FROM sessions WHERE expires <= ${now})`);
  db.run(sql`DELETE FROM sessions WHERE expires <= ${now}`);
}
