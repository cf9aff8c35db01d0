import type { Log } from '../log.ts';
import { Lru } from '../store/cache.ts';

/** Milliseconds in which the same is said once. */
const pause = 60_000;

/** Says in the log what is wrong with the machine where requests are refused for it: whoever runs the server is to know, and not only who asks. */
export class TroubleLog {
  readonly #log: Pick<Log, 'info'>;
  readonly #told = new Lru<string, number>({ most: 100 });

  constructor(log: Pick<Log, 'info'>) {
    this.#log = log;
  }

  note(trouble: string): void {
    const [now, last] = [performance.now(), this.#told.get(trouble)];
    if (last !== undefined && now - last < pause) return;
    this.#told.set(trouble, now);
    this.#log.info(`requests are refused for now: ${trouble}`);
  }
}
