import type { ColumnValue } from '../../../model/field.ts';
import type { Connection } from '../../sql/dialect.ts';
import { deleteProject, findProject, insertProject } from '../../sql/instance/projects.ts';
import { raw, sql } from '../../sql/tag.ts';
import type { ProjectRecord } from '../../store.ts';

/** A project that is being made or deleted: it is not there, and its name is not free. */
export interface Unfinished {
  readonly id: string;
  /** Names this making or deleting, and no other. */
  readonly token: string;
  /** The project to be made; undefined where one is deleted. */
  readonly project: ProjectRecord | undefined;
}

export async function listUnfinished(db: Connection): Promise<Unfinished[]> {
  return (await db.rows(raw('SELECT id, token, project FROM unfinished'))).map(readUnfinished);
}

function readUnfinished([id, token, project]: readonly ColumnValue[]): Unfinished {
  return {
    id: String(id),
    token: String(token),
    project: project === null ? undefined : (JSON.parse(String(project)) as ProjectRecord),
  };
}

/** taken: there is a project of that name. Or what has to be finished first. */
export async function beginCreation(
  db: Connection,
  project: ProjectRecord,
  token: string,
): Promise<'begun' | 'taken' | Unfinished> {
  const { id } = project;
  if (await findProject(db, id)) return 'taken';
  const row = await db.row(sql`SELECT id, token, project FROM unfinished WHERE id = ${id}`);
  if (row) return readUnfinished(row);
  await insertUnfinished(db, id, token, JSON.stringify(project));
  return 'begun';
}

/** false: there is no such project. */
export async function beginDeletion(db: Connection, id: string, token: string): Promise<boolean> {
  if ((await deleteProject(db, id)) === undefined) return false;
  await insertUnfinished(db, id, token, null);
  return true;
}

async function insertUnfinished(db: Connection, id: string, token: string, project: string | null) {
  await db.run(sql`INSERT INTO unfinished (id, token, project) VALUES (${id}, ${token}, ${project})`);
}

/** Does nothing where somebody else has finished it meanwhile. */
export async function finish(db: Connection, { token, project }: Unfinished): Promise<void> {
  if ((await forget(db, token)) && project) await insertProject(db, project);
}

/** Whether it was still to be finished. */
export async function forget(db: Connection, token: string): Promise<boolean> {
  return (await db.run(sql`DELETE FROM unfinished WHERE token = ${token}`)) > 0;
}
