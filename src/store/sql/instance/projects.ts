import type { ColumnValue } from '../../../model/field.ts';
import type { Page, Paged } from '../../paged.ts';
import {
  type AuthSettings,
  defaultAuth,
  type ProjectChange,
  type ProjectRecord,
} from '../../project-record.ts';
import { later } from '../accounts/later.ts';
import { paged } from '../accounts/paged.ts';
import type { Connection } from '../dialect.ts';
import { tables } from '../tables.ts';
import { raw, sql } from '../tag.ts';

const columns = raw('id, name, auth, created, updated, changes_days');

export function listProjects(db: Connection, page: Page): Promise<Paged<ProjectRecord>> {
  return paged(db, columns.text, tables.projects, page, ['created', 'id'], readProject);
}

export async function findProject(db: Connection, id: string): Promise<ProjectRecord | undefined> {
  const row = await db.row(sql`SELECT ${columns} FROM ${tables.projects} WHERE id = ${id}`);
  return row && readProject(row);
}

/** Returns the `seq` of its row, the next one unless given. undefined: the id is taken. */
export async function insertProject(
  db: Connection,
  project: ProjectRecord,
  given?: number,
): Promise<number | undefined> {
  const { id, name, auth, created, updated, changes } = project;
  const [column, value] = given === undefined ? [raw(''), raw('')] : [raw('seq, '), sql`${given}, `];
  const row = await db.row(sql`
    INSERT INTO ${tables.projects} (${column}id, name, auth, created, updated, changes_days)
    VALUES (${value}${id}, ${name}, ${JSON.stringify(auth)}, ${created}, ${updated}, ${changes?.days ?? null})
    ON CONFLICT (id) DO NOTHING RETURNING seq`);
  return row && Number(row[0]);
}

export async function updateProject(
  db: Connection,
  id: string,
  merge: (current: ProjectRecord) => ProjectChange,
  now: number,
): Promise<ProjectRecord | undefined> {
  const current = await db.row(
    sql`SELECT ${columns} FROM ${tables.projects} WHERE id = ${id}${db.dialect.forChange}`,
  );
  if (!current) return undefined;
  const { name, auth, changes } = merge(readProject(current));
  const row = await db.row(sql`
    UPDATE ${tables.projects} SET
      name = coalesce(${name ?? null}, name), auth = coalesce(${auth ? JSON.stringify(auth) : null}, auth),
      changes_days = coalesce(${changes?.days ?? null}, changes_days), updated = ${later(now)}
    WHERE id = ${id} RETURNING ${columns}`);
  return row && readProject(row);
}

/** Returns the `seq` of its row. undefined: there was no such project. */
export async function deleteProject(db: Connection, id: string): Promise<number | undefined> {
  const row = await db.row(sql`DELETE FROM ${tables.projects} WHERE id = ${id} RETURNING seq`);
  return row && Number(row[0]);
}

function readProject([id, name, auth, created, updated, days]: readonly ColumnValue[]): ProjectRecord {
  return {
    id: String(id),
    name: String(name),
    auth: { ...defaultAuth, ...(JSON.parse(String(auth)) as Partial<AuthSettings>) },
    created: Number(created),
    updated: Number(updated),
    ...(days != null && { changes: { days: Number(days) } }),
  };
}
