import { setTimeout as sleep } from 'node:timers/promises';
import { CursorCipher } from '../access/cursor-cipher.ts';
import { Tokens } from '../access/token.ts';
import { Failure } from '../failure.ts';
import type { Engine } from '../store/engine.ts';
import { ProjectGone } from '../store/schema.ts';
import type { Store } from '../store/store.ts';
import { OpenProject } from './project.ts';

/** Beyond this many, projects are closed as soon as nobody uses them, the longest unused first. */
const mostOpen = 64;
const idleAfter = 5 * 60_000;
/** Milliseconds. Upkeep leaves the last project open that it looked at: it is not to keep a server from its rest for long. */
const sweepEvery = 10_000;
/** Milliseconds that a deletion waits for those who use the project: a slow download must not hold it up. */
const deletionWait = 5_000;

/** The state of a project in this process; none where it is closed, or does not exist. */
type State =
  | { readonly kind: 'opening'; readonly ended: Promise<void> }
  | { readonly kind: 'open'; readonly project: OpenProject }
  | { readonly kind: 'closing'; readonly ended: Promise<void> }
  /** It is to be deleted, once nobody uses it. */
  | { readonly kind: 'emptying'; readonly ended: Promise<void> }
  | { readonly kind: 'deleting'; readonly ended: Promise<void> };

/** Upkeep does not count as use: a project that was opened only for it is closed when the next one is opened. */
export type Why = 'use' | 'upkeep';

/** Opens projects when they are first used, and closes them when they have not been used for a while. */
export class OpenProjects {
  readonly #engine: Engine;
  readonly #now: () => number;
  readonly #states = new Map<string, State>();
  /** Deleted projects that somebody still uses. */
  readonly #gone = new Set<OpenProject>();
  readonly #sweep: ReturnType<typeof setInterval>;
  /** What is done with a project of an earlier version before it is upgraded. */
  beforeUpgrade: ((id: string) => Promise<void>) | undefined;
  /** Called when the last project was closed because nobody uses it. */
  atRest: (() => void) | undefined;
  #isAtRest = true;

  constructor(engine: Engine, now: () => number) {
    this.#engine = engine;
    this.#now = now;
    this.#sweep = setInterval(() => void this.sweep(), sweepEvery);
    this.#sweep.unref();
  }

  get count(): number {
    return this.#all().length;
  }

