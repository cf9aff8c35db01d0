import { availableParallelism } from 'node:os';
import { loadArgon2 } from './argon2.ts';
import type { Turns, TurnTaker } from './turns.ts';

/** argon2id with 19 MiB, two passes: some 20 ms of one core. */
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

const argon2 = loadArgon2();

export const passwordRule = { least: 8, most: 256 };

/** Hashing runs on threads of its own, on one core less than there are, so that requests go on. */
export const hashedAtOnce = Math.max(1, availableParallelism() - 1);

/** Hashes and verifies passwords for one request, each in its turn. */
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

  /** Without a hash (nobody has that address) it takes as long, and the answer is no. */
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

/** Without a turn: for the command line. */
export async function hashPassword(password: string): Promise<string> {
  return (await argon2).hash(password, cost);
}

/** Made at start, so that the first unknown address takes no longer than the next. */
const nobodysHash = hashPassword('a password that nobody has');
