import { setTimeout as sleep } from 'node:timers/promises';
import { faultCode } from '../connection/faults.ts';

const lockTimeout = (milliseconds: number) => `SET LOCAL lock_timeout = ${milliseconds}`;

/** Milliseconds to wait for a lock on something in use: while one transaction waits for it, all later ones queue up behind it. */
const shortest = 100;
/** If the machine is too busy for that, each attempt waits longer than the one before, up to this. */
const longest = 1_000;
/** Milliseconds for all attempts together; then the caller is told to try again. */
const longestInAll = 3_000;

/** Follows the BEGIN of a transaction that can be retried later. */
export const briefly = lockTimeout(shortest);

/** Retries if a lock could not be obtained. `work` gets the statement to put after its BEGIN. */
export async function withLockRetries<T>(work: (timeout: string) => Promise<T>): Promise<T> {
  const start = performance.now();
  for (let wait = shortest; ; wait = Math.min(longest, wait * 2)) {
    try {
      return await work(lockTimeout(wait));
    } catch (error) {
      if (faultCode(error) !== '55P03' || performance.now() - start > longestInAll) throw error;
      await sleep(shortest); // lets those who queued up proceed
    }
  }
}
