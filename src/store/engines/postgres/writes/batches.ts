import type { Schemas } from '../../../known-schemas.ts';
import { checkBatchSize, countElements, tooMuchWork, work } from '../../../sizes.ts';
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
 * Extra milliseconds for a batch per million characters of text, and at most. Indexing a million took the search index 1.5
 * seconds with random words; natural language has fewer trigrams.
 */
const timePerMillion = 3_000;
const mostTime = 45_000;

/** `signal`: aborted when the client has disconnected. */
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

/**
 * Inserts a batch that only creates records of one collection as a group. If one is refused, returns undefined: the batch is
 * repeated step by step to find out which.
 */
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
        // Serialized: two batches that take the same unique values in different order would deadlock.
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
  // Serializes concurrent requests with the same key.
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
  checkBatchSize(results);
  if (idempotency) await keep(db, idempotency, results);
  return { results, replayed: false };
}
