import { randomBytes, randomInt } from 'node:crypto';
import type { Authority } from '../../../access/authority.ts';
import type { Dump } from '../../dump.ts';
import type { DeleteOptions, Permit } from '../../engine.ts';
import { losesRecords } from '../../loses-records.ts';
import type { ProjectRecord } from '../../project-record.ts';
import { checkAuthority } from '../../sql/accounts/check-authority.ts';
import { newOrigin } from '../../sql/changes/origin.ts';
import type { Connection } from '../../sql/dialect.ts';
import { endWhatWaited } from '../../sql/dump/after-restore.ts';
import { dumpParts } from '../../sql/dump/dump.ts';
import { beginLine } from '../../sql/dump/history.ts';
import { keepRemovals, removableTables } from '../../sql/dump/kept-removals.ts';
import { restoreDump } from '../../sql/dump/restore.ts';
import { checkRun, noteRestored } from '../../sql/instance/backup-runs.ts';
import { noteWaitingWork } from '../../sql/instance/noted-work.ts';
import { deleteProject, insertProject } from '../../sql/instance/projects.ts';
import { replaceSchemaVersion } from '../../sql/records/counters.ts';
import { countAllRecords } from '../../sql/schema/count-records.ts';
import { tables } from '../../sql/tables.ts';
import { raw, sql } from '../../sql/tag.ts';
import type { Pool } from './connection/pool.ts';
import type { Session } from './connection/session.ts';
import { transact } from './connection/transact.ts';
import type { Instance } from './instance.ts';
import type { ProjectDatabase } from './project-database.ts';
import { projectTablesIn } from './tables/system-tables.ts';
import { lockAlone } from './writes/locks.ts';
import { dropSchema } from './writes/orphans.ts';
import { restoreWriter, restoring } from './writes/restore-writer.ts';

/** A project whose creation is not committed yet. */
interface MadeProject {
  readonly db: Connection;
  readonly seq: number;
  readonly schema: string;
}

/** Milliseconds that a replacement, which took long to prepare, waits for writers of the existing project. */
const replacementWait = 60_000;

/**
 * Names the project's schema and its locks, which take 31 bits. Random rather than counted: a node that has a project open
 * whose creation was lost in a failover must not find another project in its place.
 */
const newProjectNumber = () => randomInt(1, 2 ** 31);

/** A placeholder id that no project can have. */
const unnamed = () => `~${randomBytes(8).toString('hex')}`;

/** The project to be replaced was deleted meanwhile: roll back. */
class ReplacedGone extends Error {}

/** Creates, replaces and deletes projects, each in one transaction, so that others see all of it or nothing. */
export class ProjectLifecycle {
  readonly #pool: Pool;
  readonly #instance: Instance;
  readonly #databaseOf: (seq: number) => Promise<ProjectDatabase>;

  constructor(pool: Pool, instance: Instance, databaseOf: (seq: number) => Promise<ProjectDatabase>) {
    this.#pool = pool;
    this.#instance = instance;
    this.#databaseOf = databaseOf;
  }

