import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { ProjectGone } from '../../schema.ts';
import { sqlAdministrators } from '../../sql/instance/administrators.ts';
import {
  deleteProject,
  findProject,
  insertProject,
  listProjects,
  updateProject,
} from '../../sql/instance/projects.ts';
import type { Engine } from '../../store.ts';
import { translated } from '../../translated.ts';
import type { SqliteDriver } from './connection/driver.ts';
import { translate } from './connection/faults.ts';
import { openInstance } from './connection/instance.ts';
import { PageCache } from './reads/page-cache.ts';
import { readSnapshot } from './reads/snapshot.ts';
import { openSqliteStore } from './store.ts';
import { localWriters } from './writes/local-writers.ts';
import type { Writers } from './writes/writers.ts';

/** `instance.db` says which projects there are; `projects/<id>.db` holds all there is of each. */
export function openSqliteEngine(
  driver: SqliteDriver,
  directory: string,
  writers: Writers = localWriters(driver),
): Engine {
  const projects = join(directory, 'projects');
  mkdirSync(projects, { recursive: true });
  const instance = openInstance(driver, join(directory, 'instance.db'));
  const pathOf = (id: string) => join(projects, `${id}.db`);
  const pages = new PageCache();
  const find = (id: string) => instance.read((db) => findProject(db, id));

  const calls: Omit<Engine, 'administrators'> = {
    listProjects: (page) => instance.read((db) => listProjects(db, page)),
    findProject: find,
    async createProject(project) {
      const { id, created } = project;
      // First into the register, which decides whose the name is; a project without a file gets one when it is opened.
      if ((await instance.write(({ db }) => insertProject(db, project))) === undefined) return false;
      try {
        await writers.create(pathOf(id), created);
      } catch (error) {
        await instance.write(({ db }) => deleteProject(db, id));
        throw error;
      }
      return true;
    },
    updateProject: (id, change, now) => instance.write(({ db }) => updateProject(db, id, change, now)),
    async deleteProject(id) {
      // First out of the register: a crash in between leaves a file that no project owns, not a project without one.
      const deleted = await instance.write(async ({ db }) => {
        const found = await findProject(db, id);
        await deleteProject(db, id);
        return found;
      });
      if (deleted) await writers.remove(pathOf(id), deleted.created);
    },
    openProject: (id) => openSqliteStore(driver, writers, pages, pathOf(id)),
    async dumpProject(id, work) {
      if (!(await find(id))) throw new ProjectGone();
      return readSnapshot(driver, pathOf(id), work);
    },
    async restoreProject(project, dump, check) {
      const { id, created } = project;
      if (await find(id)) return false;
      // The register comes last: a crash before leaves a file that no project owns, as a deletion would.
      await writers.restore(pathOf(id), created, dump, check);
      try {
        return (await instance.write(({ db }) => insertProject(db, project))) !== undefined;
      } catch (error) {
        await writers.remove(pathOf(id), created);
        throw error;
      }
    },
    async close() {
      await writers.close();
      await instance.close();
    },
  };
  return {
    ...translated(calls, translate),
    administrators: translated(sqlAdministrators(instance), translate),
  };
}
