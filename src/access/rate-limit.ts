import { Failure } from '../failure.ts';
import type { Caller } from './caller.ts';

const mostRemembered = 100_000;

interface Bucket {
  tokens: number;
  /** When the tokens were counted, in milliseconds since 1970. */
  at: number;
}

/** A token bucket for every caller: so many requests a second, and so many at once after a pause. */
export class RateLimit {
  readonly #perSecond: number;
  readonly #atOnce: number;
  readonly #buckets = new Map<string, Bucket>();

  constructor(perSecond: number, atOnce: number) {
    this.#perSecond = perSecond;
    this.#atOnce = Math.max(1, atOnce);
  }

  /** Takes the tokens of a request, or refuses it. One that costs more than a full bucket leaves a debt. */
  spend(caller: Caller, address: () => string, cost: number, now: number): void {
    const bucket = this.#find(callerKey(caller, address), now);
    const needed = Math.min(cost, this.#atOnce);
    if (bucket.tokens < needed) {
      const retryAfter = Math.max(1, Math.ceil((needed - bucket.tokens) / this.#perSecond));
      throw new Failure('tooMany', `Too many requests: try again in ${retryAfter} seconds`, { retryAfter });
    }
    bucket.tokens -= cost;
  }

  #find(key: string, now: number): Bucket {
    const bucket = this.#buckets.get(key) ?? { tokens: this.#atOnce, at: now };
    const earned = (Math.max(0, now - bucket.at) / 1000) * this.#perSecond;
    bucket.tokens = Math.min(this.#atOnce, bucket.tokens + earned);
    bucket.at = now;
    this.#buckets.delete(key);
    this.#buckets.set(key, bucket);
    if (this.#buckets.size > mostRemembered) {
      const [oldest] = this.#buckets.keys();
      if (oldest !== undefined) this.#buckets.delete(oldest);
    }
    return bucket;
  }
}

/** Callers without a token are told apart by where they come from. */
function callerKey(caller: Caller, address: () => string): string {
  switch (caller.kind) {
    case 'user':
      return `user ${caller.user}`;
    case 'key':
      return `key ${caller.key}`;
    case 'administrator':
      return 'administrator';
    case 'nobody':
      return `address ${address()}`;
  }
}
