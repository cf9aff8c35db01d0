import { Seal } from '../access/seal.ts';
import { Tokens } from '../access/token.ts';
import { Failure } from '../failure.ts';
import { type Schema, StaleSchema } from '../store/schema.ts';
import type { Engine, Store } from '../store/store.ts';

/** A project that is open. `schema` is replaced as a whole when a collection changes. */
export interface Project {
  readonly id: string;
  readonly store: Store;
  readonly schema: Schema;
  readonly tokens: Tokens;
  readonly seal: Seal;
}

export interface OpenProject extends Project {
  schema: Schema;
  inUse: number;
  lastUsed: number;
  /** The end of the last change of the schema: they happen one after the other. */
  changing: Promise<unknown>;
}

/** Projects beyond this many are closed as soon as they are out of use, the longest unused first. */
const mostOpen = 64;
const idleAfter = 5 * 60_000;
const patience = 5_000;

/** Each attempt is under the newest schema, so a second is hardly ever needed. */
const mostAttempts = 20;

/** Opens projects when they are first used, and closes them when they have not been used for a while. */
export class OpenProjects {
  readonly #engine: Engine;
  readonly #now: () => number;
  readonly #open = new Map<string, OpenProject>();
  readonly #opening = new Map<string, Promise<OpenProject | undefined>>();
  readonly #closing = new Map<string, Promise<void>>();
  readonly #deleting = new Set<string>();
  readonly #sweep: ReturnType<typeof setInterval>;

  constructor(engine: Engine, now: () => number) {
    this.#engine = engine;
    this.#now = now;
    this.#sweep = setInterval(() => this.#closeIdle(), 60_000);
    this.#sweep.unref();
  }

  /** Runs `work` with a project that stays open meanwhile; once more if its schema changed under way. */
  async use<T>(id: string, work: (project: Project) => Promise<T>): Promise<T> {
    const project = this.#open.get(id) ?? (await this.#opened(id));
    if (this.#deleting.has(id)) throw noProject(id);
    project.inUse += 1;
    project.lastUsed = this.#now();
    try {
      for (let attempt = 1; ; attempt++) {
        try {
          return await work(project);
        } catch (error) {
          if (!(error instanceof StaleSchema) || attempt === mostAttempts) throw error;
          project.schema = await project.store.schema();
        }
      }
    } finally {
      project.inUse -= 1;
    }
  }

  /** Runs `work` when no other change of the project's schema is under way, and has the new schema used after it. */
  change<T>(id: string, work: (project: Project) => Promise<T>): Promise<T> {
    return this.use(id, (project) => {
      const open = project as OpenProject;
      const change = open.changing.then(async () => {
        open.schema = await open.store.schema();
        try {
          return await work(open);
        } finally {
          open.schema = await open.store.schema();
        }
      });
      open.changing = change.catch(() => {});
      return change;
    });
  }

  /** Waits until nobody uses the project, closes it and runs `remove`; new requests do not find it any more. */
  async delete(id: string, remove: () => Promise<void>): Promise<void> {
    if (this.#deleting.has(id)) throw noProject(id);
    this.#deleting.add(id);
    try {
      const project = this.#open.get(id);
      const latest = Date.now() + patience; // a slow download does not keep what is to go
      while (project && project.inUse > 0 && Date.now() < latest) {
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      if (project) await this.#close(project);
      await remove();
    } finally {
      this.#deleting.delete(id);
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#sweep);
    for (const project of this.#open.values()) void this.#close(project);
    await Promise.all(this.#closing.values());
  }

  /** Again, should it be closed for want of room before the caller could use it. */
  async #opened(id: string): Promise<OpenProject> {
    for (;;) {
      if (!(await this.#openProject(id))) throw noProject(id);
      const project = this.#open.get(id);
      if (project) return project;
    }
  }

  /** Two requests that meet a closed project open it once, and not before it is closed. */
  #openProject(id: string): Promise<OpenProject | undefined> {
    const under = this.#opening.get(id);
    if (under) return under;
    const opening = this.#load(id).finally(() => this.#opening.delete(id));
    this.#opening.set(id, opening);
    return opening;
  }

  async #load(id: string): Promise<OpenProject | undefined> {
    await this.#closing.get(id);
    if (!(await this.#engine.findProject(id))) return undefined;
    const store = await this.#engine.openProject(id);
    const project = await this.#describe(id, store).catch(async (error: unknown) => {
      await store.close();
      throw error;
    });
    this.#open.set(id, project);
    if (this.#open.size > mostOpen) this.#closeIdle(project);
    return project;
  }

  async #describe(id: string, store: Store): Promise<OpenProject> {
    const key = await store.accounts.signingKey();
    return {
      id,
      store,
      schema: await store.schema(),
      tokens: new Tokens(id, key),
      seal: new Seal(key),
      inUse: 0,
      lastUsed: this.#now(),
      changing: Promise.resolve(),
    };
  }

  /** `but`: just opened, and not in use yet. */
  #closeIdle(but?: OpenProject): void {
    const byAge = [...this.#open.values()].sort((a, b) => a.lastUsed - b.lastUsed);
    for (const project of byAge) {
      const idle = this.#now() - project.lastUsed > idleAfter || this.#open.size > mostOpen;
      if (idle && project.inUse === 0 && project !== but) void this.#close(project);
    }
  }

  #close({ id, store }: OpenProject): Promise<void> {
    this.#open.delete(id);
    // What could not be tidied up is by the next start; everything acknowledged is on disk already.
    const closing = store
      .close()
      .catch(() => {})
      .finally(() => this.#closing.delete(id));
    this.#closing.set(id, closing);
    return closing;
  }
}

export function noProject(id: string): Failure {
  return new Failure('absent', `There is no project '${id}'`);
}
