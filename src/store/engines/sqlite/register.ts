import type { ColumnValue } from '../../../model/field.ts';
import type { ProjectRecord } from '../../project-record.ts';
import type { Connection } from '../../sql/dialect.ts';
import { noteRestored } from '../../sql/instance/backup-runs.ts';
import { deleteProject, findProject, insertProject } from '../../sql/instance/projects.ts';
import { raw, sql } from '../../sql/tag.ts';

/**
 * A project that is being created or deleted, which does not exist but whose id is reserved; or one that is being replaced,
 * which exists.
 */
export interface Unfinished {
  readonly id: string;
  /** Unique to this creation, replacement or deletion. */
  readonly token: string;
  /** The project to create; undefined for a deletion. */
  readonly project: ProjectRecord | undefined;
  /** The restore that creates it. */
  readonly run?: string | undefined;
}

/** What is created, as it is stored. */
type Created = ProjectRecord & Pick<Unfinished, 'run'>;

export async function listUnfinished(db: Connection): Promise<Unfinished[]> {
  return (await db.rows(raw('SELECT id, token, project FROM unfinished'))).map(readUnfinished);
}

function readUnfinished([id, token, project]: readonly ColumnValue[]): Unfinished {
  const begun = { id: String(id), token: String(token) };
  if (project === null) return { ...begun, project: undefined };
  const { run, ...created } = JSON.parse(String(project)) as Created;
  return { ...begun, project: created, run };
}

async function findUnfinished(db: Connection, id: string): Promise<Unfinished | undefined> {
  const row = await db.row(sql`SELECT id, token, project FROM unfinished WHERE id = ${id}`);
  return row && readUnfinished(row);
}

/** taken: the project exists. Otherwise begun, or what has to be finished first. */
export async function beginCreation(
  db: Connection,
  project: Created,
  token: string,
): Promise<'begun' | 'taken' | Unfinished> {
  const { id } = project;
  if (await findProject(db, id)) return 'taken';
  const unfinished = await findUnfinished(db, id);
  if (unfinished) return unfinished;
  await insertUnfinished(db, id, token, JSON.stringify(project));
  return 'begun';
}

/**
 * The project stays in the register until its replacement takes over. absent: there is none. Otherwise begun, or what has to be
 * finished first.
 */
export async function beginReplacement(
  db: Connection,
  project: Created,
  token: string,
): Promise<'begun' | 'absent' | Unfinished> {
  const { id } = project;
  const unfinished = await findUnfinished(db, id);
  if (unfinished) return unfinished;
  if (!(await findProject(db, id))) return 'absent';
  await insertUnfinished(db, id, token, JSON.stringify(project));
  return 'begun';
}

/** absent: there is no such project. Otherwise begun, or what has to be finished first. */
export async function beginDeletion(
  db: Connection,
  id: string,
  token: string,
): Promise<'begun' | 'absent' | Unfinished> {
  if (!(await findProject(db, id))) return 'absent';
  const unfinished = await findUnfinished(db, id);
  if (unfinished) return unfinished;
  await deleteProject(db, id);
  await insertUnfinished(db, id, token, null);
  return 'begun';
}

async function insertUnfinished(db: Connection, id: string, token: string, project: string | null) {
  await db.run(sql`INSERT INTO unfinished (id, token, project) VALUES (${id}, ${token}, ${project})`);
}

/** Whether it is to replace an existing project. */
export async function isReplacement(db: Connection, { id, project }: Unfinished): Promise<boolean> {
  return project !== undefined && (await findProject(db, id)) !== undefined;
}

/** Does nothing if somebody else has finished it in the meantime. */
export async function finish(db: Connection, { id, token, project, run }: Unfinished): Promise<void> {
  if (!(await forget(db, token)) || !project) return;
  await deleteProject(db, id); // the one that it replaces
  await insertProject(db, project);
  await noteRestored(db, run);
}

/** Whether it was still unfinished. */
export async function forget(db: Connection, token: string): Promise<boolean> {
  return (await db.run(sql`DELETE FROM unfinished WHERE token = ${token}`)) > 0;
}
