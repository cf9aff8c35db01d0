import { Failure } from '../../../failure.ts';
import { fieldType } from '../../../model/field-types.ts';
import type { DeletePlan } from '../../plans.ts';
import { recordValues } from '../../record-json.ts';
import { checkTag } from '../../record-tag.ts';
import type { StoredCollection, StoredRelation } from '../../schema.ts';
import type { Connection } from '../connection.ts';
import { column, recordTable, valueTable } from '../names.ts';
import { type Sql, sql } from '../tag.ts';
import type { Transaction } from '../transaction.ts';
import { andScope } from './where.ts';
import { changeRecord, removeRecord, type StoredRecord } from './write-records.ts';

type Doomed = Map<StoredCollection, Map<string, StoredRecord>>;

interface Referring {
  readonly relation: StoredRelation;
  readonly record: StoredRecord;
}

/**
 * Deletes a record and does to those that refer to it what their relations say. First the whole set that
 * `cascade` takes along is found, round cycles too; only then is it decided whether a record that
 * stays behind forbids it, and the rest is cleared.
 */
export async function deleteRecord(transaction: Transaction, plan: DeletePlan): Promise<boolean> {
  const { db } = transaction;
  const collection = await transaction.collection(plan.collection);
  const scoped = sql`id = ${plan.id}${andScope(plan.scope)}`;
  const [target] = await findRecords(db, collection, scoped);
  if (!target) return false;
  checkTag(collection, target.updated, plan.ifMatch);

  const doomed: Doomed = new Map();
  const referring = await spread(db, doomed, collection, target);
  const staying = referring.filter(({ relation, record }) => !doomed.get(relation.from)?.has(record.id));
  for (const { relation, record } of staying) {
    const reason = forbids(relation, record, doomed);
    if (reason) throw restricted(relation, reason);
  }
  await clear(transaction, staying, doomed, plan.at);
  for (const [from, records] of doomed) {
    for (const record of records.values()) await removeRecord(transaction, from, record);
  }
  return true;
}

/** Fills `doomed` from the first record on and returns the referring records that no cascade takes along. */
async function spread(
  db: Connection,
  doomed: Doomed,
  collection: StoredCollection,
  first: StoredRecord,
): Promise<Referring[]> {
  const referring: Referring[] = [];
  const waiting: { collection: StoredCollection; records: StoredRecord[] }[] = [
    { collection, records: [first] },
  ];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const known = doomed.get(next.collection) ?? new Map<string, StoredRecord>();
    doomed.set(next.collection, known);
    const fresh = next.records.filter(({ id }) => !known.has(id));
    if (fresh.length === 0) continue;
    for (const record of fresh) known.set(record.id, record);
    const ids = fresh.map(({ id }) => id);
    for (const relation of next.collection.referrers) {
      const records = await findRecords(db, relation.from, refersTo(db, relation, ids));
      if (relation.field.onDelete === 'cascade') waiting.push({ collection: relation.from, records });
      else referring.push(...records.map((record) => ({ relation, record })));
    }
  }
  return referring;
}

function refersTo({ dialect }: Connection, { from, field }: StoredRelation, ids: readonly string[]): Sql {
  const among = dialect.values(ids, 'text');
  if (!fieldType(field).plural(field)) return sql`${column(from, field.name)} IN (${among})`;
  return sql`seq IN (SELECT seq FROM ${valueTable(from, field.name)} WHERE value IN (${among}))`;
}

/** Locked: what refers to them can be looked for only once nobody can begin to any more. */
async function findRecords(
  db: Connection,
  collection: StoredCollection,
  where: Sql,
): Promise<StoredRecord[]> {
  const table = recordTable(collection);
  const rows = await db.rows(
    sql`SELECT seq, id, created, updated, json FROM ${table} WHERE ${where}${db.dialect.forUpdate}`,
  );
  return rows.map(([seq, id, created, updated, json]) => ({
    seq: Number(seq),
    id: String(id),
    created: Number(created),
    updated: Number(updated),
    values: recordValues(String(json)),
  }));
}

/** Why a record that stays behind can't do without the doomed ones; undefined where it can. */
function forbids(relation: StoredRelation, record: StoredRecord, doomed: Doomed): string | undefined {
  const { field } = relation;
  if (field.onDelete === 'restrict') return 'forbids it';
  const left = cleared(relation, record, doomed);
  const empty = left === null || left.length === 0;
  if (empty && field.required) return 'is required there';
  if (!empty && field.minItems !== undefined && left.length < field.minItems) {
    return `needs at least ${field.minItems} there`;
  }
  return undefined;
}

/** The field's value without the doomed records. */
function cleared({ field, to }: StoredRelation, record: StoredRecord, doomed: Doomed): string[] | null {
  const value = record.values[field.name];
  const gone = doomed.get(to);
  return Array.isArray(value) ? (value as string[]).filter((id) => !gone?.has(id)) : null;
}

/** Says nothing of the records themselves: the caller may not be allowed to see them. */
function restricted({ from, field }: StoredRelation, reason: string): Failure {
  const place = `${from.definition.id}.${field.name}`;
  return new Failure(
    'conflict',
    `Other records refer to it from ${place}, which ${reason}: change or delete them first`,
  );
}

interface Change {
  readonly from: StoredCollection;
  readonly record: StoredRecord;
  readonly changed: Record<string, string[] | null>;
}

/** One change a record, also where several of its relations lose something. */
async function clear(
  transaction: Transaction,
  staying: readonly Referring[],
  doomed: Doomed,
  at: number,
): Promise<void> {
  const changes = new Map<string, Change>();
  for (const { relation, record } of staying) {
    const change = changes.get(record.id) ?? { from: relation.from, record, changed: {} };
    change.changed[relation.field.name] = cleared(relation, record, doomed);
    changes.set(record.id, change);
  }
  for (const { from, record, changed } of changes.values()) {
    await changeRecord(transaction, from, record, changed, at);
  }
}
