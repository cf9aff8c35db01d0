import { Failure } from '../failure.ts';
import { countSignIn } from '../metrics/counted.ts';
import { countedAddress } from './networks.ts';

export const mostFailures = 10;
/** Milliseconds for which a failure counts. */
export const failureWindow = 60_000;
const mostRemembered = 100_000;

/** Counts tries to sign in: in this process, or in one process for several. */
export interface SignInTries {
  /**
   * Begins a try, or refuses it after ten failures. Only as many tries are under way at once as failures are left; further ones
   * wait. The function that it returns ends the try, and must be called with whether it failed.
   */
  begin(who: string, now: number): Promise<(failed: boolean) => void>;
}

/** The failures of all nodes of an instance. Both calls refuse after ten of them. */
export interface FailedSignIns {
  check(who: string, now: number): Promise<void>;
  /** Counts one more. */
  add(who: string, now: number): Promise<void>;
  /** Removes those that no longer count. */
  prune(now: number): Promise<void>;
}

/** Limits failed sign-ins to ten a minute, by address and account. */
export class SignInLimit {
  readonly #shared: FailedSignIns | undefined;
  readonly #tries: SignInTries;

  /** `shared`: where the instance may have other nodes. */
  constructor(shared?: FailedSignIns, tries: SignInTries = new CountedTries()) {
    this.#shared = shared;
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
    const who = `${countedAddress(address)} ${account}`;
    const refused = (error: unknown) => {
      if (error instanceof Failure && error.kind === 'tooMany') countSignIn(realm, 'limited');
      throw error;
    };
    const end = await this.#tries.begin(who, now).catch(refused);
    let failed = false;
    try {
      await this.#shared?.check(who, now).catch(refused);
      const good = await verify();
      failed = !good;
      // Again, as ten may have failed at other nodes meanwhile: then nobody learns any more which password is right.
      await (good ? this.#shared?.check(who, now) : this.#shared?.add(who, now))?.catch(refused);
      countSignIn(realm, good ? 'done' : 'failed');
      return good;
    } finally {
      end(failed);
    }
  }
}

interface Tries {
  /** The times of the failures in the last minute. */
  failures: readonly number[];
  underWay: number;
  waiting: (() => void)[];
}

/** Counts in the memory of this process. */
export class CountedTries implements SignInTries {
  readonly #tries = new Map<string, Tries>();

  async begin(who: string, now: number): Promise<(failed: boolean) => void> {
    const tries = this.#find(who);
    for (;;) {
      tries.failures = recentFailures(tries.failures, now);
      refuseMore(tries.failures, now);
      if (tries.failures.length + tries.underWay < mostFailures) break;
      await new Promise<void>((resolve) => tries.waiting.push(resolve));
    }
    tries.underWay += 1;
    return (failed) => {
      if (failed) tries.failures = [...tries.failures, now];
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

/** Those of the last minute. Failures in the future are from before the clock was set back. */
export function recentFailures(failures: readonly number[], now: number): readonly number[] {
  return failures.filter((at) => Math.abs(now - at) < failureWindow);
}

/** Refuses another try after these failures of the last minute. */
export function refuseMore(failures: readonly number[], now: number): void {
  const [oldest = 0] = failures;
  if (failures.length >= mostFailures)
    throw tooManyFailures(Math.max(1, Math.ceil((oldest + failureWindow - now) / 1000)));
}

export function tooManyFailures(retryAfter: number): Failure {
  return new Failure('tooMany', `Too many failed sign-ins: try again in ${retryAfter} seconds`, {
    retryAfter,
  });
}
