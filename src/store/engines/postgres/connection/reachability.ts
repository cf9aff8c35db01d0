import type { Log } from '../../../../log.ts';

/** Logs an outage once when it begins and once when it ends. */
export class Reachability {
  readonly #log: Pick<Log, 'info'>;
  /** undefined: never reached so far; whoever opens the database gets that error. */
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
