import { availableParallelism } from 'node:os';
import { loadArgon2 } from './argon2.ts';
import type { Turns, TurnTaker } from './turns.ts';

/** argon2id with 19 MiB and two passes: about 20 ms of one core. */
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

const argon2 = loadArgon2();

export const passwordRule = { least: 8, most: 256 };

/** Hashing runs on threads of its own; one core is left free for requests. */
export const hashedAtOnce = Math.max(1, availableParallelism() - 1);

/** Hashes and verifies passwords for one request, each in a turn. */
export class Passwords {
  readonly #turns: Turns;
  readonly #taker: TurnTaker;
  readonly #first: (() => Promise<void> | undefined) | undefined;

  /** `first`: called in each turn, before the work. */
  constructor(turns: Turns, taker: TurnTaker, first?: () => Promise<void> | undefined) {
    this.#turns = turns;
    this.#taker = taker;
    this.#first = first;
  }

  hash(password: string): Promise<string> {
    return this.#run(() => hashPassword(password));
  }

  /** Without a hash (no account has that address) it takes as long, and returns false. */
  async fits(password: string, stored: string | undefined): Promise<boolean> {
    const against = stored || (await nobodysHash); // '' for an account without a password
    const fits = await this.#run(async () => (await argon2).verify(against, password));
    return fits && stored !== undefined && stored !== '';
  }

  #run<T>(work: () => Promise<T>): Promise<T> {
    return this.#turns.run(this.#taker, async () => {
      await this.#first?.();
      return work();
    });
  }
}

/** Takes no turn; for the command line. */
export async function hashPassword(password: string): Promise<string> {
  return (await argon2).hash(password, cost);
}

/** Made at start, so that the first sign-in with an unknown address takes no longer than others. */
const nobodysHash = hashPassword('a password that nobody has');
