import type { Authority } from '../access/authority.ts';
import type { Awaitable } from '../awaitable.ts';
import { Failure } from '../failure.ts';
import type { Collection } from '../model/collection.ts';
import type { Json, JsonObject } from '../model/json.ts';
import { defaultMostFields, readCollection } from '../model/read-collection.ts';
import { writeCollection } from '../model/write-collection.ts';
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
import { ProjectGone, type StoredCollection } from '../store/schema.ts';
import { type ChangeOptions, changeCollection, type MadeChange } from './change.ts';
import { noProject, OpenProjects } from './open-projects.ts';
import type { Project, ProjectAccounts } from './project.ts';
import { type How, ProjectWork } from './project-work.ts';
import { requireCollection } from './require-collection.ts';

/** What a catalog has from the one that it was made of. */
interface Shared {
  readonly projects: OpenProjects;
  readonly authority: Authority;
}

/** The projects of an instance and their collections: finds and changes them. */
export class Catalog {
  readonly #engine: Engine;
  readonly #now: () => number;
  readonly #mostFields: number;
  readonly #projects: OpenProjects;
  readonly #work: ProjectWork;
  readonly #authority: Authority | undefined;

  constructor(engine: Engine, now: () => number, mostFields = defaultMostFields, shared?: Shared) {
    this.#engine = engine;
    this.#mostFields = mostFields;
    this.#now = now;
    this.#projects = shared?.projects ?? new OpenProjects(engine, now);
    this.#work = new ProjectWork(this.#projects);
    this.#authority = shared?.authority;
  }

  /** The same, for a caller whose rights are looked at again by whatever writes. undefined: they can't be revoked. */
  as(authority: Authority | undefined): Catalog {
    if (!authority) return this;
    return new Catalog(this.#engine, this.#now, this.#mostFields, { projects: this.#projects, authority });
  }

  get administrators(): Administrators {
    const { administrators } = this.#engine;
    return this.#authority ? administrators.as(this.#authority) : administrators;
  }

  get audit(): AuditLog {
    return this.#engine.audit;
  }

  get coordination(): Coordination {
    return this.#engine.coordination;
  }

  get backupRuns(): BackupRuns {
    return this.#engine.backupRuns;
  }

  /** What is done with a project that an earlier version made, before it is opened and thereby upgraded. */
  beforeUpgrade(work: (id: string) => Promise<void>): void {
    this.#projects.beforeUpgrade = work;
  }

  /** Whether an earlier version made the project: it is upgraded when it is opened. */
  isOutdated(id: string): Promise<boolean> {
    return this.#engine.isOutdated(id);
  }

  /** A file of all there is of a project at one moment. */
  async saveProject(id: string, to: string, files: BackupFiles): Promise<void> {
    try {
      await this.#engine.saveProject(id, to, files);
    } catch (error) {
      throw error instanceof ProjectGone ? noProject(id) : error;
    }
  }

  /** A project made of such a file, or replaced by it. false: the id is taken or, to be replaced, free. */
  loadProject(
    project: ProjectRecord,
    from: string,
    files: BackupFiles,
    options: { readonly replace: boolean },
  ): Promise<boolean> {
    return this.#engine.loadProject(project, from, files, options);
  }

  /** How many projects this process has open. */
  get openProjects(): number {
    return this.#projects.count;
  }

  storageBytes(): ReturnType<Engine['storageBytes']> {
    return this.#engine.storageBytes();
  }

  /** Runs all that is done for one request. */
  request<T>(work: () => Awaitable<T>): Awaitable<T> {
    return this.#engine.request ? this.#engine.request(work) : work();
  }

  /** Runs `work` with a project that stays open meanwhile; once more if its schema changed under way. */
  use<T>(id: string, work: (project: Project) => Awaitable<T>, how?: How): Promise<T> {
    const authority = this.#authority;
    return this.#work.use(id, authority ? (project) => work(projectAs(project, authority)) : work, how);
  }

  /** Like `use`, without a promise where neither the project nor the work needs one. */
  useNow<T>(id: string, work: (project: Project) => Awaitable<T>): Awaitable<T> {
    return this.#work.useNow(id, work);
  }

  /** For work with users, workspaces and keys alone, which no schema is about. */
  useAccounts<T>(id: string, work: (project: ProjectAccounts) => Promise<T>): Promise<T> {
    const authority = this.#authority;
    return this.#work.useAccounts(id, authority ? (project) => work(accountsAs(project, authority)) : work);
  }

  listProjects(page: Page): Promise<Paged<ProjectRecord>> {
    return this.#engine.listProjects(page);
  }

  /** Every project, some at a time. */
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
    const made = await this.#engine.createProject(project, this.#authority);
    if (!made) throw new Failure('conflict', [{ at: 'id', message: `there is a project '${id}' already` }]);
    return project;
  }

