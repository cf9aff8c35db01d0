import { Failure } from '../failure.ts';

const mostFailures = 10;
const window = 60_000;
const mostRemembered = 100_000;

/** Failed sign-ins of the last minute, by address and account. */
export class SignInLimit {
  readonly #failures = new Map<string, number[]>();

  /** Refuses a further try after ten failures. */
  check(address: string, account: string, now: number): void {
    const recent = this.#recent(address, account, now);
    const [oldest = now] = recent;
    if (recent.length < mostFailures) return;
    const retryAfter = Math.max(1, Math.ceil((oldest + window - now) / 1000));
    throw new Failure('tooMany', `Too many failed sign-ins: try again in ${retryAfter} seconds`, {
      retryAfter,
    });
  }

  /** Counted before the password is looked at, so that many tries at once are as many. */
  begin(address: string, account: string, now: number): void {
    this.check(address, account, now);
    const key = keyOf(address, account);
    const recent = this.#recent(address, account, now);
    this.#failures.delete(key);
    if (this.#failures.size >= mostRemembered) {
      const [first] = this.#failures.keys();
      if (first !== undefined) this.#failures.delete(first);
    }
    this.#failures.set(key, [...recent, now]);
  }

  /** It was no failure after all: one try less. */
  succeeded(address: string, account: string): void {
    const key = keyOf(address, account);
    const rest = this.#failures.get(key)?.slice(0, -1) ?? [];
    if (rest.length > 0) this.#failures.set(key, rest);
    else this.#failures.delete(key);
  }

  #recent(address: string, account: string, now: number): number[] {
    return (this.#failures.get(keyOf(address, account)) ?? []).filter((at) => at > now - window);
  }
}

const keyOf = (address: string, account: string) => `${address} ${account}`;
