import type { Schemas } from '../../../known-schemas.ts';
import { countElements, tooMuchWork, work } from '../../../sizes.ts';
import { checkAuthority } from '../../../sql/accounts/check-authority.ts';
import { runBatch } from '../../../sql/records/batch.ts';
import { findKept, keep } from '../../../sql/records/kept-answers.ts';
import { hasUnique } from '../../../sql/records/unique.ts';
import type { Transaction, WriteStep } from '../../../sql/transaction.ts';
import type { BatchAnswer, BatchPlan, InsertPlan } from '../../../write-plans.ts';
import type { ProjectDatabase } from '../project-database.ts';
import { insertGroup } from './insert-group.ts';
import { concernsAll } from './inserts.ts';

/**
 * Milliseconds that a batch has for each million characters of texts, beside those that every request has, and at most. The index
 * for search took 1.5 seconds for them where all words were random; those of a language have fewer trigrams.
 */
const timePerMillion = 3_000;
const mostTime = 45_000;

/** `signal`: says that the client has left. */
export async function writeBatch(
  database: ProjectDatabase,
  schemas: Schemas,
  plan: BatchPlan,
  signal: AbortSignal | undefined,
): Promise<BatchAnswer> {
  database.deadline.extend(Math.min(mostTime, (countCharacters(plan.steps) / 1e6) * timePerMillion));
  const creates = newOf(plan.steps);
  const write = <T>(step: WriteStep<T>) => database.write(step, { signal, creates });
  const answer = await writeNew(write, schemas, plan);
  return answer ?? write((transaction) => runBatch(transaction, plan));
}

function countCharacters(steps: BatchPlan['steps']): number {
  let count = 0;
  for (const step of steps) {
    if (step.kind === 'delete') continue;
    for (const value of Object.values(step.plan.values).flat())
      if (typeof value === 'string') count += value.length;
  }
  return count;
}

const newOf = (steps: BatchPlan['steps']): InsertPlan[] =>
  steps.flatMap((step) => (step.kind === 'insert' ? [step.plan] : []));

type Write = <T>(step: WriteStep<T>) => Promise<T>;

/** A batch of nothing but new records of one collection is a group; if one is refused, all are done again to say which. */
async function writeNew(write: Write, schemas: Schemas, plan: BatchPlan): Promise<BatchAnswer | undefined> {
  const plans = newOf(plan.steps);
  const [first] = plans;
  const alike =
    plans.length === plan.steps.length &&
    plans.every(({ collection }) => collection.key === first?.collection.key);
  if (!first || !alike) return undefined;
  try {
    return await write(async (transaction) => {
      const collection = schemas.collection(first.collection);
      return insertAll(transaction, plan, async () => {
        // One after the other: two that take the same unique values in another order would wait for each other.
        if (plans.length > 1 && hasUnique(collection)) await transaction.lockCounters([collection]);
        return insertGroup(transaction, collection, plans);
      });
    });
  } catch (error) {
    if (concernsAll(error)) throw error;
    return undefined;
  }
}

async function insertAll(
  { db }: Transaction,
  { steps, idempotency, authority, mostWork = Number.POSITIVE_INFINITY }: BatchPlan,
  insert: () => ReturnType<typeof insertGroup>,
): Promise<BatchAnswer> {
  // Two requests with one key that arrive together meet here, one after the other.
  if (idempotency) await db.dialect.lockName(db, `${idempotency.realm} ${idempotency.key}`);
  const kept = idempotency && (await findKept(db, idempotency));
  if (kept) return { results: kept, replayed: true };
  const [inserted] = await Promise.all([insert(), checkAuthority(db, authority)]);
  let done = 0;
  const results = inserted.map((result, index) => {
    if (typeof result !== 'string') throw result;
    const step = steps[index];
    if (step?.kind === 'insert') done += work.create(result, countElements(step.plan.values));
    if (done > mostWork && steps.length > 1) throw tooMuchWork();
    return result;
  });
  if (idempotency) await keep(db, idempotency, results);
  return { results, replayed: false };
}
