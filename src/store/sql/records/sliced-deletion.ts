import { Failure } from '../../../failure.ts';
import { deletionSlice } from '../../sizes.ts';
import type { DeletePlan } from '../../write-plans.ts';
import type { WriteStep, Writes } from '../transaction.ts';
import { carryOutDeletion } from './carry-out-deletion.ts';
import { findTarget } from './delete-records.ts';
import {
  addMarks,
  beginDeletion,
  decideDeletion,
  endDeletion,
  lockDeletion,
  removeSomeMarks,
} from './deletion-marks.ts';
import { markDeletion } from './mark-deletion.ts';

interface SlicedOptions {
  /** Of one slice. */
  readonly work?: number | undefined;
  /** What is written down together with the decision. */
  readonly decided?: WriteStep<void> | undefined;
}

/**
 * A deletion that touches so many records that others would wait for it too long. All that it takes is marked first,
 * and from then on nobody can refer to it; if a record that stays forbids it the marks go again, and nothing has
 * happened. Otherwise that it will be done is written down, and it is: referring records are cleared, and what is
 * marked is removed, a slice at a time. Whoever finds it unfinished goes on: see `finishDeletion`.
 */
export async function deleteInSlices(
  writes: Writes,
  plan: DeletePlan,
  { work = deletionSlice, decided }: SlicedOptions = {},
): Promise<boolean> {
  const found = await writes.write(async (transaction) => {
    const collection = await transaction.collection(plan.collection);
    const target = await findTarget(transaction.db, collection, plan);
    if (!target) return false;
    await beginDeletion(transaction.db, plan.at);
    await addMarks(transaction.db, collection, [target.id]);
    return true;
  });
  if (!found) return false;
  try {
    await markDeletion(writes, work);
    await writes.write(async (transaction) => {
      await decideDeletion(transaction.db);
      await decided?.(transaction);
    });
  } catch (error) {
    // A commit whose answer was lost may have been made.
    if (!(await writes.write(({ db }) => lockDeletion(db)))?.carrying) {
      await abandon(writes);
      throw error;
    }
  }
  try {
    await carryOutDeletion(writes, plan.at, work);
  } catch (cause) {
    throw Object.assign(unfinished(), { cause });
  }
  return true;
}

/** Not to be sent again: it is done already, though not all of it yet. */
const unfinished = () =>
  new Failure('unavailable', 'The deletion has begun and will be completed: check before you send it again');

/** What an earlier process left: done where that was decided, undone otherwise. Says whether there was anything. */
export async function finishDeletion(writes: Writes, work: number = deletionSlice): Promise<boolean> {
  const found = await writes.write(({ db }) => lockDeletion(db));
  if (!found) return false;
  if (found.carrying) await carryOutDeletion(writes, found.at, work);
  else await abandon(writes);
  return true;
}

async function abandon(writes: Writes): Promise<void> {
  while (await writes.write(({ db }) => removeSomeMarks(db, 1_000)));
  await writes.write(({ db }) => endDeletion(db));
}