  /** Closes what has not been used for a while. */
  async sweep(): Promise<void> {
    this.#closeIdle();
    if (this.#isAtRest || this.count > 0 || this.#gone.size > 0) return;
    await Promise.allSettled([...this.#states.values()].map((state) => 'ended' in state && state.ended));
    if (this.#isAtRest || this.#states.size > 0) return; // one was opened meanwhile
    this.#isAtRest = true;
    this.atRest?.();
  }

  /** The project, which stays open until it is left as often as it was entered. undefined: it is not open. */
  enterNow(id: string, why: Why = 'use'): OpenProject | undefined {
    const state = this.#states.get(id);
    if (state?.kind !== 'open') return undefined;
    state.project.inUse += 1;
    if (why === 'use') state.project.lastUsed = this.#now();
    return state.project;
  }

  /** The same, opened where it is not. Throws where there is no such project. */
  async enter(id: string, why: Why = 'use'): Promise<OpenProject> {
    for (;;) {
      const open = this.enterNow(id, why);
      if (open) return open;
      // Nobody may wait for this: the deletion waits for those who use the project, and one of them may be asking.
      if (this.#states.get(id)?.kind === 'emptying') throw noProject(id);
      await this.#settle(id);
      if (this.#states.has(id)) continue;
      const ended = Promise.resolve().then(() => this.#open(id, why));
      this.#states.set(id, { kind: 'opening', ended });
      await ended;
    }
  }

  leave(project: OpenProject): void {
    project.inUse -= 1;
    if (project.inUse > 0 || !this.#gone.delete(project)) return;
    // If the id was opened again meanwhile, that project does not wait for this store; one that is opened from now on does.
    if (this.#states.has(project.id)) void closeStore(project);
    else this.#close(project);
  }

  /** Another process deleted it: the id is looked up again, and the store is closed once nobody uses it. */
  forget(project: OpenProject): void {
    const state = this.#states.get(project.id);
    if (state?.kind !== 'open' || state.project !== project) return;
    this.#states.delete(project.id);
    project.markGone();
    this.#gone.add(project);
  }

  /**
   * Waits until nobody uses the project, closes it and runs `remove`. New requests do not find it while it waits, and from then
   * on they wait for the end, as it may fail.
   */
  async delete<T>(id: string, remove: () => Promise<T>): Promise<T> {
    let state: State | undefined;
    do {
      await this.#settle(id).catch(() => {}); // a project that can't be opened can still be deleted
      state = this.#states.get(id);
    } while (state && state.kind !== 'open'); // somebody who waited as well was first
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    try {
      this.#states.set(id, { kind: 'emptying', ended });
      if (state) await untilUnused(state.project);
      this.#states.set(id, { kind: 'deleting', ended });
      if (state) await closeStore(state.project);
      return await remove();
    } finally {
      this.#states.delete(id);
      end();
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#sweep);
    for (const project of this.#all()) this.#close(project);
    await Promise.all([...this.#gone].map(closeStore));
    await Promise.allSettled([...this.#states.keys()].map((id) => this.#settle(id)));
  }

  /** Waits until a project that is being opened, closed or deleted is open or closed. */
  async #settle(id: string): Promise<void> {
    for (;;) {
      const state = this.#states.get(id);
      switch (state?.kind) {
        case undefined:
        case 'open':
          return;
        case 'opening':
        case 'closing':
        case 'emptying':
        case 'deleting':
          await state.ended;
          break;
      }
    }
  }

  /** Ends with the project open, or throws and leaves it closed. */
  async #open(id: string, why: Why): Promise<void> {
    try {
      if (!(await this.#engine.findProject(id))) throw noProject(id);
      if (this.beforeUpgrade && (await this.#engine.isOutdated(id))) await this.beforeUpgrade(id);
      const project = await loadProject(id, await this.#engine.openProject(id));
      if (why === 'use') project.lastUsed = this.#now();
      this.#states.set(id, { kind: 'open', project });
      this.#isAtRest = false;
      this.#closeIdle(project);
    } catch (error) {
      this.#states.delete(id);
      throw error instanceof ProjectGone ? noProject(id) : error; // deleted just now
    }
  }

  #all(): OpenProject[] {
    return [...this.#states.values()].flatMap((state) => (state.kind === 'open' ? [state.project] : []));
  }

  /** `but`: a project that was just opened and is not in use yet. */
  #closeIdle(but?: OpenProject): void {
    const byAge = this.#all().sort((a, b) => a.lastUsed - b.lastUsed);
    let count = byAge.length;
    for (const project of byAge) {
      const idle = this.#now() - project.lastUsed > idleAfter || count > mostOpen;
      if (!idle || project.inUse > 0 || project === but) continue;
      count -= 1;
      this.#close(project);
    }
  }

  #close(project: OpenProject): void {
    const { id } = project;
    const ended = closeStore(project).then(() => {
      this.#states.delete(id);
    });
    this.#states.set(id, { kind: 'closing', ended });
  }
}

async function untilUnused(project: OpenProject): Promise<void> {
  const latest = Date.now() + deletionWait;
  while (project.inUse > 0 && Date.now() < latest) await sleep(5);
  project.markGone();
}

/** Work that this leaves undone is done by the next start; everything that was acknowledged is already on disk. */
async function closeStore({ store }: OpenProject): Promise<void> {
  await store.close().catch(() => {});
}

async function loadProject(id: string, store: Store): Promise<OpenProject> {
  try {
    const schema = await store.schema();
    const key = await store.accounts.signingKey();
    return new OpenProject({ id, store, schema, tokens: new Tokens(id, key), cipher: new CursorCipher(key) });
  } catch (error) {
    await store.close();
    throw error;
  }
}

export function noProject(id: string): Failure {
  return new Failure('absent', `There is no project '${id}'`);
}
