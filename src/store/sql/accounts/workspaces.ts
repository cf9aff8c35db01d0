import { Failure } from '../../../failure.ts';
import type { ColumnValue } from '../../../model/field.ts';
import type { Accounts, Departure, Workspace } from '../../accounts.ts';
import type { Role } from '../../roles.ts';
import type { Connection } from '../dialect.ts';
import { tables } from '../tables.ts';
import { raw, sql } from '../tag.ts';
import type { AccountsAccess } from './accounts-access.ts';
import { later } from './later.ts';
import { insertMember, isUser, lockWorkspace } from './members.ts';
import { paged } from './paged.ts';
import { removeWorkspace } from './remove-workspace.ts';

type WorkspaceCalls = Pick<
  Accounts,
  | 'createWorkspace'
  | 'findWorkspace'
  | 'listWorkspaces'
  | 'renameWorkspace'
  | 'deleteWorkspace'
  | 'listDepartures'
  | 'endDeparture'
  | 'listWorkspacesOf'
>;

const columns = raw('id, name, created, updated');
const joinedColumns = 'workspaces.id, workspaces.name, workspaces.created, workspaces.updated, role';

export function workspaceCalls({ read, write }: AccountsAccess): WorkspaceCalls {
  return {
    createWorkspace: ({ id, name, created, updated }, owner) =>
      write(async ({ db }) => {
        const joins = owner !== undefined && (await isUser(db, owner));
        if (joins && (await isInMany(db, owner))) throw tooMany();
        await db.run(sql`
          INSERT INTO ${tables.workspaces} (id, name, created, updated) VALUES (${id}, ${name}, ${created}, ${updated})`);
        if (joins) await insertMember(db, id, owner, 'owner');
      }),
    async findWorkspace(id) {
      const row = await read((db) =>
        db.row(sql`SELECT ${columns} FROM ${tables.workspaces} WHERE id = ${id}`),
      );
      return row && readWorkspace(row);
    },
    listWorkspaces: (page) =>
      read((db) => paged(db, columns.text, tables.workspaces, page, ['seq'], readWorkspace)),
    listWorkspacesOf: (user, page) =>
      read((db) => {
        const from = sql`${tables.members} JOIN ${tables.workspaces} ON workspaces.id = members.workspace WHERE members."user" = ${user}`;
        return paged(db, joinedColumns, from, page, ['members.seq'], (row) => {
          return { ...readWorkspace(row), role: row[4] as Role };
        });
      }),
    renameWorkspace: (id, name, now) =>
      write(async ({ db }) => {
        const row = await db.row(sql`
          UPDATE ${tables.workspaces} SET name = ${name}, updated = ${later(now)} WHERE id = ${id} RETURNING ${columns}`);
        return row && readWorkspace(row);
      }),
    deleteWorkspace: (id, records, now) =>
      write(async ({ db }) => {
        if (!(await lockWorkspace(db, id))) return false;
        await removeWorkspace(db, id, records, now);
        return true;
      }),
    async listDepartures() {
      const rows = await read((db) =>
        db.rows(sql`SELECT id, kind FROM ${tables.departures} ORDER BY created, id`),
      );
      return rows.map(([id, kind]) => ({ id: String(id), kind: kind as Departure['kind'] }));
    },
    endDeparture: (id) =>
      write(async ({ db }) => {
        await db.run(sql`DELETE FROM ${tables.departures} WHERE id = ${id}`);
      }),
  };
}

/**
 * Workspaces that a user may be in and still create more: a loop could create any number, all of which are deleted at once with
 * the account.
 */
const mostOfUser = 10_000;

async function isInMany(db: Connection, user: string): Promise<boolean> {
  const row = await db.row(
    sql`SELECT 1 FROM ${tables.members} WHERE "user" = ${user} LIMIT 1 OFFSET ${mostOfUser - 1}`,
  );
  return row !== undefined;
}

const tooMany = () =>
  new Failure('conflict', `You are in ${mostOfUser} workspaces already: leave or delete some of them first`);

function readWorkspace([id, name, created, updated]: readonly ColumnValue[]): Workspace {
  return { id: String(id), name: String(name), created: Number(created), updated: Number(updated) };
}
