import type { Authority } from '../access/authority.ts';
import type { FailedSignIns } from '../access/sign-in-limit.ts';
import type { Awaitable } from '../awaitable.ts';
import { Failure } from '../failure.ts';
import type { Collection } from '../model/collection.ts';
import type { Json, JsonObject } from '../model/json.ts';
import { defaultMostFields } from '../model/read-collection.ts';
import type { Administrators } from '../store/administrators.ts';
import type { AuditLog } from '../store/audit.ts';
import type { BackupFiles } from '../store/backup-files.ts';
import type { BackupRuns } from '../store/backup-runs.ts';
import type { Coordination } from '../store/coordination.ts';
import type { Engine } from '../store/engine.ts';
import type { Page, Paged } from '../store/paged.ts';
import {
  type AuthSettings,
  type ChangesSettings,
  defaultAuth,
  type ProjectChange,
  type ProjectRecord,
} from '../store/project-record.ts';
import { ProjectGone, StaleSchema } from '../store/schema.ts';
import { type ChangeOptions, changeCollection, type MadeChange } from './change-collection.ts';
import { createCollection } from './create-collection.ts';
import { deleteCollection, refuseLoss } from './deletions.ts';
import { noProject, OpenProjects } from './open-projects.ts';
import { accountsAs, type Project, type ProjectAccounts, projectAs } from './project.ts';
import { type How, ProjectWork } from './project-work.ts';

/** The projects of an instance and their collections: finds and changes them. */
export class Catalog {
  readonly audit: AuditLog;
  readonly coordination: Coordination;
  readonly backupRuns: BackupRuns;
  readonly #engine: Engine;
  readonly #now: () => number;
  readonly #projects: OpenProjects;
  readonly #work: ProjectWork;
  readonly #limits: { readonly mostFields: number; readonly authority: Authority | undefined };

  constructor(
    engine: Engine,
    now: () => number,
    mostFields = defaultMostFields,
    projects = new OpenProjects(engine, now),
    authority?: Authority,
  ) {
    this.audit = engine.audit;
    this.coordination = engine.coordination;
    this.backupRuns = engine.backupRuns;
    this.#engine = engine;
    this.#now = now;
    this.#projects = projects;
    this.#work = new ProjectWork(projects);
    this.#limits = { mostFields, authority };
  }

