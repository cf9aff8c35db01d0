import { Seal } from '../access/seal.ts';
import { Tokens } from '../access/token.ts';
import { Failure } from '../failure.ts';
import type { Json, JsonObject } from '../model/json.ts';
import { defaultMostFields, readCollection } from '../model/read-collection.ts';
import type { Page, Paged } from '../store/accounts.ts';
import { type Schema, StaleSchema, type StoredCollection } from '../store/schema.ts';
import {
  type Administrators,
  type AuthSettings,
  defaultAuth,
  type Engine,
  type ProjectChange,
  type ProjectRecord,
  type Store,
} from '../store/store.ts';
import { type ChangeOptions, changeCollection, type ToldChange } from './change.ts';

/** A project that is open. `schema` is replaced as a whole when a collection changes. */
export interface Project {
  readonly id: string;
  readonly store: Store;
  readonly schema: Schema;
  readonly tokens: Tokens;
  readonly seal: Seal;
}

interface OpenProject extends Project {
  schema: Schema;
  inUse: number;
  lastUsed: number;
  /** The end of the last change of the schema: they happen one after the other. */
  changing: Promise<unknown>;
}

/** Projects beyond this many are closed as soon as they are out of use, the longest unused first. */
const mostOpen = 64;
const idleAfter = 5 * 60_000;

/** Each attempt is under the newest schema, so a second is hardly ever needed. */
const mostAttempts = 20;

/** Finds projects and collections, and opens and closes projects as they are used. */
export class Catalog {
  readonly #engine: Engine;
  readonly #now: () => number;
  readonly #mostFields: number;
  readonly #open = new Map<string, OpenProject>();
  readonly #opening = new Map<string, Promise<OpenProject | undefined>>();
  readonly #deleting = new Set<string>();
  readonly #sweep: ReturnType<typeof setInterval>;

  constructor(engine: Engine, now: () => number, mostFields = defaultMostFields) {
    this.#engine = engine;
    this.#mostFields = mostFields;
    this.#now = now;
    this.#sweep = setInterval(() => this.#closeIdle(), 60_000);
    this.#sweep.unref();
  }

