import { Failure } from '../failure.ts';
import { addressKey, type Caller, callerKey } from './caller.ts';

const mostRemembered = 100_000;
/** Most characters of a token that is cached; an ordinary one has a few hundred. */
const longestRemembered = 2_000;
/** Milliseconds for which the caller of a token is cached. */
const goodFor = 60_000;

interface Bucket {
  tokens: number;
  /** When the tokens were counted, in milliseconds since 1970. */
  at: number;
}

/** A request as the limit sees it. */
export interface Visit {
  /** The token alone, as the rest of the Authorization header can be written in many ways. */
  readonly token: string | undefined;
  readonly address: () => string;
  readonly now: number;
}

/** A token bucket per caller: `perSecond` requests a second, and a burst of `atOnce`. */
export class RateLimit {
  readonly #perSecond: number;
  readonly #atOnce: number;
  readonly #buckets = new Map<string, Bucket>();
  /** Bucket keys by access token, for tokens that were found valid. */
  readonly #known = new Map<string, { readonly key: string; readonly at: number }>();

  constructor(perSecond: number, atOnce: number) {
    this.#perSecond = perSecond;
    this.#atOnce = Math.max(1, atOnce);
  }

  /** Charges one request to its caller, or to its address if the caller is not known yet; refuses it if the bucket is empty. */
  enter({ token, address, now }: Visit): void {
    const known = this.#find(token, now);
    this.#spend(known ?? addressKey(address()), 1, now);
  }

  accepted({ token, address, now }: Visit, caller: Caller): void {
    if (token === undefined || token.length > longestRemembered) return;
    remember(this.#known, token, { key: callerKey(caller, address), at: now });
  }

  /** Charges the address for a request whose token turned out to be no longer valid. */
  refused({ token, address, now }: Visit): void {
    if (token === undefined || this.#find(token, now) === undefined) return;
    this.#known.delete(token);
    const bucket = this.#bucket(addressKey(address()), now);
    bucket.tokens = Math.max(0, bucket.tokens - 1);
  }

  /** Charges a request for its cost beyond one. A cost above the size of the bucket leaves a debt. */
  spendRest(caller: Caller, { address, now }: Visit, cost: number): void {
    this.#spend(callerKey(caller, address), cost, now, this.#atOnce - 1);
  }

  #find(token: string | undefined, now: number): string | undefined {
    const known = token === undefined ? undefined : this.#known.get(token);
    return known && known.at > now - goodFor ? known.key : undefined;
  }

  #spend(key: string, cost: number, now: number, enough = this.#atOnce): void {
    const bucket = this.#bucket(key, now);
    const needed = Math.min(cost, enough);
    if (bucket.tokens < needed) {
      const retryAfter = Math.max(1, Math.ceil((needed - bucket.tokens) / this.#perSecond));
      throw new Failure('tooMany', `Too many requests: try again in ${seconds(retryAfter)}`, { retryAfter });
    }
    bucket.tokens -= cost;
  }

  #bucket(key: string, now: number): Bucket {
    const bucket = this.#buckets.get(key) ?? { tokens: this.#atOnce, at: now };
    const earned = (Math.max(0, now - bucket.at) / 1000) * this.#perSecond;
    bucket.tokens = Math.min(this.#atOnce, bucket.tokens + earned);
    bucket.at = now;
    remember(this.#buckets, key, bucket);
    return bucket;
  }
}

/** Adds an entry, and evicts the least recently used one. */
function remember<T>(map: Map<string, T>, key: string, value: T): void {
  map.delete(key);
  map.set(key, value);
  if (map.size <= mostRemembered) return;
  const [oldest] = map.keys();
  if (oldest !== undefined) map.delete(oldest);
}

const seconds = (count: number) => (count === 1 ? '1 second' : `${count} seconds`);
