import { Failure } from '../failure.ts';
import { isOutage, type Job, pause } from '../jobs/jobs.ts';
import { TroubleLog } from '../jobs/trouble-log.ts';
import type { Log } from '../log.ts';
import type { NotedWork } from '../store/coordination.ts';
import { Connections } from './connections.ts';
import type { SenderServices } from './deliver.ts';
import { pump } from './pump.ts';
import type { Rest } from './schedule.ts';
import { WatchedProject } from './watched-project.ts';
import { webhookWork } from './work.ts';

/** Milliseconds between listings of the projects that have webhooks. */
const listEvery = 500;
/** Milliseconds between checks whether something is due. */
const tick = 100;
/** Milliseconds that requests under way get to be answered when the process stops: the next sender can't know of them. */
const grace = 5_000;
/** Milliseconds to pause after a failure that is not the receiver's. */
const afterTrouble = 5_000;
/** How many projects are served at the same time. */
const usualTogether = 32;

export interface SenderOptions extends SenderServices {
  readonly log: Log;
  /** How many projects are served at the same time. */
  readonly mostTogether?: number;
}

interface Signals {
  /** Nothing new is begun. */
  readonly stop: AbortSignal;
  /** Everything under way is broken off. */
  readonly abort: AbortSignal;
}

/** Sends the webhooks of all projects. One process of an instance does this for all. */
export class WebhookSender implements Job {
  readonly name = webhookWork;
  readonly every = 1_000;
  readonly #options: SenderOptions;
  readonly #troubles: TroubleLog;
  readonly #rests = new Map<string, Rest>();
  readonly #watched = new Map<string, WatchedProject>();
  readonly #underWay = new Set<Promise<void>>();
  /** These are of the current run. */
  #connections = new Connections();
  #searches = new Map<string, number>();

  constructor(options: SenderOptions) {
    this.#options = options;
    this.#troubles = new TroubleLog(options.log);
  }

  /** Changes that were taken from the log but not delivered or given up yet, as of the last check of each project. */
  get waiting(): number {
    return [...this.#watched.values()].reduce((sum, one) => sum + one.waiting, 0);
  }

  async run(stop: AbortSignal): Promise<void> {
    this.#connections = new Connections();
    this.#searches = new Map();
    const abort = new AbortController();
    const stopping = () => setTimeout(() => abort.abort(), grace).unref();
    stop.addEventListener('abort', stopping, { once: true });
    const signals = { stop, abort: abort.signal };
    try {
      for (let listed = Number.NEGATIVE_INFINITY; !stop.aborted; ) {
        if (performance.now() - listed >= listEvery) {
          await this.#list();
          listed = performance.now();
        }
        for (const [project, watched] of this.#turns()) this.#begin(this.#check(project, watched, signals));
        await pause(tick, stop);
      }
    } finally {
      stop.removeEventListener('abort', stopping);
      while (this.#underWay.size > 0) await Promise.all(this.#underWay);
      this.#connections.close();
      for (const watched of this.#watched.values()) watched.rest();
      this.#watched.clear();
    }
  }

  #begin(work: Promise<void>): void {
    this.#underWay.add(work);
    void work.finally(() => this.#underWay.delete(work));
  }

  /** Updates which projects have webhooks. */
  async #list(): Promise<void> {
    const projects = new Set<string>();
    for (const noted of await this.#options.catalog.coordination.listWork(webhookWork)) {
      const { project } = noted;
      projects.add(project);
      const watched = this.#watched.get(project);
      if (watched) watched.noted = noted;
      else this.#watched.set(project, new WatchedProject(noted));
    }
    for (const [project, watched] of this.#watched) {
      if (projects.has(project) || watched.isBusy) continue;
      watched.rest();
      this.#watched.delete(project);
    }
  }

  /**
   * The projects to check now, those that have waited longest first. While other projects wait, a busy one begins nothing new
   * until all it has under way has ended.
   */
  #turns(): [project: string, watched: WatchedProject][] {
    const now = performance.now();
    const { mostTogether = usualTogether } = this.#options;
    const due = [...this.#watched].filter(([, { due, isChecked }]) => due <= now && !isChecked);
    const busy = [...this.#watched.values()].filter(({ isBusy }) => isBusy).length;
    const waiting = due.filter(([, { isBusy }]) => !isBusy).sort(([, a], [, b]) => a.due - b.due);
    const begun = waiting.slice(0, Math.max(0, mostTogether - busy));
    return begun.length < waiting.length ? begun : due;
  }

  /** Begins to send each webhook that is not being sent already, so that none waits for another. */
  async #check(project: string, watched: WatchedProject, signals: Signals): Promise<void> {
    const { catalog } = this.#options;
    const { noted } = watched; // from before the check
    watched.beginCheck();
    try {
      const active = await catalog.use(project, ({ store }) => store.webhooks.active(), 'fresh');
      if (active.length === 0) {
        watched.rest();
        await catalog.coordination.endWork(noted);
      } else watched.watchBy(await catalog.use(project, ({ store }) => store.log.watch(watched.change)));
      for (const id of watched.idle(active.map((webhook) => webhook.id))) {
        this.#begin(this.#send(project, watched, id, signals));
      }
    } catch (error) {
      await this.#report(project, noted, error, signals);
      watched.due = performance.now() + afterTrouble;
    }
    watched.endCheck();
  }

  async #send(project: string, watched: WatchedProject, id: string, signals: Signals): Promise<void> {
    const { noted } = watched;
    const { now } = this.#options;
    watched.beginSending(id);
    try {
      const sending = { ...this.#options.sending, connections: this.#connections };
      const known = { rests: this.#rests, searches: this.#searches };
      const options = { ...this.#options, sending, project, ...signals, ...known };
      const { next, waiting } = await pump(options, id);
      watched.endSending(id, { wait: Math.max(0, next - now()), waiting });
    } catch (error) {
      await this.#report(project, noted, error, signals);
      await pause(afterTrouble, signals.stop);
      watched.endSending(id);
    }
  }

  async #report(project: string, noted: NotedWork, error: unknown, { stop }: Signals): Promise<void> {
    const { catalog, log } = this.#options;
    const gone = error instanceof Failure && error.kind === 'absent';
    if (gone) await catalog.coordination.endWork(noted).catch(() => {});
    else if (!stop.aborted && !isOutage(error))
      log.error(`the webhooks of ${project} can't be sent now`, error);
    else if (isOutage(error) && error.detail.trouble !== undefined)
      this.#troubles.note(error.detail.trouble, "webhooks can't be sent now");
  }
}
