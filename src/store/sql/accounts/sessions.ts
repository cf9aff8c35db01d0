import type { ColumnValue } from '../../../model/field.ts';
import type { Accounts, NewSession, SessionPlace } from '../../accounts.ts';
import type { Connection } from '../dialect.ts';
import { tables } from '../tables.ts';
import { type Sql, sql } from '../tag.ts';
import type { AccountsAccess } from './accounts-access.ts';
import { addSession } from './add-session.ts';
import { endSessions, endSome, ofSameSignIn } from './end-sessions.ts';
import { isUser } from './members.ts';
import { makeRoom } from './most-sessions.ts';
import { paged } from './paged.ts';
import { exchangeToken, lockUserOfToken } from './refresh-tokens.ts';

type SessionCalls = Pick<
  Accounts,
  | 'findSession'
  | 'openSession'
  | 'exchange'
  | 'endSession'
  | 'listSessions'
  | 'endSessionOf'
  | 'endOtherSessions'
>;

export function sessionQuery(id: string, workspace: string | null): Sql {
  if (workspace === null) return sql`SELECT "user", 0 FROM ${tables.sessions} WHERE id = ${id}`;
  return sql`
    SELECT "user", CASE WHEN EXISTS (
      SELECT 1 FROM ${tables.members} WHERE members."user" = sessions."user" AND members.workspace = ${workspace}
    ) THEN 1 ELSE 0 END
    FROM ${tables.sessions} WHERE id = ${id}`;
}

export function readSession(row: readonly ColumnValue[] | undefined) {
  return row && { user: String(row[0]), member: row[1] === 1 };
}

/**
 * Whatever begins, renews or ends a session, or changes an account, locks the row of the user first: an account that is
 * disabled at the same moment is left without a session.
 */
export function sessionCalls({ read, write }: AccountsAccess): SessionCalls {
  return {
    findSession: async (id, workspace) =>
      readSession(await read((db) => db.row(sessionQuery(id, workspace)))),
    openSession: (session, now) =>
      write(({ db }) => openSession(db, session, now)).catch((error: unknown) => {
        if (error instanceof ProofGone) return false;
        throw error;
      }),
    exchange: (exchange) => write(({ db }) => exchangeToken(db, exchange)),
    endSession: (digest) =>
      write(async ({ db }) => {
        const user = await lockUserOfToken(db, digest);
        const row = await db.row(sql`
          SELECT id, since FROM ${tables.sessions}
          WHERE id = (SELECT session FROM ${tables.refresh_tokens} WHERE digest = ${digest})`);
        if (user && row) await endSessions(db, ofSameSignIn(String(row[0]), user.id, Number(row[1])));
      }),
    listSessions: (user, now, page) =>
      read((db) => {
        const from = sql`${tables.sessions} WHERE "user" = ${user} AND expires > ${now}`;
        return paged(db, 'id, used, address, agent', from, page, ['id'], readPlace);
      }),
    endSessionOf: (user, session) =>
      write(async ({ db }) => {
        await isUser(db, user);
        return (await endSome(db, user, sql`id = ${session}`)) > 0;
      }),
    endOtherSessions: (user, session) =>
      write(async ({ db }) => {
        await isUser(db, user);
        await endSome(db, user, sql`id <> ${session}`);
      }),
  };
}

function readPlace([id, used, address, agent]: readonly ColumnValue[]): SessionPlace {
  return { id: String(id), used: Number(used), address: String(address), agent: String(agent) };
}

/** What the session is based on no longer holds: the whole transaction is rolled back. */
class ProofGone extends Error {}

/** Everything is sent in one round trip, before it is known whether the proof holds: if it does not, it is rolled back. */
async function openSession(db: Connection, session: NewSession, now: number): Promise<true> {
  const [held, ...others] = await Promise.allSettled([
    holds(db, session.user, session.proof),
    endSessions(db, sql`expires <= ${now}`),
    makeRoom(db, session),
    addSession(db, session),
  ]);
  // If the user is gone the others fail too.
  if (held.status === 'fulfilled' && !held.value) throw new ProofGone();
  for (const one of [held, ...others]) if (one.status === 'rejected') throw one.reason;
  return true;
}

/** Verifying a password takes time, during which the account may have changed. */
async function holds(db: Connection, user: string, proof: NewSession['proof']): Promise<boolean> {
  const other = otherProof(user, proof);
  const [row, held, factor] = await Promise.all([
    db.row(sql`SELECT disabled, password FROM ${tables.users} WHERE id = ${user}${db.dialect.forUpdate}`),
    other && db.row(other),
    'withoutFactor' in proof &&
      db.row(sql`SELECT 1 FROM ${tables.factors} WHERE account = ${user} AND confirmed = 1`),
  ]);
  if (row?.[0] !== 0 || factor || ('passwordHash' in proof && row[1] !== proof.passwordHash)) return false;
  return other === undefined ? row[1] !== '' : held !== undefined;
}

/** What must exist whatever the password is: the session this one is derived from, or the identity that they signed in with. */
function otherProof(user: string, proof: NewSession['proof']): Sql | undefined {
  if ('session' in proof)
    return sql`SELECT 1 FROM ${tables.sessions} WHERE id = ${proof.session} AND "user" = ${user}`;
  if (!proof.identity) return undefined;
  const { issuer, subject } = proof.identity;
  return sql`
    SELECT 1 FROM ${tables.identities} WHERE issuer = ${issuer} AND subject = ${subject} AND account = ${user}`;
}
