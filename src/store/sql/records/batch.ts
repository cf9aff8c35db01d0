import type { Awaitable } from '../../../awaitable.ts';
import { Failure, within } from '../../../failure.ts';
import type { StoredCollection } from '../../schema.ts';
import { batchTooLarge, largestAnswer, tooMuchWork } from '../../sizes.ts';
import type { BatchAnswer, BatchPlan, BatchStep } from '../../write-plans.ts';
import { checkAuthority } from '../accounts/check-authority.ts';
import type { Transaction } from '../transaction.ts';
import { deleteRecord, LargeDeletion } from './delete-records.ts';
import { findKept, isUnderWay, keep } from './kept-answers.ts';
import { updateRecord } from './update-record.ts';
import { insertRecord } from './write-records.ts';

export async function runBatch(
  transaction: Transaction,
  { steps, idempotency, authority, mostWork = Number.POSITIVE_INFINITY }: BatchPlan,
): Promise<BatchAnswer> {
  const { db } = transaction;
  await checkAuthority(db, authority);
  // Serializes concurrent requests with the same key.
  if (idempotency) await db.dialect.lockName(db, `${idempotency.realm} ${idempotency.key}`);
  const kept = idempotency && (await findKept(db, idempotency));
  if (kept) {
    const [first] = steps;
    const isAlone = first?.kind === 'delete' && first.place === '';
    if (isAlone && (await isUnderWay(db, idempotency))) throw new LargeDeletion();
    return { results: kept, replayed: true };
  }
  if (steps.length > 1) await transaction.lockCounters(await writtenBy(transaction, steps));
  const results: string[] = [];
  let bytes = 0;
  const start = transaction.work;
  for (const step of steps) {
    try {
      const running = runStep(transaction, step, mostWork);
      const result = running instanceof Promise ? await running : running;
      if (transaction.work - start > mostWork && steps.length > 1) throw tooMuchWork();
      results.push(result);
      bytes += Buffer.byteLength(result);
    } catch (error) {
      const refusal = error instanceof LargeDeletion && step.place !== '' ? notInBatch() : error;
      throw refusal instanceof Failure && step.place !== '' ? within(step.place, refusal) : refusal;
    }
    if (bytes > largestAnswer) throw batchTooLarge();
  }
  if (idempotency) await keep(db, idempotency, results);
  return { results, replayed: false };
}

function notInBatch(): Failure {
  return new Failure(
    'conflict',
    'its deletion touches over 1,000 other records, or very large ones: delete it alone, not in a batch',
  );
}

/** The collections that the steps write to, including those whose records refer to what is deleted. */
async function writtenBy(
  transaction: Transaction,
  steps: readonly BatchStep[],
): Promise<Set<StoredCollection>> {
  const written = new Set<StoredCollection>();
  const deletedFrom: StoredCollection[] = [];
  for (const { kind, plan } of steps) {
    const collection = await transaction.collection(plan.collection);
    if (kind === 'delete') deletedFrom.push(collection);
    else written.add(collection);
  }
  const visited = new Set<StoredCollection>();
  for (let next = deletedFrom.pop(); next; next = deletedFrom.pop()) {
    if (visited.has(next)) continue;
    visited.add(next);
    written.add(next);
    for (const { from, field } of next.referrers) {
      written.add(from);
      if (field.onDelete === 'cascade') deletedFrom.push(from);
    }
  }
  return written;
}

function runStep(transaction: Transaction, step: BatchStep, mostWork: number): Awaitable<string> {
  return step.kind === 'insert'
    ? insertRecord(transaction, step.plan)
    : runChange(transaction, step, mostWork);
}

type Change = Exclude<BatchStep, { kind: 'insert' }>;

async function runChange(
  transaction: Transaction,
  { kind, place, plan }: Change,
  mostWork: number,
): Promise<string> {
  switch (kind) {
    case 'update':
      return (await updateRecord(transaction, plan)) ?? absent(transaction, plan);
    case 'delete':
      // A single deletion with a key continues in slices, as it does without one; among others it is refused only if the whole
      // batch would be.
      if (!(await deleteRecord(transaction, plan, place === '' ? undefined : mostWork)))
        return absent(transaction, plan);
      return JSON.stringify({ _id: plan.id });
  }
}

async function absent(transaction: Transaction, { id, collection: ref }: Change['plan']): Promise<never> {
  const collection = await transaction.collection(ref);
  throw new Failure('absent', `There is no record '${id}' in ${collection.definition.id}`);
}
