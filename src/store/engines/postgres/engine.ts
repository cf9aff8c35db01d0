import { randomBytes, randomInt } from 'node:crypto';
import type { Log } from '../../../log.ts';
import { newOrigin } from '../../sql/changes/origin.ts';
import type { Connection } from '../../sql/dialect.ts';
import { endWhatWaited } from '../../sql/dump/after-restore.ts';
import { dumpParts } from '../../sql/dump/dump.ts';
import { keepRemovals, removableTables } from '../../sql/dump/kept-removals.ts';
import { restoreDump } from '../../sql/dump/restore.ts';
import { sqlAdministrators } from '../../sql/instance/administrators.ts';
import { sqlAudit } from '../../sql/instance/audit.ts';
import { sqlBackupRuns } from '../../sql/instance/backup-runs.ts';
import { sqlCoordination } from '../../sql/instance/coordination.ts';
import {
  deleteProject,
  findProject,
  insertProject,
  listProjects,
  updateProject,
} from '../../sql/instance/projects.ts';
import { replaceSchemaVersion } from '../../sql/records/counters.ts';
import { tables } from '../../sql/tables.ts';
import { raw, sql } from '../../sql/tag.ts';
import type { Engine, ProjectRecord } from '../../store.ts';
import { translated } from '../../translated.ts';
import { translate } from './connection/faults.ts';
import { Pool } from './connection/pool.ts';
import { RequestDeadline } from './connection/request-deadline.ts';
import type { Session } from './connection/session.ts';
import { Signals } from './connection/signals.ts';
import { transact } from './connection/transact.ts';
import { Instance } from './instance.ts';
import { ProjectDatabase } from './project-database.ts';
import { openPostgresStore } from './store.ts';
import { projectTablesIn } from './tables/system-tables.ts';
import { lockAlone } from './writes/locks.ts';
import { dropOrphans, dropSchema } from './writes/orphans.ts';
import { restoreWays, restoring } from './writes/restore-ways.ts';

export interface PostgresOptions {
  /** `postgres://user:password@host:port/database` */
  readonly url: string;
  readonly log: Pick<Log, 'info'>;
  /** Connections at most. */
  readonly pool?: number;
  /** Milliseconds that PostgreSQL may work on one statement. */
  readonly statementTimeout?: number;
  /** Milliseconds that a read may take whose cost grows with its collection. */
  readonly queryTimeout?: number;
}

/**
 * A request is answered within ten seconds: by what it asked for, or by a refusal that says to try again. Most ask
 * twice, who the caller is and then what is wanted, and may wait for a connection each time and then for a lock.
 */
const times = { lockTimeout: 3_000, connectTimeout: 4_000, acquireTimeout: 4_000 };
const longestWait = 9_000;

/**
 * Names the schema of a project, and its locks, which take 31 bits. Random and not counted: whoever has a project open
 * whose creation was lost in a failover must not find another one in its place.
 */
const newProjectNumber = () => randomInt(1, 2 ** 31);

/** The number of no project, so that whatever is asked of its store finds that it is gone: they begin with 1. */
const goneAlready = 0;

/** Milliseconds that a replacement, which took long to be made, waits for those who write to the project that is there. */
const replacementWait = 60_000;

/** A name that no project can have, until it has its own. */
const unnamed = () => `~${randomBytes(8).toString('hex')}`;

/** What was to be replaced was deleted meanwhile: all is undone. */
class ReplacedGone extends Error {}