  /** false: the id is taken. */
  async create(project: ProjectRecord, authority?: Authority): Promise<boolean> {
    await this.#instance.ready();
    return this.#instance.transact(async (db, session) => {
      await checkAuthority(db, authority);
      return (await this.#make(db, session, project)) !== undefined;
    });
  }

  /**
   * Empties the meta table, from which everybody who has the project open learns that it is gone, so nobody waits for tables to
   * be dropped. false: there is no such project.
   */
  async delete(id: string, { onlyEmpty = false, authority }: DeleteOptions = {}): Promise<boolean> {
    await this.#instance.ready();
    const seq = await this.#instance.transact(async (db, session) => {
      await checkAuthority(db, authority);
      const found = await deleteProject(db, id);
      if (found === undefined) return undefined;
      await db.row(raw(lockAlone(found)));
      const project = (await this.#databaseOf(found)).connect(session);
      const records = onlyEmpty ? await countAllRecords(project) : 0;
      if (records > 0) throw losesRecords(`project '${id}'`, records);
      await project.run(sql`DELETE FROM ${tables.meta}`);
      return found;
    });
    if (seq === undefined) return false;
    await this.#drop(seq);
    return true;
  }

  /** false: the id is taken. */
  restore(project: ProjectRecord, dump: Dump, check: (restored: Dump) => Promise<void>): Promise<boolean> {
    const begun = Date.now();
    return this.#restored(project, dump, async (made, db) => {
      await check({ parts: () => dumpParts(made.db) });
      await beginLine(made.db, begun);
      await noteWaitingWork(db, project.id);
      return true;
    });
  }

  /** false: the id is taken. */
  load(project: ProjectRecord, dump: Dump, { authority, run }: Permit): Promise<boolean> {
    return this.#restored(project, dump, async (made, db) => {
      await checkAuthority(db, authority);
      await endWhatWaited(made.db);
      await noteWaitingWork(db, project.id);
      await checkRun(db, run);
      await noteRestored(db, run);
      return true;
    });
  }

  /** false: there is no such project. */
  async replace(project: ProjectRecord, dump: Dump, { authority, run }: Permit): Promise<boolean> {
    try {
      const replaced = await this.#restored(
        { ...project, id: unnamed() },
        dump,
        async (made, db, session) => {
          await checkAuthority(db, authority);
          await endWhatWaited(made.db);
          const old = await this.#takePlace(db, session, project.id, made);
          await noteWaitingWork(db, project.id);
          await checkRun(db, run);
          await noteRestored(db, run);
          return old;
        },
      );
      if (replaced) await this.#drop(replaced);
      return replaced !== false;
    } catch (error) {
      if (error instanceof ReplacedGone) return false;
      throw error;
    }
  }

  /** false: the id is taken. */
  async #restored<T>(
    project: ProjectRecord,
    dump: Dump,
    complete: (made: MadeProject, db: Connection, session: Session) => Promise<T>,
  ): Promise<T | false> {
    await this.#instance.ready();
    return transact(this.#pool, restoring, async (session) => {
      const db = this.#instance.connect(session);
      const made = await this.#make(db, session, project);
      if (!made) return false;
      await restoreDump(async (step) => step(made.db), dump, restoreWriter(made.schema));
      return complete(made, db, session);
    });
  }

  /** Must run inside a transaction. undefined: the id is taken. */
  async #make(db: Connection, session: Session, project: ProjectRecord): Promise<MadeProject | undefined> {
    const seq = await insertProject(db, project, newProjectNumber());
    if (seq === undefined) return undefined;
    const database = await this.#databaseOf(seq);
    await db.exec(`CREATE SCHEMA ${database.schema}`);
    const made = database.connect(session);
    await made.exec(projectTablesIn(database.schema));
    await replaceSchemaVersion(made);
    await made.run(newOrigin());
    const secret = randomBytes(32).toString('base64url');
    await made.run(sql`INSERT INTO ${tables.secrets} (name, value) VALUES ('signing', ${secret})`);
    return { db: made, seq, schema: database.schema };
  }

  /** Must run inside a transaction. Returns the number of the replaced project, which is deleted with it. */
  async #takePlace(db: Connection, session: Session, id: string, made: MadeProject): Promise<number> {
    await db.exec(`SET LOCAL lock_timeout = ${replacementWait}`);
    const old = await deleteProject(db, id);
    if (old === undefined) throw new ReplacedGone();
    await db.row(raw(lockAlone(old)));
    const before = (await this.#databaseOf(old)).connect(session);
    const names = removableTables.map((name) => before.dialect.style.table(name));
    await before.exec(`LOCK TABLE ${names.join(', ')} IN SHARE MODE`);
    await keepRemovals(before, made.db, Date.now());
    await before.run(sql`DELETE FROM ${tables.meta}`);
    await db.run(sql`UPDATE ${tables.projects} SET id = ${id} WHERE seq = ${made.seq}`);
    return old;
  }

  /** If this fails, the next start does it. */
  async #drop(seq: number): Promise<void> {
    await dropSchema(this.#pool, `vitrine_p${seq}`).catch(() => {});
  }
}
