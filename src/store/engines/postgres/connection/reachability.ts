import type { Log } from '../../../../log.ts';

/** An outage is logged once, and its end. */
export class Reachability {
  readonly #log: Pick<Log, 'info'>;
  /** undefined: it was never reachable, which is reported to whoever opens it. */
  #reachable: boolean | undefined;

  constructor(log: Pick<Log, 'info'>) {
    this.#log = log;
  }

  reached(): void {
    if (this.#reachable === false) this.#log.info('PostgreSQL is within reach again');
    this.#reachable = true;
  }

  lost(error: unknown): void {
    if (!this.#reachable) return;
    this.#reachable = false;
    this.#log.info(`PostgreSQL is out of reach${error instanceof Error ? `: ${error.message}` : ''}`);
  }
}
