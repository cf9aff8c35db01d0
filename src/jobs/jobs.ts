import { randomUUID } from 'node:crypto';
import { Failure } from '../failure.ts';
import type { Log } from '../log.ts';
import type { Coordination } from '../store/coordination.ts';
import { TroubleLog } from './trouble-log.ts';

/** Work beside requests, which one process of an instance does for all. */
export interface Job {
  readonly name: string;
  /** Milliseconds from its end to its next run. */
  readonly every: number;
  /** Ends soon after the signal, which means that the process stops or has lost the lease. */
  run(signal: AbortSignal): Promise<void>;
}

export interface JobOptions {
  readonly coordination: Coordination;
  readonly log: Log;
  /** Milliseconds between two renewals of the lease. */
  readonly beat?: number;
}

const lease = 'jobs';
/** Renewals that may be missed before another process takes over. */
const missedBeats = 3;

/**
 * Runs jobs for as long as this process holds the lease of them. A job that fails is logged and tried again at its next
 * turn. A process that was suspended may find another one at work: every job may safely run twice.
 */
export class Jobs {
  readonly #jobs: readonly Job[];
  readonly #coordination: Coordination;
  readonly #log: Log;
  readonly #troubles: TroubleLog;
  readonly #beat: number;
  readonly #holder = randomUUID();
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;

  constructor(jobs: readonly Job[], { coordination, log, beat = 5_000 }: JobOptions) {
    this.#jobs = jobs;
    this.#coordination = coordination;
    this.#log = log;
    this.#troubles = new TroubleLog(log);
    this.#beat = beat;
    this.#running = jobs.length === 0 ? Promise.resolve() : this.#hold();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #hold(): Promise<void> {
    let work: { readonly end: AbortController; readonly done: Promise<unknown> } | undefined;
    let renewed = performance.now();
    while (!this.#stop.signal.aborted) {
      const held = await this.#take();
      if (held) renewed = performance.now();
      const lost = held === false || performance.now() - renewed > this.#beat * (missedBeats - 1);
      if (held && !work) {
        const end = new AbortController();
        work = { end, done: Promise.all(this.#jobs.map((job) => this.#repeat(job, end.signal))) };
      } else if (lost && work) {
        work.end.abort();
        await work.done;
        work = undefined;
      }
      await pause(this.#beat, this.#stop.signal);
    }
    work?.end.abort();
    await work?.done;
    await this.#coordination.leaveLease(lease, this.#holder).catch(() => {}); // it is taken over then
  }

  /** undefined: the database can't be asked. */
  async #take(): Promise<boolean | undefined> {
    try {
      return await this.#coordination.takeLease(lease, this.#holder, this.#beat * missedBeats);
    } catch {
      return undefined;
    }
  }

  #report({ name }: Job, error: unknown): void {
    if (!isOutage(error)) this.#log.error(`the job ${name} failed`, error);
    else if (error.detail.trouble !== undefined)
      this.#troubles.note(error.detail.trouble, `the job ${name} failed`);
  }

  async #repeat(job: Job, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await job.run(signal);
      } catch (error) {
        if (!signal.aborted) this.#report(job, error);
      }
      await pause(job.every, signal);
    }
  }
}

/** A database that is out of reach is reported elsewhere, once, and is no fault of a job. */
export const isOutage = (error: unknown): error is Failure =>
  error instanceof Failure && error.kind === 'unavailable';

/** For a job that goes on with the next project where one fails: an outage of one does not hide what is wrong with another. */
export function throwWorst(failures: readonly unknown[]): void {
  if (failures.length > 0) throw failures.find((one) => !isOutage(one)) ?? failures[0];
}

/** Waits so many milliseconds, or until the signal is aborted. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const timer = setTimeout(done, ms);
    function done() {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    }
    signal.addEventListener('abort', done, { once: true });
  });
}
