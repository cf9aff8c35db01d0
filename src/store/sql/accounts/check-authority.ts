import { type Authority, invalidToken, noLongerMember } from '../../../access/authority.ts';
import { Failure } from '../../../failure.ts';
import type { Connection } from '../dialect.ts';
import { tables } from '../tables.ts';
import { sql } from '../tag.ts';
import type { AccountsAccess } from './accounts-access.ts';

/**
 * Throws if a caller has lost the right that allowed the write. The right stays locked until the transaction ends: whoever
 * revokes it waits for that, so nothing is written after it was reported as revoked.
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

/** The same access for a caller: each writing transaction begins by checking their authority. */
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
  const locks = forReference.text !== ''; // if writes are serialized there is nothing to lock
  const place = locks ? (role?.workspace ?? workspace) : null;
  // Whoever acts by a role goes on to change the workspace: two holders of the weaker lock would deadlock.
  const lock = role ? forUpdate : forReference;
  // Pipelined, in the order in which everybody who changes them locks them, so that there are no deadlocks.
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
