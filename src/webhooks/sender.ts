import { Failure } from '../failure.ts';
import type { Job } from '../jobs/jobs.ts';
import type { Log } from '../log.ts';
import type { NotedWork } from '../store/coordination.ts';
import { Connections } from './connections.ts';
import type { SenderServices } from './deliver.ts';
import { pump } from './pump.ts';
import { webhookWork } from './work.ts';

/** Milliseconds after which a project is checked, also where nothing has changed in it. */
const seldom = 2_000;
/** Milliseconds between checks whether something is due. */
const tick = 100;
/** Milliseconds that requests under way get to be answered when the process stops: whoever sends next can't know of them. */
const grace = 5_000;
/** After a failure that is not the receiver's. */
const afterTrouble = 5_000;
/** Projects at the same time. */
const mostTogether = 32;

export interface SenderOptions extends SenderServices {
  readonly log: Log;
}

/** What is known of a project with webhooks. */
interface Watched {
  /** As it was listed last. */
  noted: NotedWork;
  /** When to check it; Infinity while that is under way. */
  next: number;
  /** It has changed since it was checked. */
  changed: boolean;
  waiting: number;
  end(): void;
}

/** Sends the webhooks of all projects: one process of an instance does, for all. */
export class WebhookSender implements Job {
  readonly name = webhookWork;
  readonly every = 1_000;
  readonly #options: SenderOptions;
  readonly #rests = new Map<string, number>();
  readonly #watched = new Map<string, Watched>();
  /** Of this run. */
  #connections = new Connections();

  constructor(options: SenderOptions) {
    this.#options = options;
  }

  /** Changes that were taken from the log and not delivered or given up yet, as of the last check of each project. */
  get waiting(): number {
    return [...this.#watched.values()].reduce((sum, one) => sum + one.waiting, 0);
  }

  async run(signal: AbortSignal): Promise<void> {
    this.#connections = new Connections();
    const abort = new AbortController();
    const stopping = () => setTimeout(() => abort.abort(), grace).unref();
    signal.addEventListener('abort', stopping, { once: true });
    const underWay = new Set<Promise<void>>();
    try {
      for (let listed = 0; !signal.aborted; ) {
        if (Date.now() - listed >= seldom / 4) {
          await this.#list();
          listed = Date.now();
        }
        for (const [project, watched] of this.#watched) {
          if (underWay.size >= mostTogether) break;
          if (watched.next > performance.now()) continue;
          watched.next = Number.POSITIVE_INFINITY;
          const work = this.#check(project, watched, signal, abort.signal);
          underWay.add(work);
          void work.finally(() => underWay.delete(work));
        }
        await pause(tick, signal);
      }
    } finally {
      signal.removeEventListener('abort', stopping);
      await Promise.all(underWay);
      this.#connections.close();
      for (const { end } of this.#watched.values()) end();
      this.#watched.clear();
    }
  }

  /** Which projects have webhooks. */
  async #list(): Promise<void> {
    const projects = new Set<string>();
    for (const noted of await this.#options.catalog.coordination.listWork(webhookWork)) {
      const { project } = noted;
      projects.add(project);
      const watched = this.#watched.get(project);
      if (watched) watched.noted = noted;
      else this.#watched.set(project, { noted, next: 0, changed: false, waiting: 0, end() {} });
    }
    for (const [project, { end }] of this.#watched) {
      if (projects.has(project)) continue;
      end();
      this.#watched.delete(project);
    }
  }

  async #check(project: string, watched: Watched, stop: AbortSignal, abort: AbortSignal): Promise<void> {
    watched.changed = false;
    const wait = await this.#send(project, watched, stop, abort);
    watched.next = performance.now() + (watched.changed ? 0 : wait);
  }

  /** Milliseconds after which to check again, unless something changes before. */
  async #send(project: string, watched: Watched, stop: AbortSignal, abort: AbortSignal): Promise<number> {
    const { catalog, log, now } = this.#options;
    const { noted } = watched; // before the look
    try {
      const active = await catalog.use(project, ({ store }) => store.webhooks.active(), 'fresh');
      if (active.length === 0) return await this.#rest(watched, noted);
      await this.#watch(project, watched);
      const sending = { ...this.#options.sending, connections: this.#connections };
      const options = { ...this.#options, sending, project, stop, abort, rests: this.#rests };
      const left = await all(active.map(({ id }) => pump(options, id)));
      watched.waiting = left.reduce((sum, { waiting }) => sum + waiting, 0);
      const next = Math.min(...left.map(({ next: due }) => due)) - now();
      return Math.max(0, Math.min(next, seldom));
    } catch (error) {
      const gone = error instanceof Failure && error.kind === 'absent';
      if (gone) await catalog.coordination.endWork(noted).catch(() => {});
      else if (!stop.aborted) log.error(`the webhooks of ${project} can't be sent now`, error);
      return afterTrouble;
    }
  }

  /** Anew each time: the project may have been closed and opened again since. */
  async #watch(project: string, watched: Watched): Promise<void> {
    const changed = () => {
      watched.changed = true;
      if (watched.next !== Number.POSITIVE_INFINITY) watched.next = 0;
    };
    const end = await this.#options.catalog.use(project, ({ store }) => store.log.watch(changed));
    watched.end();
    watched.end = end;
  }

  /** There is nothing to send, whatever changes. */
  async #rest(watched: Watched, noted: NotedWork): Promise<number> {
    watched.end();
    watched.end = () => {};
    watched.waiting = 0;
    await this.#options.catalog.coordination.endWork(noted);
    return seldom;
  }
}

/** Fails like Promise.all, once all have ended. */
async function all<T>(works: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(works);
  return Promise.all(works);
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    if (signal.aborted) done();
    else signal.addEventListener('abort', done, { once: true });
  });
}
