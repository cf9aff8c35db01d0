import { availableParallelism } from 'node:os';
import { loadArgon2 } from './argon2.ts';
import type { Turns, TurnTaker } from './turns.ts';

/** argon2id with 19 MiB, two passes: some 20 ms of one core. */
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

const argon2 = loadArgon2();

export const passwordRule = { least: 8, most: 256 };

/** Hashing runs on threads of its own; one at a time less than there are cores, so that requests go on. */
export const hashedAtOnce = Math.max(1, availableParallelism() - 1);

/** What a request does with passwords, each in its turn. */
export class Passwords {
  readonly #turns: Turns;
  readonly #taker: TurnTaker;
  readonly #first: (() => Promise<void> | undefined) | undefined;

  /** `first`: what is done before each, in its turn. */
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
    const against = stored || (await nobodysHash); // an account without a password has an empty one
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

/** Out of turn: for the command line. */
export async function hashPassword(password: string): Promise<string> {
  return (await argon2).hash(password, cost);
}

/** Made at once, so that the first who is unknown waits no longer than the second. */
const nobodysHash = hashPassword('a password that nobody has');
