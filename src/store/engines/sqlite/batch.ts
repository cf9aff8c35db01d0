import { Failure, within } from '../../../failure.ts';
import type { BatchAnswer, BatchPlan, BatchStep, Idempotency } from '../../plans.ts';
import { sql } from '../../sql/tag.ts';
import type { Database } from './database.ts';
import { deleteRecord } from './delete-records.ts';
import { insertRecord, updateRecord } from './write-records.ts';
import type { Transaction } from './writer.ts';

const keptFor = 24 * 60 * 60_000;

export function createIdempotencyTable(db: Database): void {
  db.exec(`
    CREATE TABLE idempotency (
      realm TEXT NOT NULL,
      key TEXT NOT NULL,
      digest TEXT NOT NULL,
      results TEXT NOT NULL,
      created INTEGER NOT NULL,
      PRIMARY KEY (realm, key)
    ) WITHOUT ROWID;
    CREATE INDEX idempotency_created ON idempotency (created);
  `);
}

/** Writes happen one after the other, so two requests with one key that arrive together meet here in order. */
export function runBatch(transaction: Transaction, { steps, idempotency }: BatchPlan): BatchAnswer {
  const kept = idempotency && findKept(transaction.db, idempotency);
  if (kept) return { results: kept, replayed: true };
  const results = steps.map((step) => {
    try {
      return runStep(transaction, step);
    } catch (error) {
      throw error instanceof Failure && step.place !== '' ? within(step.place, error) : error;
    }
  });
  if (idempotency) keep(transaction.db, idempotency, results);
  return { results, replayed: false };
}

function runStep(transaction: Transaction, { kind, plan }: BatchStep): string {
  switch (kind) {
    case 'insert':
      return insertRecord(transaction, plan);
    case 'update':
      return updateRecord(transaction, plan) ?? absent(plan);
    case 'delete':
      return deleteRecord(transaction, plan) ? JSON.stringify({ _id: plan.id }) : absent(plan);
  }
}

function absent({ id, collection }: Exclude<BatchStep, { kind: 'insert' }>['plan']): never {
  throw new Failure('absent', `There is no record '${id}' in ${collection.definition.id}`);
}

/** Nothing of a deleted collection comes back, also not the answers about it. */
export function forgetAnswers(db: Database, collection: string): void {
  for (const address of [`create ${collection}`, `batch ${collection}`, 'batch']) {
    db.run(sql`DELETE FROM idempotency WHERE realm GLOB ${`* ${address}`}`);
  }
}

export function findKept(db: Database, { realm, key, digest, now }: Idempotency): string[] | undefined {
  const row = db.row(sql`
    SELECT digest, results FROM idempotency
    WHERE realm = ${realm} AND key = ${key} AND created > ${now - keptFor}`);
  if (!row) return undefined;
  if (row[0] === digest) return JSON.parse(String(row[1])) as string[];
  throw new Failure(
    'conflict',
    'This Idempotency-Key was used with another body: use a new key for a new request',
  );
}

function keep(db: Database, { realm, key, digest, now }: Idempotency, results: readonly string[]): void {
  db.run(sql`DELETE FROM idempotency WHERE created <= ${now - keptFor}`);
  db.run(sql`
    INSERT OR REPLACE INTO idempotency (realm, key, digest, results, created)
    VALUES (${realm}, ${key}, ${digest}, ${JSON.stringify(results)}, ${now})`);
}
