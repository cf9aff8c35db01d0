import { type Authority, invalidToken, noLongerMember } from '../../../access/authority.ts';
import { Failure } from '../../../failure.ts';
import type { Connection } from '../dialect.ts';
import { tables } from '../tables.ts';
import { sql } from '../tag.ts';
import type { AccountsAccess } from './accounts-access.ts';

/**
 * Throws where a caller has lost the right that the write was allowed by. The right stays locked until the transaction ends:
 * whoever revokes it waits for that, so nothing is written after it was reported as revoked.
 */
export async function checkAuthority(db: Connection, authority: Authority | undefined): Promise<void> {
  switch (authority?.kind) {
    case undefined:
      return;
    case 'key':
      return checkKey(db, authority.key);
    case 'user':
      return checkUser(db, authority);
    case 'administrator':
      if (!(await db.isSignedIn(authority.signIn))) throw invalidToken();
  }
}

/** The same access for a caller: each transaction that writes begins with a check of what they are allowed by. */
export function accessAs(access: AccountsAccess, authority: Authority | undefined): AccountsAccess {
  return {
    read: access.read,
    write: (step) =>
      access.write(async (transaction) => {
        await checkAuthority(transaction.db, authority);
        return step(transaction);
      }),
  };
}

async function checkKey(db: Connection, key: string): Promise<void> {
  const row = await db.row(sql`SELECT 1 FROM ${tables.keys} WHERE id = ${key}${db.dialect.forReference}`);
  if (!row) throw invalidToken();
}

async function checkUser(
  db: Connection,
  { user, session, workspace, role }: Extract<Authority, { kind: 'user' }>,
): Promise<void> {
  const { forReference, forUpdate } = db.dialect;
  const locks = forReference.text !== ''; // where writes happen one after the other there is nothing to lock
  const place = locks ? (role?.workspace ?? workspace) : null;
  // Whoever acts by a role goes on to change the workspace: two who both held it first would wait for each other.
  const lock = role ? forUpdate : forReference;
  // They travel together, in the order in which all lock them who change them: none waits for another in a circle.
  const [, , live, member, held] = await Promise.all([
    locks && db.row(sql`SELECT 1 FROM ${tables.users} WHERE id = ${user}${forReference}`),
    place === null ? undefined : db.row(sql`SELECT 1 FROM ${tables.workspaces} WHERE id = ${place}${lock}`),
    db.row(sql`SELECT "user" FROM ${tables.sessions} WHERE id = ${session}${forReference}`),
    workspace === null ? undefined : findRole(db, user, workspace),
    role && findRole(db, user, role.workspace),
  ]);
  if (live?.[0] !== user) throw invalidToken();
  if (workspace !== null && member === undefined) throw noLongerMember();
  if (!role) return;
  if (held === undefined) throw new Failure('absent', `There is no workspace '${role.workspace}' of yours`);
  if (role.owner && held !== 'owner')
    throw new Failure('forbidden', 'Only an owner of the workspace may do this');
}

async function findRole(db: Connection, user: string, workspace: string): Promise<unknown> {
  const row = await db.row(sql`
    SELECT role FROM ${tables.members} WHERE "user" = ${user} AND workspace = ${workspace}${db.dialect.forReference}`);
  return row?.[0];
}
