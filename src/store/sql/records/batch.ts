import { Failure, within } from '../../../failure.ts';
import type { StoredCollection } from '../../schema.ts';
import { batchTooLarge, largestAnswer, tooMuchWork } from '../../sizes.ts';
import type { BatchAnswer, BatchPlan, BatchStep, Idempotency } from '../../write-plans.ts';
import { checkAuthority } from '../accounts/check-authority.ts';
import type { Connection } from '../dialect.ts';
import { tables } from '../tables.ts';
import { raw, sql } from '../tag.ts';
import type { Transaction } from '../transaction.ts';
import { deleteRecord, LargeDeletion } from './delete-records.ts';
import { updateRecord } from './update-record.ts';
import { insertRecord } from './write-records.ts';

const keptFor = 24 * 60 * 60_000;

export async function runBatch(
  transaction: Transaction,
  { steps, idempotency, authority, mostWork = Number.POSITIVE_INFINITY }: BatchPlan,
): Promise<BatchAnswer> {
  const { db } = transaction;
  await checkAuthority(db, authority);
  // Two requests with one key that arrive together meet here, one after the other.
  if (idempotency) await db.dialect.lockName(db, `${idempotency.realm} ${idempotency.key}`);
  const kept = idempotency && (await findKept(db, idempotency));
  if (kept) return { results: kept, replayed: true };
  if (steps.length > 1) await transaction.lockCounters(await writtenBy(transaction, steps));
  const results: string[] = [];
  let bytes = 0;
  const start = transaction.work;
  for (const step of steps) {
    try {
      const result = await runStep(transaction, step, mostWork);
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

/** The collections that the steps write to, also those whose records refer to what is deleted. */
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

async function runStep(
  transaction: Transaction,
  { kind, place, plan }: BatchStep,
  mostWork: number,
): Promise<string> {
  switch (kind) {
    case 'insert':
      return insertRecord(transaction, plan);
    case 'update':
      return (await updateRecord(transaction, plan)) ?? absent(transaction, plan);
    case 'delete':
      // One with a key alone goes on in slices, as it does without; what is done with others is refused only where all of it would be.
      if (!(await deleteRecord(transaction, plan, place === '' ? undefined : mostWork)))
        return absent(transaction, plan);
      return JSON.stringify({ _id: plan.id });
  }
}

async function absent(
  transaction: Transaction,
  { id, collection: ref }: Exclude<BatchStep, { kind: 'insert' }>['plan'],
): Promise<never> {
  const collection = await transaction.collection(ref);
  throw new Failure('absent', `There is no record '${id}' in ${collection.definition.id}`);
}

/** Nothing of a deleted collection comes back, also not the answers about it. */
export async function forgetAnswers(db: Connection, collection: string): Promise<void> {
  const addresses = [`create ${collection}`, `batch ${collection}`, '_batch'];
  const ofRecords = [`update ${collection} `, `delete ${collection} `];
  const patterns = [
    ...addresses.map((address) => `% ${escaped(address)}`),
    ...ofRecords.map((address) => `% ${escaped(address)}%`),
  ];
  for (const pattern of patterns) {
    await db.run(sql`DELETE FROM ${tables.idempotency} WHERE realm LIKE ${pattern} ESCAPE '\\'`);
  }
}

const escaped = (address: string) => address.replaceAll('_', '\\_');

export async function findKept(
  db: Connection,
  { realm, key, digest, now, authority }: Idempotency,
): Promise<string[] | undefined> {
  const row = await db.row(sql`
    SELECT digest, results FROM ${tables.idempotency}
    WHERE realm = ${realm} AND key = ${key} AND created > ${now - keptFor}`);
  if (!row) return undefined;
  await checkAuthority(db, authority);
  if (row[0] === digest) return readResults(String(row[1]));
  throw new Failure(
    'conflict',
    'This Idempotency-Key was used with another body: use a new key for a new request',
  );
}

/** The JSON of records has no tab in it: what may have many megabytes is not written as JSON once more, as it was in earlier versions. */
function readResults(text: string): string[] {
  if (text.startsWith('[')) return JSON.parse(text) as string[];
  return text === '' ? [] : text.split('\t');
}

/** Answers that are too old and go with one that is kept: more than one, so that none stay, and not all, as each may be large. */
const mostForgotten = 2;

export async function keep(
  db: Connection,
  { realm, key, digest, now }: Idempotency,
  results: readonly string[],
): Promise<void> {
  await db.run(sql`
    DELETE FROM ${tables.idempotency} WHERE (realm, key) IN (
      SELECT realm, key FROM ${tables.idempotency} WHERE created <= ${now - keptFor}
      ORDER BY created LIMIT ${raw(String(mostForgotten))}
    )`);
  await db.run(sql`
    INSERT INTO ${tables.idempotency} (realm, key, digest, results, created)
    VALUES (${realm}, ${key}, ${digest}, ${results.join('\t')}, ${now})
    ON CONFLICT (realm, key) DO UPDATE
    SET digest = excluded.digest, results = excluded.results, created = excluded.created`);
}
