import { randomUUID } from 'node:crypto';
import { Failure } from '../failure.ts';
import type { Log } from '../log.ts';
import type { Coordination } from '../store/coordination.ts';
import { TroubleLog } from './trouble-log.ts';

/** Background work that one process of an instance does for all. */
export interface Job {
  readonly name: string;
  /** Milliseconds from the end of a run to the next. */
  readonly every: number;
  /** Must end soon after the signal, which means that the process is stopping or has lost the lease. */
  run(signal: AbortSignal): Promise<void>;
}

export interface JobOptions {
  readonly coordination: Coordination;
  readonly log: Log;
  /** Milliseconds between renewals of the lease. */
  readonly beat?: number;
}

const lease = 'jobs';
/** Renewals that may be missed before another process takes over. */
const missedBeats = 3;

/**
 * Runs jobs while this process holds the lease for them. A job that fails is logged and runs again at its next time. A process
 * that was suspended may go on while another has taken over, so every job must be safe to run twice.
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
    await this.#coordination.leaveLease(lease, this.#holder).catch(() => {}); // it expires then
  }

  /** undefined: the database can't be reached. */
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

/** For a job that continues with the next project when one fails: an outage of one must not hide an error of another. */
export function throwWorst(failures: readonly unknown[]): void {
  if (failures.length > 0) throw failures.find((one) => !isOutage(one)) ?? failures[0];
}

/** Waits `ms` milliseconds, or until the signal is aborted. */
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