  /** The same for a caller whose rights every write checks again. undefined: they can't be revoked. */
  as(authority: Authority | undefined): Catalog {
    if (!authority) return this;
    return new Catalog(this.#engine, this.#now, this.#limits.mostFields, this.#projects, authority);
  }

  get failedSignIns(): FailedSignIns | undefined {
    return this.#engine.failedSignIns;
  }

  get administrators(): Administrators {
    const { administrators } = this.#engine;
    const { authority } = this.#limits;
    return authority ? administrators.as(authority) : administrators;
  }

  /** Sets what is done with a project of an earlier version before it is opened, which upgrades it. */
  beforeUpgrade(work: (id: string) => Promise<void>): void {
    this.#projects.beforeUpgrade = work;
  }

  /** Sets what is done when no project is open any more, as nobody has used one for a while. */
  atRest(work: () => void): void {
    this.#projects.atRest = work;
  }

  /** Whether an earlier version made the project, so that opening it upgrades it. */
  isOutdated(id: string): Promise<boolean> {
    return this.#engine.isOutdated(id);
  }

  /** Writes everything of a project, as of one moment, to a file. */
  async saveProject(id: string, to: string, files: BackupFiles): Promise<void> {
    try {
      await this.#engine.saveProject(id, to, files);
    } catch (error) {
      // Its tables may be dropped before the project is seen to be gone: only a deletion drops them during the read.
      const isGone = error instanceof StaleSchema && !(await this.hasProject(id));
      throw isGone || error instanceof ProjectGone ? noProject(id) : error;
    }
  }

  /** Makes or replaces a project from such a file. false: the id is taken or, to be replaced, free. */
  loadProject(...args: Parameters<Engine['loadProject']>): Promise<boolean> {
    return this.#engine.loadProject(...args);
  }

  /** How many projects this process has open. */
  get openProjects(): number {
    return this.#projects.count;
  }

  storageBytes(): ReturnType<Engine['storageBytes']> {
    return this.#engine.storageBytes();
  }

  /** Runs everything that one request needs. */
  request<T>(work: () => Awaitable<T>): Awaitable<T> {
    return this.#engine.request ? this.#engine.request(work) : work();
  }

  /** Runs `work` with a project that stays open meanwhile, and runs it again if the schema changed. */
  use<T>(id: string, work: (project: Project) => Awaitable<T>, how?: How): Promise<T> {
    const { authority } = this.#limits;
    return this.#work.use(id, authority ? (project) => work(projectAs(project, authority)) : work, how);
  }

  /** Like `use`, for work that no caller asked for: it does not keep a project open that nobody else uses. */
  keepUp<T>(id: string, work: (project: Project) => Awaitable<T>): Promise<T> {
    return this.#work.keepUp(id, work);
  }

  /** Like `use`, without a promise where neither the project nor the work needs one. */
  useNow<T>(id: string, work: (project: Project) => Awaitable<T>): Awaitable<T> {
    return this.#work.useNow(id, work);
  }

  /** For work with users, workspaces and keys, which do not depend on a schema. */
  useAccounts<T>(id: string, work: (project: ProjectAccounts) => Promise<T>): Promise<T> {
    const { authority } = this.#limits;
    return this.#work.useAccounts(id, authority ? (project) => work(accountsAs(project, authority)) : work);
  }

  listProjects(page: Page): Promise<Paged<ProjectRecord>> {
    return this.#engine.listProjects(page);
  }

  /** Every project, a page at a time. */
  async *allProjects(): AsyncGenerator<ProjectRecord, void> {
    const limit = 100;
    for (let offset = 0; ; offset += limit) {
      const { found } = await this.#engine.listProjects({ limit, offset });
      yield* found;
      if (found.length < limit) return;
    }
  }

  async hasProject(id: string): Promise<boolean> {
    return (await this.#engine.findProject(id)) !== undefined;
  }

  async requireProject(id: string): Promise<ProjectRecord> {
    const project = await this.#engine.findProject(id);
    if (!project) throw noProject(id);
    return project;
  }

  async createProject(
    id: string,
    name: string,
    auth: AuthSettings = defaultAuth,
    changes?: ChangesSettings,
  ): Promise<ProjectRecord> {
    const now = this.#now();
    const project = { id, name, auth, created: now, updated: now, ...(changes && { changes }) };
    const made = await this.#engine.createProject(project, this.#limits.authority);
    if (!made) throw new Failure('conflict', [{ at: 'id', message: `there is a project '${id}' already` }]);
    return project;
  }

  async updateProject(id: string, merge: (current: ProjectRecord) => ProjectChange): Promise<ProjectRecord> {
    const project = await this.#engine.updateProject(id, merge, this.#now(), this.#limits.authority);
    if (!project) throw noProject(id);
    return project;
  }

  /** `confirmed`: even if it has records. */
  async deleteProject(id: string, confirmed: boolean): Promise<void> {
    const { authority } = this.#limits;
    // Checked before anybody is kept from using it. With `confirmed` it is not opened, so that a project that can't be opened
    // can still be deleted.
    if (!confirmed) await this.use(id, refuseLoss).catch(ignoreAbsent);
    const deleted = await this.#projects.delete(id, () =>
      this.#engine.deleteProject(id, { onlyEmpty: !confirmed, authority }),
    );
    if (!deleted) throw noProject(id);
  }

  createCollection(id: string, raw: Json): Promise<Collection> {
    return this.#work.change(id, (project) => createCollection(project, raw, this.#limits));
  }

  changeCollection(
    id: string,
    collection: string,
    raw: JsonObject,
    options: Omit<ChangeOptions, 'mostFields' | 'authority'>,
  ): Promise<MadeChange> {
    return this.#work.change(id, (project) =>
      changeCollection(project, collection, raw, { ...options, ...this.#limits }),
    );
  }

  /** `confirmed`: even if it has records. */
  deleteCollection(id: string, collection: string, confirmed: boolean): Promise<void> {
    return this.#work.change(id, (project) =>
      deleteCollection(project, collection, { confirmed, ...this.#limits }),
    );
  }

  async close(): Promise<void> {
    await this.#projects.close();
    await this.#engine.close();
  }
}

/** The project does not exist, or only remains of one that hold no records. */
function ignoreAbsent(error: unknown): void {
  if (!(error instanceof Failure) || error.kind !== 'absent') throw error;
}
