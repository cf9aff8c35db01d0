import { Failure } from '../failure.ts';
import { countSignIn } from '../metrics/counted.ts';
import { countedAddress } from './networks.ts';

const mostFailures = 10;
const window = 60_000;
const mostRemembered = 100_000;

/** Counts tries to sign in: in this process, or in one process for several. */
export interface SignInTries {
  /**
   * Begins a try, or refuses it after ten failures. Only as many tries are under way at once as failures are left; further ones
   * wait. The function that it returns ends the try, and must be called with whether it failed.
   */
  begin(who: string, now: number): Promise<(failed: boolean) => void>;
}

/** Limits failed sign-ins to ten a minute, by address and account. */
export class SignInLimit {
  readonly #tries: SignInTries;

  constructor(tries: SignInTries = new CountedTries()) {
    this.#tries = tries;
  }

  /** Runs `verify`, unless there were ten failures in the last minute. */
  async attempt(
    address: string,
    account: string,
    now: number,
    verify: () => Promise<boolean>,
  ): Promise<boolean> {
    const realm = account.startsWith('_admin ') ? 'administrators' : 'users';
    const end = await this.#tries
      .begin(`${countedAddress(address)} ${account}`, now)
      .catch((error: unknown) => {
        countSignIn(realm, 'limited');
        throw error;
      });
    let failed = false;
    try {
      const good = await verify();
      failed = !good;
      countSignIn(realm, good ? 'done' : 'failed');
      return good;
    } finally {
      end(failed);
    }
  }
}

interface Tries {
  /** The times of the failures in the last minute. */
  failures: number[];
  underWay: number;
  waiting: (() => void)[];
}

/** Counts in the memory of this process. */
export class CountedTries implements SignInTries {
  readonly #tries = new Map<string, Tries>();

  async begin(who: string, now: number): Promise<(failed: boolean) => void> {
    const tries = this.#find(who);
    for (;;) {
      // Failures in the future are from before the clock was set back.
      tries.failures = tries.failures.filter((at) => Math.abs(now - at) < window);
      if (tries.failures.length >= mostFailures) throw tooManyFailures(secondsLeft(tries.failures, now));
      if (tries.failures.length + tries.underWay < mostFailures) break;
      await new Promise<void>((resolve) => tries.waiting.push(resolve));
    }
    tries.underWay += 1;
    return (failed) => {
      if (failed) tries.failures.push(now);
      tries.underWay -= 1;
      for (const next of tries.waiting.splice(0)) next();
    };
  }

  /** Evicts the least recently used entry, so that made-up accounts can't fill the memory. */
  #find(who: string): Tries {
    const tries = this.#tries.get(who) ?? { failures: [], underWay: 0, waiting: [] };
    this.#tries.delete(who);
    this.#tries.set(who, tries);
    if (this.#tries.size > mostRemembered) {
      const [oldest] = this.#tries.keys();
      if (oldest !== undefined) this.#tries.delete(oldest);
    }
    return tries;
  }
}

function secondsLeft([oldest = 0]: readonly number[], now: number): number {
  return Math.max(1, Math.ceil((oldest + window - now) / 1000));
}

export function tooManyFailures(retryAfter: number): Failure {
  return new Failure('tooMany', `Too many failed sign-ins: try again in ${retryAfter} seconds`, {
    retryAfter,
  });
}
