import type { ColumnValue } from '../../../model/field.ts';
import type { Accounts, Member } from '../../accounts.ts';
import type { Role } from '../../roles.ts';
import type { Connection } from '../dialect.ts';
import { forgetAside } from '../dump/history.ts';
import { tables } from '../tables.ts';
import { raw, type Sql, sql } from '../tag.ts';
import type { AccountsAccess } from './accounts-access.ts';
import { paged } from './paged.ts';

type MemberCalls = Pick<
  Accounts,
  'firstWorkspaceOf' | 'findRole' | 'listMembers' | 'addMember' | 'removeMember' | 'setRole'
>;

/** Address and name are looked up only for the members shown, not for all that are counted and skipped. */
function ofUser(row: 'page' | 'members'): Sql {
  const user = sql`FROM ${tables.users} WHERE id = ${raw(row)}."user"`;
  return sql`(SELECT email ${user}), (SELECT name ${user})`;
}

export function memberCalls({ read, write }: AccountsAccess): MemberCalls {
  return {
    async firstWorkspaceOf(user) {
      const row = await read((db) =>
        db.row(sql`SELECT workspace FROM ${tables.members} WHERE "user" = ${user} ORDER BY seq LIMIT 1`),
      );
      return row ? String(row[0]) : null;
    },
    async findRole(workspace, user) {
      const row = await read((db) => db.row(roleOf(workspace, user)));
      return row && (row[0] as Role);
    },
    listMembers: (workspace, page) =>
      read((db) => {
        const from = sql`${tables.members} WHERE workspace = ${workspace}`;
        return paged(db, '"user", role', from, page, ['seq'], readMember, ofUser('page'));
      }),
    addMember: (workspace, user, role) =>
      write(async ({ db }) => {
        // A user deleted in the meantime would have lost the membership as well.
        if (!(await isUser(db, user)) || !(await lockWorkspace(db, workspace))) return role;
        if (!(await insertMember(db, workspace, user, role))) return undefined;
        await nameOwners(db, sql`workspace = ${workspace}`);
        return ((await db.row(roleOf(workspace, user)))?.[0] ?? role) as Role;
      }),
    removeMember: (workspace, user, lastOwner) =>
      write(async ({ db }) => {
        await lockWorkspace(db, workspace);
        const role = (await db.row(roleOf(workspace, user)))?.[0];
        if (role === undefined) return 'absent';
        if (lastOwner === 'refuse' && role === 'owner' && (await isLastOwner(db, workspace)))
          return 'lastOwner';
        await db.run(sql`DELETE FROM ${tables.members} WHERE workspace = ${workspace} AND "user" = ${user}`);
        // An unused invitation, because they were added in another way, would let them come back.
        await db.run(sql`
          DELETE FROM ${tables.invitations}
          WHERE workspace = ${workspace} AND email = (SELECT email FROM ${tables.users} WHERE id = ${user})`);
        await nameOwners(db, sql`workspace = ${workspace}`);
        await endInvitations(db, sql`workspace = ${workspace}`);
        await forgetAside(db, `${workspace} ${user}`);
        return 'removed';
      }),
    setRole: (workspace, user, role) =>
      write(async ({ db }) => {
        await lockWorkspace(db, workspace);
        const before = (await db.row(roleOf(workspace, user)))?.[0];
        if (before === undefined) return 'absent';
        if (before === 'owner' && role !== 'owner' && (await isLastOwner(db, workspace))) return 'lastOwner';
        await db.run(sql`
          UPDATE ${tables.members} SET role = ${role} WHERE workspace = ${workspace} AND "user" = ${user}`);
        const row = await db.row(sql`
          SELECT "user", role, ${ofUser('members')} FROM ${tables.members} WHERE workspace = ${workspace} AND "user" = ${user}`);
        return row ? readMember(row) : 'absent';
      }),
  };
}

/** Whether the user exists; if so, until the end of the transaction. */
export async function isUser(db: Connection, id: string): Promise<boolean> {
  return (
    (await db.row(sql`SELECT 1 FROM ${tables.users} WHERE id = ${id}${db.dialect.forReference}`)) !==
    undefined
  );
}

/** false: already a member. */
export async function insertMember(
  db: Connection,
  workspace: string,
  user: string,
  role: Role,
): Promise<boolean> {
  const made = await db.run(sql`
    INSERT INTO ${tables.members} (workspace, "user", role) VALUES (${workspace}, ${user}, ${role})
    ON CONFLICT ("user", workspace) DO NOTHING`);
  return made > 0;
}

/** Invitations end with the last member: nobody is left who could withdraw them, and who came by one would be without an owner. */
export async function endInvitations(db: Connection, which: Sql): Promise<void> {
  await db.run(sql`
    DELETE FROM ${tables.invitations}
    WHERE ${which} AND NOT EXISTS (SELECT 1 FROM ${tables.members} WHERE members.workspace = invitations.workspace)`);
}

/** Serializes changes to the members of a workspace: two owners can't both leave as the last but one. */
export async function lockWorkspace(db: Connection, id: string): Promise<boolean> {
  const row = await db.row(sql`SELECT 1 FROM ${tables.workspaces} WHERE id = ${id}${db.dialect.forUpdate}`);
  return row !== undefined;
}

function roleOf(workspace: string, user: string): Sql {
  return sql`SELECT role FROM ${tables.members} WHERE workspace = ${workspace} AND "user" = ${user}`;
}

/** Somebody has to be able to invite members. */
async function isLastOwner(db: Connection, workspace: string): Promise<boolean> {
  const row = await db.row(sql`
    SELECT count(*) FROM ${tables.members} WHERE workspace = ${workspace} AND role = 'owner'`);
  return Number(row?.[0]) === 1;
}

/** A workspace with members needs an owner: if it has none, its longest member becomes one. */
export async function nameOwners(db: Connection, which: Sql): Promise<void> {
  await db.run(sql`
    UPDATE ${tables.members} SET role = 'owner' WHERE seq IN (
      SELECT min(seq) FROM ${tables.members} WHERE ${which} GROUP BY workspace
      HAVING max(CASE WHEN role = 'owner' THEN 1 ELSE 0 END) = 0)`);
}

function readMember([user, role, email, name]: readonly ColumnValue[]): Member {
  return { user: String(user), email: String(email), name: String(name), role: role as Role };
}
