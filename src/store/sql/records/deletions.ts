import type { BatchAnswer, BatchPlan, DeletePlan } from '../../write-plans.ts';
import type { WriteStep, Writes } from '../transaction.ts';
import { runBatch } from './batch.ts';
import { deleteRecord, LargeDeletion } from './delete-records.ts';
import { findDeletion } from './deletion-marks.ts';
import { keep } from './kept-answers.ts';
import { deleteInSlices, finishDeletion } from './sliced-deletion.ts';

/**
 * Runs work while no other large deletion is under way in the project, in any process. undefined: there is one, and `waits` is
 * false.
 */
export type Exclusively = <T>(work: (writes: Writes) => Promise<T>, waits: boolean) => Promise<T | undefined>;

const soon = 1_000;

/** Deletions of a project: in one transaction if they are small, otherwise in slices. */
export class Deletions {
  readonly #writes: Writes;
  readonly #exclusively: Exclusively;
  readonly #pause: number;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #underWay: Promise<unknown> = Promise.resolve();
  #stopped = false;

  /** `pause`: milliseconds between checks for what another process left unfinished; default: none. */
  constructor(writes: Writes, exclusively: Exclusively, pause = Number.POSITIVE_INFINITY) {
    this.#writes = writes;
    this.#exclusively = exclusively;
    this.#pause = pause;
  }

  async delete(plan: DeletePlan): Promise<boolean> {
    try {
      return await this.#writes.write((transaction) => deleteRecord(transaction, plan));
    } catch (error) {
      if (!(error instanceof LargeDeletion)) throw error;
      return this.#deleteInSlices(plan);
    }
  }

  /** A deletion with an idempotency key that is too large is also done in slices, and its answer is stored once it is decided. */
  async batch(
    plan: BatchPlan,
    run: () => Promise<BatchAnswer> = () => this.#run(plan),
  ): Promise<BatchAnswer> {
    try {
      return await run();
    } catch (error) {
      const [step] = plan.steps;
      if (!(error instanceof LargeDeletion) || step?.kind !== 'delete') throw error;
      const results = [JSON.stringify({ _id: step.plan.id })];
      const keepAnswer: WriteStep<void> = async ({ db }) => {
        if (plan.idempotency) await keep(db, plan.idempotency, results);
      };
      if (await this.#deleteInSlices(step.plan, keepAnswer)) return { results, replayed: false };
      return this.batch(plan, run); // it is gone by now, which is reported as usual, or an earlier request did it
    }
  }

  #run(plan: BatchPlan): Promise<BatchAnswer> {
    return this.#writes.write((transaction) => runBatch(transaction, plan));
  }

  /** Resumes what was left unfinished, here or by a process that died, and checks again periodically. */
  wake(delay = 0): void {
    if (this.#stopped || delay === Number.POSITIVE_INFINITY) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#underWay = this.#finish().then(
        () => this.wake(this.#pause),
        () => this.wake(soon), // for example a full disk or an outage
      );
    }, delay);
    this.#timer.unref();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#underWay;
  }

  async #finish(): Promise<void> {
    if (!(await this.#writes.write(({ db }) => findDeletion(db)))) return;
    await this.#exclusively((writes) => finishDeletion(this.#stoppable(writes)), false);
  }

  async #deleteInSlices(plan: DeletePlan, decided?: WriteStep<void>): Promise<boolean> {
    try {
      const deleted = await this.#exclusively(async (writes) => {
        await finishDeletion(writes);
        return deleteInSlices(writes, plan, { decided });
      }, true);
      return deleted ?? false;
    } catch (error) {
      this.wake(soon);
      throw error;
    }
  }

  /** Closing the project does not wait for the end: whoever opens it next resumes the deletion. */
  #stoppable(writes: Writes): Writes {
    return {
      write: (step) => (this.#stopped ? Promise.reject(new Error('stopped')) : writes.write(step)),
    };
  }
}
