import type { Log } from '../log.ts';
import { Lru } from '../store/cache.ts';

/** Milliseconds in which the same is said once. */
const pause = 60_000;

/**
 * Says in the log what is wrong with the machine or the database, where requests are refused for it or a job can't be done: whoever
 * runs the server is to know, and not only who asks.
 */
export class TroubleLog {
  readonly #log: Pick<Log, 'info'>;
  readonly #told = new Lru<string, number>({ most: 100 });

  constructor(log: Pick<Log, 'info'>) {
    this.#log = log;
  }

  note(trouble: string, what = 'requests are refused for now'): void {
    // PostgreSQL names another file each time.
    const key = `${what} ${trouble.replace(/"[^"]*"|\d+/g, '')}`;
    const [now, last] = [performance.now(), this.#told.get(key)];
    if (last !== undefined && now - last < pause) return;
    this.#told.set(key, now);
    this.#log.info(`${what}: ${trouble}`);
  }
}
