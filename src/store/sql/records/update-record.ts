import { isDeepStrictEqual } from 'node:util';
import { Failure } from '../../../failure.ts';
import type { Json } from '../../../model/json.ts';
import type { Values } from '../../../model/payload.ts';
import { checkTag } from '../../record-tag.ts';
import type { StoredCollection } from '../../schema.ts';
import { checkRecordSize } from '../../sizes.ts';
import type { UpdatePlan } from '../../write-plans.ts';
import { checkAuthority } from '../accounts/check-authority.ts';
import type { Connection } from '../dialect.ts';
import { recordTable } from '../names.ts';
import { type Sql, sql } from '../tag.ts';
import type { Transaction } from '../transaction.ts';
import { findMarked } from './deletion-marks.ts';
import { readRecord, recordColumns, type StoredRecord } from './placed-record.ts';
import { checkBinding, checkReferences } from './references.ts';
import { andScope } from './where.ts';
import { changeRecord } from './write-records.ts';

/**
 * A relation that is sent unchanged is not looked up: whoever writes back a whole record may not be allowed to view everything
 * it refers to.
 */
export async function updateRecord(transaction: Transaction, plan: UpdatePlan): Promise<string | undefined> {
  const { id, values, binding, scope } = plan;
  const { db } = transaction;
  const collection = await transaction.collection(plan.collection);
  if (plan.authority) await checkAuthority(db, plan.authority);
  const { references } = plan;
  const select = sql`
    SELECT ${recordColumns} FROM ${recordTable(collection)} WHERE id = ${id}${andScope(scope)}`;
  // Referenced records are locked before the record itself, as everywhere; but only the record shows which of them are new.
  const before = references.length > 0 ? await findRecord(db, select) : undefined;
  const changed = references.filter(({ field }) => !isSame(before?.values[field], values[field]));
  await checkReferences(transaction, collection, changed);
  await checkBinding(db, binding);
  const old = await findRecord(db, sql`${select}${db.dialect.forChange}`);
  if (!old) return undefined;
  checkTag(collection, old.updated, plan.ifMatch);
  const since = references.filter(({ field }) => !isSame(old.values[field], values[field]));
  await checkReferences(
    transaction,
    collection,
    since.filter((reference) => !changed.includes(reference)),
  );
  await refuseMoved(db, collection, old, values);
  const json = await changeRecord(transaction, collection, old, values, plan.at, binding);
  checkRecordSize(json, plan.mostBytes);
  return json;
}

/** A large deletion takes a record because of what it referred to when it was marked: redirected, it would still be deleted. */
async function refuseMoved(
  db: Connection,
  { key, definition, relations }: StoredCollection,
  { id, values: before }: StoredRecord,
  values: Values,
): Promise<void> {
  const moved = relations.find(
    ({ field }) => field.name in values && !isSame(before[field.name], values[field.name]),
  );
  if (!moved || !(await findMarked(db, key, [id])).has(id)) return;
  throw new Failure('conflict', [
    {
      at: moved.field.name,
      message: `can't change, as the record '${id}' in ${definition.id} is being deleted`,
    },
  ]);
}

async function findRecord(db: Connection, select: Sql): Promise<StoredRecord | undefined> {
  const row = await db.row(select);
  return row && readRecord(row);
}

/** Whether a relation is unchanged: the same id, or the same ids in the same order. */
function isSame(before: Json | undefined, after: Json | undefined): boolean {
  return before !== undefined && isDeepStrictEqual(before, after);
}
