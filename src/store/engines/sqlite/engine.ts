import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { ColumnValue } from '../../../model/field.ts';
import { raw, sql } from '../../sql/tag.ts';
import { type AuthSettings, defaultAuth, type Engine, type ProjectRecord } from '../../store.ts';
import { paged } from './accounts/paged.ts';
import { createAdministratorTables, sqliteAdministrators } from './administrators.ts';
import type { Database } from './database.ts';
import type { SqliteDriver } from './driver.ts';
import { translate } from './faults.ts';
import { openFile } from './project-file.ts';
import { openSqliteStore } from './store.ts';

/** `instance.db` says which projects there are; `projects/<id>.db` holds all there is of each. */
export function openSqliteEngine(driver: SqliteDriver, directory: string): Engine {
  const projects = join(directory, 'projects');
  mkdirSync(projects, { recursive: true });
  const instance = openFile(driver, join(directory, 'instance.db'), createInstanceTables);
  const creating = new Set<string>();
  const pathOf = (id: string) => join(projects, `${id}.db`);
  const find = (id: string) => {
    const row = instance.row(sql`SELECT ${columns} FROM projects WHERE id = ${id}`);
    return row && projectRecord(row);
  };

  const calls: Omit<Engine, 'administrators'> = {
    listProjects: async (page) => paged(instance, columns.text, raw('projects'), page, 'seq', projectRecord),
    findProject: async (id) => find(id),
    async createProject({ id, name, auth, created, updated }) {
      if (find(id) || creating.has(id)) return false;
      creating.add(id);
      try {
        setAside(pathOf(id), created);
        await openSqliteStore(driver, pathOf(id)).close();
        instance.run(sql`
          INSERT INTO projects (id, name, auth, created, updated)
          VALUES (${id}, ${name}, ${JSON.stringify(auth)}, ${created}, ${updated})`);
        return true;
      } finally {
        creating.delete(id);
      }
    },
    async updateProject(id, { name, auth }, now) {
      instance.run(sql`
        UPDATE projects SET
          name = coalesce(${name ?? null}, name), auth = coalesce(${auth ? JSON.stringify(auth) : null}, auth),
          updated = max(${now}, updated + 1)
        WHERE id = ${id}`);
      return find(id);
    },
    async deleteProject(id) {
      // First out of the register: a crash in between leaves a file that no project owns, not a project without one.
      instance.run(sql`DELETE FROM projects WHERE id = ${id}`);
      for (const suffix of ['', '-wal', '-shm']) rmSync(`${pathOf(id)}${suffix}`, { force: true });
    },
    openProject: async (id) => openSqliteStore(driver, pathOf(id)),
    async close() {
      instance.close();
    },
  };
  return { ...translated(calls), administrators: translated(sqliteAdministrators(instance)) };
}

/** The same calls, with faults of the disk told as what they are to a caller. */
function translated<T extends object>(calls: T): T {
  const wrap = (call: (...words: unknown[]) => Promise<unknown>) => {
    return (...words: unknown[]) =>
      call(...words).catch((error: unknown) => {
        throw translate(error);
      });
  };
  return Object.fromEntries(Object.entries(calls).map(([name, call]) => [name, wrap(call)])) as T;
}

const columns = raw('id, name, auth, created, updated');

function createInstanceTables(db: Database): void {
  db.exec(`
    CREATE TABLE projects (
      seq INTEGER PRIMARY KEY AUTOINCREMENT,
      id TEXT NOT NULL UNIQUE,
      name TEXT NOT NULL,
      auth TEXT NOT NULL,
      created INTEGER NOT NULL,
      updated INTEGER NOT NULL
    );
  `);
  createAdministratorTables(db);
}

function projectRecord([id, name, auth, created, updated]: readonly ColumnValue[]): ProjectRecord {
  return {
    id: String(id),
    name: String(name),
    auth: { ...defaultAuth, ...(JSON.parse(String(auth)) as Partial<AuthSettings>) },
    created: Number(created),
    updated: Number(updated),
  };
}

/** A file that no project owns is not for a new project to inherit, nor ours to delete. */
function setAside(path: string, at: number): void {
  if (!existsSync(path)) return;
  renameSync(path, `${path}.orphan-${at}`);
  for (const suffix of ['-wal', '-shm']) rmSync(`${path}${suffix}`, { force: true });
}
