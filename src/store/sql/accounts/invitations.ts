import type { ColumnValue } from '../../../model/field.ts';
import type { AccountInvitations, Invitation } from '../../account-invitations.ts';
import type { Role } from '../../roles.ts';
import { tables } from '../tables.ts';
import { sql } from '../tag.ts';
import { acceptInvitation } from './accept-invitation.ts';
import type { AccountsAccess } from './accounts-access.ts';
import { spendLimits } from './mail-limits.ts';
import { addMail } from './mails.ts';
import { lockWorkspace } from './members.ts';
import { paged } from './paged.ts';

const columns =
  'invitations.id, workspaces.id AS workspace_id, workspaces.name, email, role, invitations.created, expires';
const joined = sql`${tables.invitations} JOIN ${tables.workspaces} ON workspaces.id = invitations.workspace`;
/** Version 7 UUIDs: in order of creation. */
const order = ['invitations.id'];

export function invitationCalls({ read, write }: AccountsAccess): AccountInvitations {
  return {
    invite: (invitation, mail, limits, now) =>
      write(async ({ db }) => {
        const { id, workspace, email, role, digest, created, expires } = invitation;
        await lockWorkspace(db, workspace);
        const member = await db.row(sql`
          SELECT 1 FROM ${tables.members} JOIN ${tables.users} ON users.id = members."user"
          WHERE members.workspace = ${workspace} AND users.email = ${email}`);
        if (member) return 'member';
        const wait = await spendLimits(db, limits, now);
        if (wait !== undefined) return wait;
        const before = sql`${tables.invitations} WHERE (workspace = ${workspace} AND email = ${email}) OR expires <= ${now}`;
        await db.run(
          sql`DELETE FROM ${tables.outbox} WHERE kind = 'invite' AND subject IN (SELECT id FROM ${before})`,
        );
        await db.run(sql`DELETE FROM ${before}`);
        await db.run(sql`
          INSERT INTO ${tables.invitations} (id, workspace, email, role, digest, created, expires)
          VALUES (${id}, ${workspace}, ${email}, ${role}, ${digest}, ${created}, ${expires})`);
        if (mail) await addMail(db, mail, now);
        return 'invited';
      }),
    listInvitations: (workspace, now, page) =>
      read((db) => {
        const from = sql`${joined} WHERE workspace = ${workspace} AND expires > ${now}`;
        return paged(db, columns, from, page, order, readInvitation);
      }),
    listInvitationsFor: (email, now, page) =>
      read((db) => {
        const from = sql`${joined} WHERE email = ${email} AND expires > ${now}`;
        return paged(db, columns, from, page, order, readInvitation);
      }),
    withdrawInvitation: (workspace, id) =>
      write(async ({ db }) => {
        const gone = await db.run(
          sql`DELETE FROM ${tables.invitations} WHERE id = ${id} AND workspace = ${workspace}`,
        );
        return gone > 0;
      }),
    offerInvitation: (id, digest, now) =>
      write(async ({ db }) => {
        const row = await db.row(sql`
          UPDATE ${tables.invitations} SET digest = coalesce(digest || ' ', '') || ${digest}
          WHERE id = ${id} AND expires > ${now} RETURNING workspace`);
        const workspace =
          row && (await db.row(sql`SELECT name FROM ${tables.workspaces} WHERE id = ${String(row[0])}`));
        return workspace && { name: String(workspace[0]) };
      }),
    acceptInvitation: (id, user, digest, now) =>
      write(({ db }) => acceptInvitation(db, { id, user, digest, now })),
    declineInvitation: (id, user) =>
      write(async ({ db }) => {
        const gone = await db.run(sql`
          DELETE FROM ${tables.invitations}
          WHERE id = ${id} AND email = (SELECT email FROM ${tables.users} WHERE id = ${user})`);
        return gone > 0;
      }),
  };
}

function readInvitation(row: readonly ColumnValue[]): Invitation {
  const [id, workspace, name, email, role, created, expires] = row;
  return {
    id: String(id),
    workspace: { id: String(workspace), name: String(name) },
    email: String(email),
    role: role as Role,
    created: Number(created),
    expires: Number(expires),
  };
}
