import type { Log } from '../../../log.ts';
import type { Engine } from '../../engine.ts';
import { PageCache } from '../../page-cache.ts';
import { ProjectGone } from '../../schema.ts';
import { accessAs } from '../../sql/accounts/check-authority.ts';
import { dumpParts } from '../../sql/dump/dump.ts';
import { sqlAdministrators } from '../../sql/instance/administrators.ts';
import { sqlAudit } from '../../sql/instance/audit.ts';
import { sqlBackupRuns } from '../../sql/instance/backup-runs.ts';
import { sqlCoordination } from '../../sql/instance/coordination.ts';
import { sqlFailedSignIns } from '../../sql/instance/failed-sign-ins.ts';
import { findProject, listProjects, updateProject } from '../../sql/instance/projects.ts';
import { tables } from '../../sql/tables.ts';
import { raw, sql } from '../../sql/tag.ts';
import { translated } from '../../translated.ts';
import { translate } from './connection/faults.ts';
import { Pool } from './connection/pool.ts';
import { RequestDeadline } from './connection/request-deadline.ts';
import { Signals } from './connection/signals.ts';
import { Instance } from './instance.ts';
import { ProjectDatabase } from './project-database.ts';
import { ProjectLifecycle } from './project-lifecycle.ts';
import { openPostgresStore } from './store.ts';
import { dropOrphans } from './writes/orphans.ts';

export interface PostgresOptions {
  /** `postgres://user:password@host:port/database` */
  readonly url: string;
  readonly log: Pick<Log, 'info'>;
  /** Maximum number of connections. */
  readonly pool?: number;
  /** Milliseconds that a request may wait for PostgreSQL, over all its statements. */
  readonly requestTimeout?: number;
  /** Milliseconds; bounds one statement on the server. */
  readonly statementTimeout?: number;
  /** Milliseconds; bounds a read whose cost grows with its collection. */
  readonly queryTimeout?: number;
  /** A monotonic clock in milliseconds, by which processes wait for each other. */
  readonly clock?: (() => number) | undefined;
}

/** A request is answered within ten seconds: with its result, or with an error that says to try again. */
const defaultRequestTimeout = 9_000;

/**
 * Most requests access the database twice, to authenticate and to do their work, and may wait for a connection each time and
 * then for a lock.
 */
function timesWithin(requestTimeout: number) {
  const connection = Math.round((4 * requestTimeout) / 9);
  return {
    lockTimeout: Math.round(requestTimeout / 3),
    connectTimeout: connection,
    acquireTimeout: connection,
  };
}

/** Not the number of any project (those begin with 1), so whatever is asked of such a store finds that the project is gone. */
const goneAlready = 0;

/** The schema `vitrine` lists the projects; everything in a project is in `vitrine_p<seq>`. */
export function openPostgresEngine({
  url,
  log,
  pool: size = 10,
  requestTimeout = defaultRequestTimeout,
  statementTimeout = 8_000,
  queryTimeout = 10_000,
  clock,
}: PostgresOptions): Engine {
  const deadline = new RequestDeadline(requestTimeout);
  const times = { ...timesWithin(requestTimeout), statementTimeout, queryTimeout };
  const pool = new Pool({ ...times, url, size, deadline, log });
  const signals = new Signals(pool);
  const instance = new Instance(pool, log);
  const { read } = instance.access;
  const databaseOf = async (seq: number) =>
    new ProjectDatabase(pool, signals, seq, (await instance.ready()).trigrams);
  const upgraded = async (seq: number) => {
    const database = await databaseOf(seq);
    if (seq !== goneAlready) await database.upgrade();
    return database;
  };
  const pages = new PageCache();
  const lifecycle = new ProjectLifecycle(pool, instance, databaseOf);
  let sweeping: Promise<void> | undefined;

  const seqOf = async (id: string) => {
    const row = await read((db) => db.row(sql`SELECT seq FROM ${tables.projects} WHERE id = ${id}`));
    return Number(row?.[0] ?? goneAlready);
  };

  const calls: Omit<
    Engine,
    'administrators' | 'audit' | 'coordination' | 'backupRuns' | 'failedSignIns' | 'request'
  > = {
    listProjects: (page) => read((db) => listProjects(db, page)),
    findProject: (id) => read((db) => findProject(db, id)),
    createProject: (project, authority) => lifecycle.create(project, authority),
    updateProject: (id, merge, now, authority) =>
      accessAs(instance.access, authority).write(({ db }) => updateProject(db, id, merge, now)),
    deleteProject: (id, options) => lifecycle.delete(id, options),
    async openProject(id) {
      const seq = await seqOf(id);
      sweeping ??= dropOrphans(pool).catch(() => {});
      return openPostgresStore(await upgraded(seq), pages);
    },
    async dumpProject(id, work) {
      const database = await upgraded(await seqOf(id));
      return database.readLong(async (db, session) => {
        const project = await findProject(instance.connect(session), id);
        if (!project) throw new ProjectGone();
        return work({ parts: () => dumpParts(db) }, project);
      });
    },
    restoreProject: (project, dump, check) => lifecycle.restore(project, dump, check),
    async isOutdated(id) {
      const seq = await seqOf(id);
      return seq !== goneAlready && (await databaseOf(seq)).isOutdated();
    },
    async saveProject(id, to, backups) {
      const database = await databaseOf(await seqOf(id));
      await database.readLong((db) => backups.write(to, { parts: () => dumpParts(db) }));
    },
    async loadProject(project, from, backups, { replace, ...permit }) {
      // Deletions are looked up in the existing project, in tables that an earlier version may not have created.
      if (replace) await upgraded(await seqOf(project.id));
      return backups.read(from, (dump) =>
        replace ? lifecycle.replace(project, dump, permit) : lifecycle.load(project, dump, permit),
      );
    },
    async storageBytes() {
      const row = await read((db) => db.row(raw('SELECT pg_database_size(current_database())')));
      return { database: Number(row?.[0]), wal: Number.NaN };
    },
    async close() {
      await sweeping;
      signals.close();
      await pool.close();
    },
  };
  return {
    ...translated(calls, translate),
    administrators: sqlAdministrators(instance.access, (calls) => translated(calls, translate)),
    audit: translated(sqlAudit(instance.access), translate),
    backupRuns: translated(sqlBackupRuns(instance.access), translate),
    coordination: translated(sqlCoordination(instance.access, clock), translate),
    failedSignIns: translated(sqlFailedSignIns(instance.access), translate),
    request: (work) => deadline.run(work),
  };
}