  /** Runs `work` with a project that stays open meanwhile; once more if its schema changed under way. */
  async use<T>(id: string, work: (project: Project) => Promise<T>): Promise<T> {
    return this.#use(id, async (project) => {
      for (let attempt = 1; ; attempt++) {
        try {
          return await work(project);
        } catch (error) {
          if (!(error instanceof StaleSchema) || attempt === mostAttempts) throw error;
          project.schema = await project.store.schema();
        }
      }
    });
  }

  async #use<T>(id: string, work: (project: OpenProject) => Promise<T>): Promise<T> {
    const project = this.#open.get(id) ?? (await this.#openProject(id));
    if (!project || this.#deleting.has(id)) throw noProject(id);
    project.inUse += 1;
    project.lastUsed = this.#now();
    try {
      return await work(project);
    } finally {
      project.inUse -= 1;
    }
  }

  get administrators(): Administrators {
    return this.#engine.administrators;
  }

  listProjects(page: Page): Promise<Paged<ProjectRecord>> {
    return this.#engine.listProjects(page);
  }

  async hasProject(id: string): Promise<boolean> {
    return (await this.#engine.findProject(id)) !== undefined;
  }

  async findProject(id: string): Promise<ProjectRecord> {
    const project = await this.#engine.findProject(id);
    if (!project) throw noProject(id);
    return project;
  }

  async createProject(id: string, name: string, auth: AuthSettings = defaultAuth): Promise<ProjectRecord> {
    const now = this.#now();
    const project = { id, name, auth, created: now, updated: now };
    const made = await this.#engine.createProject(project);
    if (!made) throw new Failure('conflict', `id: there is a project '${id}' already`);
    return project;
  }

  async updateProject(id: string, change: ProjectChange): Promise<ProjectRecord> {
    const project = await this.#engine.updateProject(id, change, this.#now());
    if (!project) throw noProject(id);
    return project;
  }

  async createCollection(id: string, raw: Json): Promise<StoredCollection> {
    return this.#change(id, async (project) => {
      const definition = readCollection(raw, new Set(project.schema.collections.keys()), this.#mostFields);
      await project.store.createCollection(definition);
      project.schema = await project.store.schema();
      return findCollection(project, definition.id);
    });
  }

  changeCollection(
    id: string,
    collection: string,
    raw: JsonObject,
    options: Omit<ChangeOptions, 'mostFields'>,
  ): Promise<ToldChange> {
    return this.#change(id, async (project) => {
      const told = await changeCollection(project, collection, raw, {
        ...options,
        mostFields: this.#mostFields,
      });
      project.schema = await project.store.schema();
      return told;
    });
  }

  /** `confirmed`: also where there are records in it. */
  deleteCollection(id: string, collection: string, confirmed: boolean): Promise<void> {
    return this.#change(id, async (project) => {
      const found = findCollection(project, collection);
      await refuseDeletion(project, found, confirmed);
      await project.store.deleteCollection(found);
      project.schema = await project.store.schema();
    });
  }

  /** Waits until nobody uses the project; new requests do not find it any more. */
  async deleteProject(id: string, confirmed: boolean): Promise<void> {
    await this.#use(id, async ({ store }) => {
      const records = await store.countRecords();
      if (records > 0 && !confirmed) throw losesRecords(`project '${id}'`, records);
    });
    if (this.#deleting.has(id)) throw noProject(id);
    this.#deleting.add(id);
    try {
      const project = this.#open.get(id);
      while (project && project.inUse > 0) await new Promise((resolve) => setTimeout(resolve, 5));
      await project?.store.close();
      this.#open.delete(id);
      await this.#engine.deleteProject(id);
    } finally {
      this.#deleting.delete(id);
    }
  }

  #change<T>(id: string, work: (project: OpenProject) => Promise<T>): Promise<T> {
    return this.#use(id, (project) => {
      const change = project.changing.then(async () => {
        project.schema = await project.store.schema();
        return work(project);
      });
      project.changing = change.catch(() => {});
      return change;
    });
  }

  async close(): Promise<void> {
    clearInterval(this.#sweep);
    for (const { store } of this.#open.values()) await store.close();
    this.#open.clear();
    await this.#engine.close();
  }

  /** Two requests that meet a closed project open it once. */
  #openProject(id: string): Promise<OpenProject | undefined> {
    const under = this.#opening.get(id);
    if (under) return under;
    const opening = this.#load(id).finally(() => this.#opening.delete(id));
    this.#opening.set(id, opening);
    return opening;
  }

  async #load(id: string): Promise<OpenProject | undefined> {
    if (!(await this.#engine.findProject(id))) return undefined;
    const store = await this.#engine.openProject(id);
    const key = await store.accounts.signingKey();
    const project: OpenProject = {
      id,
      store,
      schema: await store.schema(),
      tokens: new Tokens(id, key),
      seal: new Seal(key),
      inUse: 0,
      lastUsed: this.#now(),
      changing: Promise.resolve(),
    };
    this.#open.set(id, project);
    if (this.#open.size > mostOpen) this.#closeIdle();
    return project;
  }

  #closeIdle(): void {
    const byAge = [...this.#open.values()].sort((a, b) => a.lastUsed - b.lastUsed);
    for (const project of byAge) {
      const idle = this.#now() - project.lastUsed > idleAfter || this.#open.size > mostOpen;
      if (!idle || project.inUse > 0) continue;
      this.#open.delete(project.id);
      void project.store.close();
    }
  }
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
  const records = await project.store.countRecords(collection);
  if (records > 0 && !confirmed) throw losesRecords(`collection '${id}'`, records);
}

function losesRecords(what: string, records: number): Failure {
  const lost = records === 1 ? 'its record' : `its ${records} records`;
  return new Failure(
    'conflict',
    `Deleting the ${what} would lose ${lost}: repeat with ?confirm=destructive to do it all the same`,
  );
}

function noProject(id: string): Failure {
  return new Failure('absent', `There is no project '${id}'`);
}

export function findCollection(project: Project, id: string): StoredCollection {
  const collection = project.schema.collections.get(id);
  if (!collection) throw new Failure('absent', `There is no collection '${id}' in project '${project.id}'`);
  return collection;
}
