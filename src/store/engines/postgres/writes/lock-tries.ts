import { setTimeout as pause } from 'node:timers/promises';
import { faultCode } from '../connection/faults.ts';

const lockTimeout = (milliseconds: number) => `SET LOCAL lock_timeout = ${milliseconds}`;

/** While somebody waits for a lock on what everybody uses, all wait for them who come after: in milliseconds, for no longer than this. */
const shortest = 100;
/** Where that is too short again and again, as on a machine that is too busy, it takes longer. */
const longest = 1_000;
/** For which it is tried in all; then whoever asked is told to try again. */
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
      await pause(shortest); // for those who waited
    }
  }
}
