import { setTimeout as sleep } from 'node:timers/promises';
import { faultCode } from '../connection/faults.ts';

const lockTimeout = (milliseconds: number) => `SET LOCAL lock_timeout = ${milliseconds}`;

/** Milliseconds for a lock on what everybody uses: while one waits for it, all who come later wait behind it. */
const shortest = 100;
/** On a machine that is too busy for that, each try waits longer than the one before, up to this. */
const longest = 1_000;
/** Milliseconds of all tries together; then the caller is told to try again. */
const longestInAll = 3_000;

/** Behind the BEGIN of a transaction that may be tried again later. */
export const briefly = lockTimeout(shortest);

/** Does it again where a lock could not be had. `work` gets what is to be behind its BEGIN. */
export async function inTries<T>(work: (timeout: string) => Promise<T>): Promise<T> {
  const start = performance.now();
  for (let wait = shortest; ; wait = Math.min(longest, wait * 2)) {
    try {
      return await work(lockTimeout(wait));
    } catch (error) {
      if (faultCode(error) !== '55P03' || performance.now() - start > longestInAll) throw error;
      await sleep(shortest); // for those who waited
    }
  }
}
