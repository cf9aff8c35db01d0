import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { ColumnValue } from '../../../model/field.ts';
import { sql } from '../../sql/tag.ts';
import type { Engine, ProjectRecord } from '../../store.ts';
import type { Database } from './database.ts';
import type { SqliteDriver } from './driver.ts';
import { openFile } from './project-file.ts';
import { openSqliteStore } from './store.ts';

/** `instance.db` says which projects there are; `projects/<id>.db` holds all there is of each. */
export function openSqliteEngine(driver: SqliteDriver, directory: string): Engine {
  const projects = join(directory, 'projects');
  mkdirSync(projects, { recursive: true });
  const instance = openFile(driver, join(directory, 'instance.db'), createInstanceTables);
  const pathOf = (id: string) => join(projects, `${id}.db`);
  const find = (id: string) => instance.row(sql`SELECT id, name, created FROM projects WHERE id = ${id}`);

  return {
    async listProjects({ limit, offset }) {
      const total = Number(instance.row(sql`SELECT count(*) FROM projects`)?.[0]);
      const rows = instance.rows(
        sql`SELECT id, name, created FROM projects ORDER BY seq LIMIT ${limit} OFFSET ${offset}`,
      );
      return { total, found: rows.map(projectRecord) };
    },
    async findProject(id) {
      const row = find(id);
      return row && projectRecord(row);
    },
    async createProject({ id, name, createdAt }) {
      if (find(id)) return false;
      setAside(pathOf(id), createdAt);
      await openSqliteStore(driver, pathOf(id)).close();
      instance.run(sql`INSERT INTO projects (id, name, created) VALUES (${id}, ${name}, ${createdAt})`);
      return true;
    },
    openProject: async (id) => openSqliteStore(driver, pathOf(id)),
    async close() {
      instance.close();
    },
  };
}

function createInstanceTables(db: Database): void {
  db.exec(`
    CREATE TABLE projects (
      seq INTEGER PRIMARY KEY AUTOINCREMENT,
      id TEXT NOT NULL UNIQUE,
      name TEXT NOT NULL,
      created INTEGER NOT NULL
    );
  `);
}

function projectRecord([id, name, created]: readonly ColumnValue[]): ProjectRecord {
  return { id: String(id), name: String(name), createdAt: Number(created) };
}

/** A file that no project owns is not for a new project to inherit, nor ours to delete. */
function setAside(path: string, at: number): void {
  if (!existsSync(path)) return;
  renameSync(path, `${path}.orphan-${at}`);
  for (const suffix of ['-wal', '-shm']) rmSync(`${path}${suffix}`, { force: true });
}
