import { setTimeout as sleep } from 'node:timers/promises';

/** Milliseconds for which each name would wait in vain for name servers that are gone. */
const hurried = 30_000;

type Resolve = (name: string) => Promise<readonly string[]>;

export interface NameOptions {
  /** Takes no thread, but knows only what name servers say, and only those that there were when it was asked first. */
  readonly quick: Resolve;
  /** As the system looks a name up, which takes a thread for as long as it lasts. */
  readonly system: Resolve;
  /** Milliseconds until the system is asked too. */
  readonly patience?: number;
}

/**
 * Looks names up without the thread pool, which hashes passwords too and has few threads: eight names that no name server
 * answered for held up a sign-in for 15 seconds on two cores. Only what is not found that way is asked of the system, whatever
 * the reason: there may be other name servers by now, or a file knows the name. One name at a time, as two could take both
 * threads for ten seconds. So an unknown name holds up other unknown names, which are tried again later, but no sign-in and no
 * name that is found quickly.
 */
export class Names {
  readonly #options: NameOptions;
  readonly #asked = new Map<string, Promise<readonly string[]>>();
  #last: Promise<unknown> = Promise.resolve();
  /** The system knows what the other way does not: until then it is asked at once. */
  #hurriedUntil = 0;

  constructor(options: NameOptions) {
    this.#options = options;
  }

  /** All addresses of a name. */
  async resolve(name: string): Promise<readonly string[]> {
    const { quick, patience = 2_000 } = this.#options;
    const found = quick(name);
    const over = new AbortController();
    const waited = performance.now() < this.#hurriedUntil ? 0 : patience;
    const nothing = sleep(waited, undefined, { ref: false, signal: over.signal }).catch(() => undefined);
    const soon = await Promise.race([found.catch(() => undefined), nothing]);
    over.abort();
    if (soon) return soon;
    let isSilent = true;
    found.catch(() => {}).finally(() => (isSilent = false));
    const asked = this.#askSystem(name).then((addresses) => {
      if (isSilent) this.#hurriedUntil = performance.now() + hurried;
      return addresses;
    });
    return Promise.any([found, asked]).catch(() => asked);
  }

  #askSystem(name: string): Promise<readonly string[]> {
    const under = this.#asked.get(name);
    if (under) return under;
    const asked = this.#last
      .then(() => this.#options.system(name))
      .finally(() => void this.#asked.delete(name));
    this.#asked.set(name, asked);
    this.#last = asked.catch(() => {});
    return asked;
  }
}
