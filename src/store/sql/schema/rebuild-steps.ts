import type { Transaction } from '../transaction.ts';
import type { Rebuild } from './rebuild.ts';

/** Recorded writes that may be left for the end, when nobody can write. */
const mostRest = 4;

/** Does some of the work in one transaction, on about `records` records. */
export type Step = <T>(work: (transaction: Transaction, records: number) => Promise<T>) => Promise<T>;

/** Until few recorded writes are left, or no fewer than before, as others write just as fast. Returns how many there were. */
export async function catchUp(step: Step, rebuild: Rebuild): Promise<number> {
  let all = 0;
  for (let rest = Number.POSITIVE_INFINITY, notes = rest; notes > mostRest; rest = notes) {
    let more: boolean;
    do {
      [notes, more] = await step(async ({ db }, records) => {
        const done = await rebuild.catchUp(db, records);
        return [done, done === records];
      });
      all += notes;
    } while (more);
    if (notes >= rest) return all;
  }
  return all;
}

/** Others may have made room for them by now. */
export async function retryMisfits(step: Step, rebuild: Rebuild): Promise<void> {
  const misfits = rebuild.manyMisfits;
  for (let at = 0; at < misfits.length; ) {
    const from = at;
    at = await step(async ({ db }, records) => {
      await rebuild.retryMisfits(db, misfits.slice(from, from + records));
      return from + records;
    });
  }
  if (misfits.length > 0) await catchUp(step, rebuild);
}
