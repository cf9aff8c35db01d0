import { setTimeout as sleep } from 'node:timers/promises';

/** Milliseconds during which no name waits for name servers that did not answer the last one. */
const hurryTime = 30_000;

type Resolve = (name: string) => Promise<readonly string[]>;

export interface NameOptions {
  /** Needs no thread, but knows only what name servers say, and only those that were configured at the first call. */
  readonly quick: Resolve;
  /** Looks a name up as the system does, which occupies a thread for as long as it takes. */
  readonly system: Resolve;
  /** Milliseconds until the system is asked too. */
  readonly askSystemAfter?: number;
}

/**
 * Looks names up without the thread pool, which also hashes passwords and has few threads: eight names that no name server
 * answered for held up a sign-in for 15 seconds on two cores. Only a name that is not found that way, for whatever reason, is
 * looked up by the system: the name servers may have changed, or a hosts file may have the name. That happens one name at a
 * time, as two could occupy both threads for ten seconds. So an unknown name holds up other unknown names, which are tried
 * again later, but no sign-in and no name that is found quickly.
 */
export class Names {
  readonly #options: NameOptions;
  readonly #asked = new Map<string, Promise<readonly string[]>>();
  #last: Promise<unknown> = Promise.resolve();
  /** The system found a name when the name servers were silent: until this time it is asked at once. */
  #hurriedUntil = 0;

  constructor(options: NameOptions) {
    this.#options = options;
  }

  /** All addresses of a name. */
  async resolve(name: string): Promise<readonly string[]> {
    const { quick, askSystemAfter = 2_000 } = this.#options;
    const found = quick(name);
    const over = new AbortController();
    const waited = performance.now() < this.#hurriedUntil ? 0 : askSystemAfter;
    const nothing = sleep(waited, undefined, { ref: false, signal: over.signal }).catch(() => undefined);
    const soon = await Promise.race([found.catch(() => undefined), nothing]);
    over.abort();
    if (soon) return soon;
    let isSilent = true;
    found.catch(() => {}).finally(() => (isSilent = false));
    const asked = this.#askSystem(name).then((addresses) => {
      if (isSilent) this.#hurriedUntil = performance.now() + hurryTime;
      return addresses;
    });
    return Promise.any([found, asked]).catch(() => asked);
  }

  #askSystem(name: string): Promise<readonly string[]> {
    const running = this.#asked.get(name);
    if (running) return running;
    const asked = this.#last
      .then(() => this.#options.system(name))
      .finally(() => void this.#asked.delete(name));
    this.#asked.set(name, asked);
    this.#last = asked.catch(() => {});
    return asked;
  }
}
