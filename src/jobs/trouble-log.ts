import type { Log } from '../log.ts';
import { Lru } from '../store/cache.ts';

/** Milliseconds in which the same problem is logged only once. */
const pause = 60_000;

/**
 * Logs problems of the machine or the database because of which requests are refused or jobs fail, so that not only the caller
 * but also whoever runs the server learns of them.
 */
export class TroubleLog {
  readonly #log: Pick<Log, 'info'>;
  readonly #told = new Lru<string, number>({ most: 100 });

  constructor(log: Pick<Log, 'info'>) {
    this.#log = log;
  }

  note(trouble: string, what = 'requests are refused for now'): void {
    // PostgreSQL names a different file each time.
    const key = `${what} ${trouble.replace(/"[^"]*"|\d+/g, '')}`;
    const [now, last] = [performance.now(), this.#told.get(key)];
    if (last !== undefined && now - last < pause) return;
    this.#told.set(key, now);
    this.#log.info(`${what}: ${trouble}`);
  }
}