/** The schema `vitrine` says which projects there are; `vitrine_p<seq>` holds all there is of each. */
export function openPostgresEngine({
  url,
  log,
  pool: size = 10,
  statementTimeout = 8_000,
  queryTimeout = 10_000,
}: PostgresOptions): Engine {
  const deadline = new RequestDeadline(longestWait);
  const pool = new Pool({ ...times, url, size, statementTimeout, queryTimeout, deadline, log });
  const signals = new Signals(pool);
  const instance = new Instance(pool, log);
  const { read, write } = instance.reach;
  const databaseOf = async (seq: number) =>
    new ProjectDatabase(pool, signals, seq, (await instance.ready()).trigrams);
  const upgraded = async (seq: number) => {
    const database = await databaseOf(seq);
    if (seq !== goneAlready) await database.upgrade();
    return database;
  };
  let sweeping: Promise<void> | undefined;

  /** Inside a transaction. undefined: the id is taken. */
  async function make(db: Connection, session: Session, project: ProjectRecord) {
    const seq = await insertProject(db, project, newProjectNumber());
    if (seq === undefined) return undefined;
    const database = await databaseOf(seq);
    await db.exec(`CREATE SCHEMA ${database.schema}`);
    const made = database.connect(session);
    await made.exec(projectTablesIn(database.schema));
    await replaceSchemaVersion(made);
    await made.run(newOrigin());
    const secret = randomBytes(32).toString('base64url');
    await made.run(sql`INSERT INTO ${tables.secrets} (name, value) VALUES ('signing', ${secret})`);
    return { db: made, seq, schema: database.schema };
  }

  const seqOf = async (id: string) => {
    const row = await read((db) => db.row(sql`SELECT seq FROM ${tables.projects} WHERE id = ${id}`));
    return Number(row?.[0] ?? goneAlready);
  };

  /** Inside a transaction: the number of the project that was there, which is gone with it. */
  async function takePlace(
    db: Connection,
    session: Session,
    id: string,
    made: { readonly db: Connection; readonly seq: number },
  ): Promise<number> {
    await db.exec(`SET LOCAL lock_timeout = ${replacementWait}`);
    const old = await deleteProject(db, id);
    if (old === undefined) throw new ReplacedGone();
    await db.row(raw(lockAlone(old)));
    const before = (await databaseOf(old)).connect(session);
    const names = removableTables.map((name) => before.dialect.style.table(name));
    await before.exec(`LOCK TABLE ${names.join(', ')} IN SHARE MODE`);
    await keepRemovals(before, made.db);
    await before.run(sql`DELETE FROM ${tables.meta}`);
    await db.run(sql`UPDATE ${tables.projects} SET id = ${id} WHERE seq = ${made.seq}`);
    return old;
  }

  const calls: Omit<Engine, 'administrators' | 'audit' | 'coordination' | 'backupRuns' | 'request'> = {
    listProjects: (page) => read((db) => listProjects(db, page)),
    findProject: (id) => read((db) => findProject(db, id)),
    async createProject(project) {
      await instance.ready();
      return instance.transact(async (db, session) => (await make(db, session, project)) !== undefined);
    },
    updateProject: (id, change, now) => write(({ db }) => updateProject(db, id, change, now)),
    async deleteProject(id) {
      await instance.ready();
      // Whoever has the project open learns from its empty table that it is gone, and nobody waits for tables to be dropped.
      const seq = await instance.transact(async (db, session) => {
        const found = await deleteProject(db, id);
        if (found === undefined) return undefined;
        await db.row(raw(lockAlone(found)));
        await (await databaseOf(found)).connect(session).run(sql`DELETE FROM ${tables.meta}`);
        return found;
      });
      if (seq === undefined) return false;
      await dropSchema(pool, seq).catch(() => {}); // the next start will
      return true;
    },
    async openProject(id) {
      const seq = await seqOf(id);
      sweeping ??= dropOrphans(pool).catch(() => {});
      return openPostgresStore(await upgraded(seq));
    },
    async dumpProject(id, work) {
      const database = await upgraded(await seqOf(id));
      return database.readLong((db) => work({ parts: () => dumpParts(db) }));
    },
    async restoreProject(project, dump, check) {
      await instance.ready();
      // One transaction: to others the project is there with its end, and nothing of it without.
      return transact(pool, restoring, async (session) => {
        const made = await make(instance.connect(session), session, project);
        if (!made) return false;
        await restoreDump(async (step) => step(made.db), dump, restoreWays(made.schema));
        await check({ parts: () => dumpParts(made.db) });
        return true;
      });
    },
    async isOutdated(id) {
      const seq = await seqOf(id);
      return seq !== goneAlready && (await databaseOf(seq)).isOutdated();
    },
    async saveProject(id, to, backups) {
      const database = await databaseOf(await seqOf(id));
      await database.readLong((db) => backups.write(to, { parts: () => dumpParts(db) }));
    },
    async loadProject(project, from, backups, { replace }) {
      await instance.ready();
      const loaded = backups.read(from, (dump) =>
        // One transaction: to others it is there with its end, and everything as it was without.
        transact(pool, restoring, async (session) => {
          const db = instance.connect(session);
          const made = await make(db, session, replace ? { ...project, id: unnamed() } : project);
          if (!made) return undefined;
          await restoreDump(async (step) => step(made.db), dump, restoreWays(made.schema));
          await endWhatWaited(made.db);
          return replace ? takePlace(db, session, project.id, made) : goneAlready;
        }),
      );
      const replaced = await loaded.catch((error: unknown) => {
        if (!(error instanceof ReplacedGone)) throw error;
      });
      if (replaced) await dropSchema(pool, replaced).catch(() => {}); // the next start will
      return replaced !== undefined;
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
    administrators: translated(sqlAdministrators(instance.reach), translate),
    audit: translated(sqlAudit(instance.reach), translate),
    backupRuns: translated(sqlBackupRuns(instance.reach), translate),
    coordination: translated(sqlCoordination(instance.reach), translate),
    request: (work) => deadline.run(work),
  };
}
