import type { Engine } from '../../engine.ts';
import { PageCache } from '../../page-cache.ts';
import { ProjectGone } from '../../schema.ts';
import { accessAs } from '../../sql/accounts/check-authority.ts';
import { type AdministratorCalls, sqlAdministrators } from '../../sql/instance/administrators.ts';
import { sqlAudit } from '../../sql/instance/audit.ts';
import { sqlBackupRuns } from '../../sql/instance/backup-runs.ts';
import { sqlCoordination } from '../../sql/instance/coordination.ts';
import { findProject, listProjects, updateProject } from '../../sql/instance/projects.ts';
import { translated } from '../../translated.ts';
import { openDirectory } from './connection/data-directory.ts';
import { directoryBytes } from './connection/directory-bytes.ts';
import type { SqliteDriver } from './connection/driver.ts';
import { translate } from './connection/faults.ts';
import { type FileSystem, fileSystem } from './connection/file-system.ts';
import { openInstance } from './connection/instance.ts';
import { isOutdated } from './connection/project-file.ts';
import { ProjectLifecycle } from './project-lifecycle.ts';
import { localReaders } from './readers/local-readers.ts';
import type { Readers } from './readers/readers.ts';
import { type CostLimits, costLimits } from './reads/costs.ts';
import { RecordCache } from './reads/record-cache.ts';
import { readSnapshot } from './reads/snapshot.ts';
import { openSqliteStore, type StoreReads } from './store.ts';
import { localWriters } from './writes/local-writers.ts';
import { draftOf } from './writes/project-files.ts';
import type { Writers } from './writes/writers.ts';

/** Entries of the audit that a list goes through at once, in 2 to 4 ms: a million kept the thread that serves for 0.2 s. */
const auditAtOnce = 10_000;

export interface EngineOptions {
  readonly files?: FileSystem;
  /** Performs reads whose cost grows with a collection; default: this thread, in slices. */
  readonly readers?: Readers;
  /** What counts as expensive, for tests that want everything to be. */
  readonly limits?: CostLimits;
  /** Whether other processes serve the same directory. */
  readonly isShared?: boolean;
  /** A monotonic clock in milliseconds, by which processes wait for each other. */
  readonly clock?: (() => number) | undefined;
}

/** `instance.db` lists the projects; everything in a project is in `projects/<id>.db`. */
export function openSqliteEngine(
  driver: SqliteDriver,
  directory: string,
  writers: Writers = localWriters(driver),
  options: EngineOptions = {},
): Engine {
  const { files = fileSystem, readers = localReaders(driver) } = options;
  const { limits = costLimits, isShared = false } = options;
  const place = openDirectory(files, directory);
  const instance = openInstance(driver, place.instance);
  const lifecycle = new ProjectLifecycle(instance, writers, place.projects);
  const reads: StoreReads = {
    ...{ readers, limits, isShared },
    ...{ pages: new PageCache(), records: new RecordCache() },
  };
  const find = async (id: string) => {
    await lifecycle.ready(id);
    return instance.read((db) => findProject(db, id));
  };

  const calls: Omit<Engine, 'administrators' | 'audit' | 'coordination' | 'backupRuns'> = {
    async listProjects(page) {
      await lifecycle.ready();
      return instance.read((db) => listProjects(db, page));
    },
    findProject: find,
    createProject: (project, authority) => lifecycle.create(project, { authority }),
    updateProject: (id, merge, now, authority) =>
      accessAs(instance, authority).write(({ db }) => updateProject(db, id, merge, now)),
    deleteProject: (id, options) => lifecycle.delete(id, options),
    openProject: (id) => openSqliteStore(driver, writers, reads, lifecycle.pathOf(id)),
    async dumpProject(id, work) {
      const project = await find(id);
      if (!project) throw new ProjectGone();
      return readSnapshot(driver, lifecycle.pathOf(id), (dump) => work(dump, project));
    },
    async restoreProject(project, dump, check) {
      if (await find(project.id)) return false;
      const draft = (path: string, token: string) => writers.restore(path, token, dump, check);
      return lifecycle.create(project, { draft });
    },
    async isOutdated(id) {
      const path = lifecycle.pathOf(id);
      return files.exists(path) && isOutdated(driver, path);
    },
    async saveProject(id, to, backups) {
      if (!(await find(id))) throw new ProjectGone();
      await backups.copy(lifecycle.pathOf(id), to);
    },
    async loadProject(project, from, backups, { replace, ...permit }) {
      const draft = async (path: string, token: string) => {
        await writers.draft(path, token);
        await backups.restore(draftOf(path, token), from);
      };
      return replace
        ? lifecycle.replace(project, draft, permit)
        : lifecycle.create(project, { draft, ...permit });
    },
    finishProjects: async () => new Set((await lifecycle.finishAll()).map(({ token }) => token)),
    storageBytes: () => directoryBytes([directory, place.projects]),
    async close() {
      await readers.close();
      await writers.close();
      await instance.close();
    },
  };
  return {
    ...translated(calls, translate),
    administrators: sqlAdministrators(instance, (calls) => translated(settling(calls, writers), translate)),
    audit: translated(sqlAudit(instance, auditAtOnce), translate),
    backupRuns: translated(sqlBackupRuns(instance), translate),
    coordination: {
      ...translated(sqlCoordination(instance, options.clock), translate),
      // A directory belongs to a single process and its worker threads, which take no lease.
      takeLease: async () => true,
      async leaveLease() {},
    },
  };
}

/**
 * Sessions of administrators are in another file than the data written under their authority. A call that ends some is answered
 * once all transactions that may have found them valid are over; later ones find them gone.
 */
function settling(calls: AdministratorCalls, writers: Writers): AdministratorCalls {
  const settled = async <T>(answer: T): Promise<T> => {
    await writers.settled();
    return answer;
  };
  return {
    ...calls,
    endSession: (digest) => calls.endSession(digest).then(settled),
    remove: (isIt, isTheirs) => calls.remove(isIt, isTheirs).then(settled),
    save: (email, hash) => calls.save(email, hash).then(settled),
    completeSetup: (digest, email, hash, now) => calls.completeSetup(digest, email, hash, now).then(settled),
  };
}
