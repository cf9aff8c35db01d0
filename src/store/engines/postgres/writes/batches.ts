import type { Schemas } from '../../../known-schemas.ts';
import { checkAuthority } from '../../../sql/accounts/check-authority.ts';
import { findKept, keep, runBatch } from '../../../sql/records/batch.ts';
import { nextPlace } from '../../../sql/records/write-records.ts';
import type { Counter, Reserved, Transaction, WriteStep } from '../../../sql/transaction.ts';
import type { BatchAnswer, BatchPlan, InsertPlan } from '../../../write-plans.ts';
import type { ProjectDatabase } from '../project-database.ts';
import { insertGroup } from './insert-group.ts';
import { concernsAll } from './inserts.ts';
import { lengthOf } from './length-of.ts';

/** Operations, and characters of new records, that take PostgreSQL so long that nobody is to wait for them. */
const largeBatch = { operations: 50, characters: 128 * 1024 };

/** `signal`: says that the client has left. */
export async function writeBatch(
  database: ProjectDatabase,
  schemas: Schemas,
  plan: BatchPlan,
  signal: AbortSignal | undefined,
): Promise<BatchAnswer> {
  const reserved = isLarge(plan) ? await reservePlaces(database, schemas, plan) : undefined;
  const write = <T>(step: WriteStep<T>) => database.write(step, { signal, reserved });
  const answer = await writeNew(write, schemas, plan);
  return answer ?? write((transaction) => runBatch(transaction, plan));
}

function isLarge({ steps }: BatchPlan): boolean {
  const length = newOf(steps).reduce((sum, plan) => sum + lengthOf(plan), 0);
  return steps.length > largeBatch.operations || length > largeBatch.characters;
}

const newOf = (steps: BatchPlan['steps']): InsertPlan[] =>
  steps.flatMap((step) => (step.kind === 'insert' ? [step.plan] : []));

/**
 * Takes the places of new records before their transaction: otherwise whoever creates others waits for its end, as places are
 * taken from the one row that counts a collection's records. Places of records that are not written after all stay empty.
 */
async function reservePlaces(
  database: ProjectDatabase,
  schemas: Schemas,
  { steps }: BatchPlan,
): Promise<Reserved> {
  const plans = newOf(steps);
  const keys = [...new Set(plans.map(({ collection }) => collection.key))].sort((one, other) => one - other);
  if (keys.length === 0) return { counters: new Map() };
  return database.write(async (transaction) => {
    const counters = new Map<number, Counter>();
    for (const key of keys) {
      const some = plans.filter(({ collection }) => collection.key === key);
      const [first] = some;
      if (!first) continue;
      await transaction.collection(first.collection);
      const counter = await transaction.counter(schemas.collection(first.collection));
      counters.set(key, { ...counter });
      const { total } = counter;
      for (const { at } of some) nextPlace(counter, transaction.notAhead(at));
      counter.total = total;
    }
    return { counters, notAhead: (at) => transaction.notAhead(at) };
  });
}

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
        if (plans.length > 1) await transaction.lockCounters([collection]);
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
  { idempotency, authority }: BatchPlan,
  insert: () => ReturnType<typeof insertGroup>,
): Promise<BatchAnswer> {
  // Two requests with one key that arrive together meet here, one after the other.
  if (idempotency) await db.dialect.lockName(db, `${idempotency.realm} ${idempotency.key}`);
  const kept = idempotency && (await findKept(db, idempotency));
  if (kept) return { results: kept, replayed: true };
  const [inserted] = await Promise.all([insert(), checkAuthority(db, authority)]);
  const results = inserted.map((result) => {
    if (typeof result === 'string') return result;
    throw result;
  });
  if (idempotency) await keep(db, idempotency, results);
  return { results, replayed: false };
}
