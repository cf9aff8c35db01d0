import { availableParallelism } from 'node:os';
import { hash, verify } from '@node-rs/argon2';

/** argon2id with 19 MiB, two passes: some 20 ms of one core. */
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

export const passwordRule = { least: 8, most: 256 };

/** Hashing runs on threads of its own; one at a time less than there are cores, so that requests go on. */
const mostAtOnce = Math.max(1, availableParallelism() - 1);
let running = 0;
const waiting: (() => void)[] = [];

async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (running >= mostAtOnce) await new Promise<void>((resolve) => waiting.push(resolve));
  else running += 1;
  try {
    return await work();
  } finally {
    const next = waiting.shift();
    if (next) next();
    else running -= 1;
  }
}

export function hashPassword(password: string): Promise<string> {
  return inTurn(() => hash(password, cost));
}

/** Without a hash (nobody has that address) it takes as long, and the answer is no. */
export async function passwordFits(password: string, stored: string | undefined): Promise<boolean> {
  const against = stored ?? (await nobodysHash);
  const fits = await inTurn(() => verify(against, password));
  return fits && stored !== undefined;
}

/** Made at once, so that the first who is unknown waits no longer than the second. */
const nobodysHash = hashPassword('a password that nobody has');
