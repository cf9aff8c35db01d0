import type { ColumnValue } from '../../../../model/field.ts';
import type { Accounts, Role, Workspace } from '../../../accounts.ts';
import { raw, sql } from '../../../sql/tag.ts';
import type { Database } from '../database.ts';
import type { Reach } from './accounts.ts';
import { paged } from './paged.ts';

type WorkspaceCalls = Pick<
  Accounts,
  | 'createWorkspace'
  | 'findWorkspace'
  | 'listWorkspaces'
  | 'renameWorkspace'
  | 'deleteWorkspace'
  | 'listWorkspacesOf'
  | 'firstWorkspaceOf'
  | 'findRole'
  | 'listMembers'
  | 'addMember'
  | 'removeMember'
>;

const columns = 'workspaces.id, workspaces.name, workspaces.created, workspaces.updated';

export function workspaceCalls({ read, write }: Reach): WorkspaceCalls {
  return {
    createWorkspace: ({ id, name, created, updated }, owner) =>
      write(({ db }) => {
        db.run(sql`
          INSERT INTO workspaces (id, name, created, updated) VALUES (${id}, ${name}, ${created}, ${updated})`);
        if (owner !== undefined) insertMember(db, id, owner, 'owner');
      }),
    findWorkspace: (id) => read((db) => findWorkspace(db, id)),
    listWorkspaces: (page) => read((db) => paged(db, columns, raw('workspaces'), page, 'seq', readWorkspace)),
    renameWorkspace: (id, name, now) =>
      write(({ db }) => {
        db.run(
          sql`UPDATE workspaces SET name = ${name}, updated = max(${now}, updated + 1) WHERE id = ${id}`,
        );
        return findWorkspace(db, id);
      }),
    deleteWorkspace: (id) =>
      write(({ db }) => {
        db.run(sql`DELETE FROM members WHERE workspace = ${id}`);
        return db.run(sql`DELETE FROM workspaces WHERE id = ${id}`) > 0;
      }),
    listWorkspacesOf: (user, page) =>
      read((db) => {
        const from = sql`members JOIN workspaces ON workspaces.id = members.workspace WHERE members.user = ${user}`;
        return paged(db, `${columns}, role`, from, page, 'members.seq', (row) => {
          return { ...readWorkspace(row), role: row[4] as Role };
        });
      }),
    firstWorkspaceOf: (user) => read((db) => firstWorkspace(db, user)),
    findRole: (workspace, user) => read((db) => findRole(db, workspace, user)),
    listMembers: (workspace, page) =>
      read((db) => {
        const from = sql`members JOIN users ON users.id = members.user WHERE members.workspace = ${workspace}`;
        return paged(
          db,
          'users.id, email, name, role',
          from,
          page,
          'members.seq',
          ([user, email, name, role]) => {
            return { user: String(user), email: String(email), name: String(name), role: role as Role };
          },
        );
      }),
    addMember: (workspace, user, role) =>
      write(({ db }) => {
        if (findRole(db, workspace, user)) return false;
        insertMember(db, workspace, user, role);
        return true;
      }),
    removeMember: (workspace, user) =>
      write(({ db }) => {
        const role = findRole(db, workspace, user);
        if (!role) return 'absent';
        if (role === 'owner' && isLastOwner(db, workspace)) return 'lastOwner';
        db.run(sql`DELETE FROM members WHERE workspace = ${workspace} AND user = ${user}`);
        return 'removed';
      }),
  };
}

export function firstWorkspace(db: Database, user: string): string | null {
  const row = db.row(sql`SELECT workspace FROM members WHERE user = ${user} ORDER BY seq LIMIT 1`);
  return row ? String(row[0]) : null;
}

function findWorkspace(db: Database, id: string): Workspace | undefined {
  const row = db.row(sql`SELECT ${raw(columns)} FROM workspaces WHERE id = ${id}`);
  return row && readWorkspace(row);
}

function findRole(db: Database, workspace: string, user: string): Role | undefined {
  const row = db.row(sql`SELECT role FROM members WHERE workspace = ${workspace} AND user = ${user}`);
  return row && (row[0] as Role);
}

function insertMember(db: Database, workspace: string, user: string, role: Role): void {
  db.run(sql`INSERT INTO members (workspace, user, role) VALUES (${workspace}, ${user}, ${role})`);
}

/** Someone has to be able to add members, as long as there is anybody else. */
function isLastOwner(db: Database, workspace: string): boolean {
  const row = db.row(sql`
    SELECT count(*) FILTER (WHERE role = 'owner'), count(*) FROM members WHERE workspace = ${workspace}`);
  return Number(row?.[0]) === 1 && Number(row?.[1]) > 1;
}

function readWorkspace([id, name, created, updated]: readonly ColumnValue[]): Workspace {
  return { id: String(id), name: String(name), created: Number(created), updated: Number(updated) };
}
