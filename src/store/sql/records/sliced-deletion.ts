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
  /** The most work of one slice. */
  readonly work?: number | undefined;
  /** A step that is committed together with the decision. */
  readonly decided?: WriteStep<void> | undefined;
}

/**
 * A deletion that touches so many records that others would wait for it too long. Everything it deletes is marked first, and
 * from then on nobody can refer to it. If a record that stays forbids the deletion, the marks are removed again and nothing has
 * happened. Otherwise the decision is stored, and carried out a slice at a time: references are cleared, and marked records are
 * removed. Whoever finds it unfinished completes it: see `finishDeletion`.
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
    // The commit may have been made although its answer was lost.
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

/** Without Retry-After, so that nobody sends it again: it is decided, though not completed yet. */
const unfinished = () =>
  new Failure('unavailable', 'The deletion has begun and will be completed: check before you send it again');

/** Completes what an earlier process left if it was decided, and undoes it otherwise. Returns whether there was anything. */
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
