import type { AccountInvitations } from '../../account-invitations.ts';
import type { Role } from '../../roles.ts';
import type { Connection } from '../dialect.ts';
import { tables } from '../tables.ts';
import { sql } from '../tag.ts';
import { insertMember, lockWorkspace, nameOwners } from './members.ts';

interface Acceptance {
  readonly id: string;
  readonly user: string;
  readonly digest: string | undefined;
  readonly now: number;
}

/** Locks the user, the workspace, then the invitation, which may have been withdrawn or replaced by then. */
export async function acceptInvitation(
  db: Connection,
  { id, user, digest, now }: Acceptance,
): ReturnType<AccountInvitations['acceptInvitation']> {
  const account = await db.row(
    sql`SELECT email, verified FROM ${tables.users} WHERE id = ${user}${db.dialect.forReference}`,
  );
  const place = await db.row(sql`SELECT workspace FROM ${tables.invitations} WHERE id = ${id}`);
  if (!account || !place || !(await lockWorkspace(db, String(place[0])))) return 'absent';
  const [email = '', verified] = account;
  const found = await db.row(sql`
    SELECT workspace, role, digest FROM ${tables.invitations}
    WHERE id = ${id} AND email = ${email} AND expires > ${now}${db.dialect.forUpdate}`);
  if (!found) return 'absent';
  const tokens = String(found[2] ?? '').split(' '); // one for each mail about it
  if (digest ? !tokens.includes(digest) : verified !== 1) return digest ? 'wrongToken' : 'unproven';
  const workspace = String(found[0]);
  await insertMember(db, workspace, user, found[1] as Role);
  await nameOwners(db, sql`workspace = ${workspace}`);
  await db.run(sql`DELETE FROM ${tables.invitations} WHERE id = ${id}`);
  const joined = await db.row(sql`
    SELECT name, role FROM ${tables.workspaces} JOIN ${tables.members} ON members.workspace = workspaces.id
    WHERE workspaces.id = ${workspace} AND members."user" = ${user}`);
  return { id: workspace, name: String(joined?.[0]), role: joined?.[1] as Role };
}
