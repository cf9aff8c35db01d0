import { Failure } from '../failure.ts';

const mostFailures = 10;
const window = 60_000;
const mostRemembered = 100_000;

interface Tries {
  /** When the failures of the last minute were. */
  failures: number[];
  underWay: number;
  waiting: (() => void)[];
}

/** Limits failed sign-ins to ten a minute, by address and account. */
export class SignInLimit {
  readonly #tries = new Map<string, Tries>();

  /** Runs `verify`, unless there were ten failures. As many tries as failures are left are under way at once. */
  async attempt(
    address: string,
    account: string,
    now: number,
    verify: () => Promise<boolean>,
  ): Promise<boolean> {
    const tries = this.#find(`${address} ${account}`);
    for (;;) {
      tries.failures = tries.failures.filter((at) => at > now - window);
      if (tries.failures.length >= mostFailures) throw tooMany(tries.failures[0] ?? now, now);
      if (tries.failures.length + tries.underWay < mostFailures) break;
      await new Promise<void>((resolve) => tries.waiting.push(resolve));
    }
    tries.underWay += 1;
    try {
      const good = await verify();
      if (!good) tries.failures.push(now);
      return good;
    } finally {
      tries.underWay -= 1;
      for (const next of tries.waiting.splice(0)) next();
    }
  }

  /** The longest unused are forgotten, so that many made-up accounts take no more than so much memory. */
  #find(key: string): Tries {
    const tries = this.#tries.get(key) ?? { failures: [], underWay: 0, waiting: [] };
    this.#tries.delete(key);
    this.#tries.set(key, tries);
    if (this.#tries.size > mostRemembered) {
      const [oldest] = this.#tries.keys();
      if (oldest !== undefined) this.#tries.delete(oldest);
    }
    return tries;
  }
}

function tooMany(oldest: number, now: number): Failure {
  const retryAfter = Math.max(1, Math.ceil((oldest + window - now) / 1000));
  return new Failure('tooMany', `Too many failed sign-ins: try again in ${retryAfter} seconds`, {
    retryAfter,
  });
}