  async updateProject(id: string, change: ProjectChange): Promise<ProjectRecord> {
    const project = await this.#engine.updateProject(id, change, this.#now(), this.#authority);
    if (!project) throw noProject(id);
    return project;
  }

  /** `confirmed`: also where there are records in it. */
  async deleteProject(id: string, confirmed: boolean): Promise<void> {
    // It is not opened to ask for confirmation: a project that can't be opened any more can still be deleted.
    if (!confirmed) await this.#refuseLoss(id);
    const deleted = await this.#projects.delete(id, () => this.#engine.deleteProject(id, this.#authority));
    if (!deleted) throw noProject(id);
  }

  async #refuseLoss(id: string): Promise<void> {
    const records = await this.use(id, ({ store }) => store.countRecords()).catch((error: unknown) => {
      if (error instanceof Failure && error.kind === 'absent') return 0; // or what is left of one, which is nothing
      throw error;
    });
    if (records > 0) throw losesRecords(`project '${id}'`, records);
  }

  createCollection(id: string, raw: Json): Promise<Collection> {
    return this.#work.change(id, async ({ schema, store }) => {
      const definition = readCollection(raw, new Set(schema.collections.keys()), {
        mostFields: this.#mostFields,
      });
      await store.createCollection({
        definition: writeCollection(definition),
        version: schema.version,
        authority: this.#authority,
      });
      return definition;
    });
  }

  changeCollection(
    id: string,
    collection: string,
    raw: JsonObject,
    options: Omit<ChangeOptions, 'mostFields' | 'authority'>,
  ): Promise<MadeChange> {
    return this.#work.change(id, (project) => {
      const limits = { mostFields: this.#mostFields, authority: this.#authority };
      return changeCollection(project, collection, raw, { ...options, ...limits });
    });
  }

  /** `confirmed`: also where there are records in it. */
  deleteCollection(id: string, collection: string, confirmed: boolean): Promise<void> {
    return this.#work.change(id, async (project) => {
      const found = requireCollection(project, collection);
      await refuseDeletion(project, found, confirmed);
      await project.store.deleteCollection({ collection: found.ref, authority: this.#authority });
    });
  }

  async close(): Promise<void> {
    await this.#projects.close();
    await this.#engine.close();
  }
}

/** Records have the authority of their caller in their plans. */
function projectAs(project: Project, authority: Authority): Project {
  const { accounts, webhooks } = project.store;
  const store = { ...project.store, accounts: accounts.as(authority), webhooks: webhooks.as(authority) };
  return { ...project, store };
}

function accountsAs({ id, tokens, store }: ProjectAccounts, authority: Authority): ProjectAccounts {
  return { id, tokens, store: { accounts: store.accounts.as(authority) } };
}

/** A relation of another collection would be left without its target. */
async function refuseDeletion(
  project: Project,
  collection: StoredCollection,
  confirmed: boolean,
): Promise<void> {
  const { id } = collection.definition;
  const referrer = collection.referrers.find(({ from }) => from !== collection);
  if (referrer) {
    const place = `${referrer.from.definition.id}.${referrer.field.name}`;
    throw new Failure('conflict', `${place} is a relation to ${id}: remove that field first`);
  }
  const records = await project.store.countRecords(collection.ref);
  if (records > 0 && !confirmed) throw losesRecords(`collection '${id}'`, records);
}

function losesRecords(what: string, records: number): Failure {
  const lost = records === 1 ? 'its record' : `its ${records} records`;
  return new Failure(
    'conflict',
    `Deleting the ${what} would lose ${lost}: repeat with ?confirm=destructive to do it anyway`,
  );
}
