import { Failure } from '../failure.ts';
import type { Job } from '../jobs/jobs.ts';
import type { Log } from '../log.ts';
import type { SenderServices } from './deliver.ts';
import { pump } from './pump.ts';
import { webhookWork } from './work.ts';

/** Milliseconds between two looks at a project. */
const every = 500;
/** Milliseconds that requests under way get to be answered when the process stops: whoever sends next can't know of them. */
const grace = 5_000;
/** After a failure that is not the receiver's. */
const afterTrouble = 5_000;
/** Projects at the same time. */
const mostTogether = 32;

export interface SenderOptions extends SenderServices {
  readonly log: Log;
}

/** Since the process began. */
export interface SendCounts {
  delivered: number;
  /** Tries. */
  failed: number;
}

/** Sends the webhooks of all projects: one process of an instance does, for all. */
export class WebhookSender implements Job {
  readonly name = webhookWork;
  readonly every = every;
  readonly counts: SendCounts = { delivered: 0, failed: 0 };
  readonly #options: SenderOptions;
  readonly #rests = new Map<string, number>();

  constructor(options: SenderOptions) {
    this.#options = options;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { coordination } = this.#options.catalog;
    const abort = new AbortController();
    const stopping = () => setTimeout(() => abort.abort(), grace).unref();
    signal.addEventListener('abort', stopping, { once: true });
    /** When to look at a project again; it is under way while it is Infinity. */
    const looks = new Map<string, number>();
    const underWay = new Set<Promise<void>>();
    try {
      while (!signal.aborted) {
        const projects = await coordination.listWork(webhookWork);
        for (const project of projects) {
          if ((looks.get(project) ?? 0) > performance.now() || underWay.size >= mostTogether) continue;
          looks.set(project, Number.POSITIVE_INFINITY);
          const work = this.#send(project, signal, abort.signal).then((pause) => {
            looks.set(project, performance.now() + pause);
          });
          underWay.add(work);
          void work.finally(() => underWay.delete(work));
        }
        for (const known of looks.keys()) if (!projects.includes(known)) looks.delete(known);
        await pauseUntil(every, signal);
      }
    } finally {
      signal.removeEventListener('abort', stopping);
      await Promise.all(underWay);
    }
  }

  /** Milliseconds after which to look again. */
  async #send(project: string, stop: AbortSignal, abort: AbortSignal): Promise<number> {
    const { catalog, log } = this.#options;
    const settled = (delivered: boolean) => {
      this.counts[delivered ? 'delivered' : 'failed'] += 1;
    };
    try {
      const active = await catalog.use(project, ({ store }) => store.webhooks.active(), 'fresh');
      if (active.length === 0) await this.#end(project);
      const options = { ...this.#options, project, stop, abort, settled, rests: this.#rests };
      const more = await Promise.all(active.map(({ id }) => pump(options, id)));
      return more.includes(true) ? 0 : every;
    } catch (error) {
      if (error instanceof Failure && error.kind === 'absent')
        await catalog.coordination.endWork(webhookWork, project);
      else if (!stop.aborted) log.error(`the webhooks of ${project} can't be sent now`, error);
      return afterTrouble;
    }
  }

  /** The look behind it finds what was made in between. */
  async #end(project: string): Promise<void> {
    const { catalog } = this.#options;
    await catalog.coordination.endWork(webhookWork, project);
    const active = await catalog.use(project, ({ store }) => store.webhooks.active(), 'fresh');
    if (active.length > 0) await catalog.coordination.noteWork(webhookWork, project);
  }
}

function pauseUntil(ms: number, signal: AbortSignal): Promise<void> {
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
