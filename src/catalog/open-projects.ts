import { CursorCipher } from '../access/cursor-cipher.ts';
import { Tokens } from '../access/token.ts';
import { Failure } from '../failure.ts';
import { ProjectGone } from '../store/schema.ts';
import type { Engine, Store } from '../store/store.ts';
import { OpenProject } from './project.ts';

export type { Project } from './project.ts';

/** Projects beyond this many are closed as soon as they are out of use, the longest unused first. */
const mostOpen = 64;
const idleAfter = 5 * 60_000;
const patience = 5_000;

/** Opens projects when they are first used, and closes them when they have not been used for a while. */
export class OpenProjects {
  readonly #engine: Engine;
  readonly #now: () => number;
  readonly #open = new Map<string, OpenProject>();
  readonly #opening = new Map<string, Promise<OpenProject | undefined>>();
  readonly #closing = new Map<string, Promise<unknown>>();
  /** Deleted projects that somebody still uses. */
  readonly #leaving = new Set<OpenProject>();
  readonly #deleting = new Set<string>();
  readonly #sweep: ReturnType<typeof setInterval>;

  constructor(engine: Engine, now: () => number) {
    this.#engine = engine;
    this.#now = now;
    this.#sweep = setInterval(() => this.#closeIdle(), 60_000);
    this.#sweep.unref();
  }

  find(id: string): OpenProject | undefined {
    return this.#open.get(id);
  }

  /** Again, should it be closed for want of room before the caller could use it. */
  async open(id: string): Promise<OpenProject> {
    for (;;) {
      if (!(await this.#openProject(id))) throw noProject(id);
      const project = this.#open.get(id);
      if (project) return project;
    }
  }

  /** It stays open until it is released as often. */
  take(project: OpenProject): void {
    if (this.#deleting.has(project.id)) throw noProject(project.id);
    project.inUse += 1;
    project.lastUsed = this.#now();
  }

  release(project: OpenProject): void {
    project.inUse -= 1;
    if (project.inUse === 0 && this.#leaving.has(project)) void this.#close(project);
  }

  /** It was deleted through another process: its id is looked for anew, and it is closed once out of use. */
  drop(project: OpenProject): void {
    if (this.#open.get(project.id) !== project) return;
    this.#open.delete(project.id);
    this.#leaving.add(project);
  }

  /** Waits until nobody uses the project, closes it and runs `remove`; new requests do not find it any more. */
  async delete<T>(id: string, remove: () => Promise<T>): Promise<T> {
    if (this.#deleting.has(id)) throw noProject(id);
    this.#deleting.add(id);
    try {
      const project = this.#open.get(id);
      const latest = Date.now() + patience; // a slow download does not keep what is to go
      while (project && project.inUse > 0 && Date.now() < latest) {
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      if (project) await this.#close(project);
      return await remove();
    } finally {
      this.#deleting.delete(id);
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#sweep);
    for (const project of [...this.#open.values(), ...this.#leaving]) void this.#close(project);
    await Promise.all(this.#closing.values());
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
    const project = await describe(id, store).catch(async (error: unknown) => {
      await store.close();
      if (!(error instanceof ProjectGone)) throw error; // deleted just now
    });
    if (!project) return undefined;
    project.lastUsed = this.#now();
    this.#open.set(id, project);
    if (this.#open.size > mostOpen) this.#closeIdle(project);
    return project;
  }

  /** `but`: just opened, and not in use yet. */
  #closeIdle(but?: OpenProject): void {
    const byAge = [...this.#open.values()].sort((a, b) => a.lastUsed - b.lastUsed);
    for (const project of byAge) {
      const idle = this.#now() - project.lastUsed > idleAfter || this.#open.size > mostOpen;
      if (idle && project.inUse === 0 && project !== but) void this.#close(project);
    }
  }

  #close(project: OpenProject): Promise<unknown> {
    const { id, store } = project;
    if (this.#open.get(id) === project) this.#open.delete(id);
    this.#leaving.delete(project);
    // What could not be tidied up is by the next start; everything acknowledged is on disk already.
    const closed = store.close().catch(() => {});
    const closing = Promise.all([closed, this.#closing.get(id)]).finally(() => {
      if (this.#closing.get(id) === closing) this.#closing.delete(id);
    });
    this.#closing.set(id, closing);
    return closing;
  }
}

async function describe(id: string, store: Store): Promise<OpenProject> {
  const schema = await store.schema();
  const key = await store.accounts.signingKey();
  return new OpenProject({ id, store, schema, tokens: new Tokens(id, key), cipher: new CursorCipher(key) });
}

export function noProject(id: string): Failure {
  return new Failure('absent', `There is no project '${id}'`);
}
