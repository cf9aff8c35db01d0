import { losesRecords } from '../../loses-records.ts';
import type { StoredCollection } from '../../schema.ts';
import type { DropPlan } from '../../schema-plans.ts';
import { checkAuthority } from '../accounts/check-authority.ts';
import { noteDeletedCollection } from '../changes/note-refetch.ts';
import { refuseWhileDeleting } from '../records/deletion-marks.ts';
import { forgetAnswers } from '../records/kept-answers.ts';
import { tables } from '../tables.ts';
import { sql } from '../tag.ts';
import type { Transaction } from '../transaction.ts';
import { countRecords } from './count-records.ts';

/** Its tables are dropped later, a few rows at a time. */
export async function deleteCollection(
  transaction: Transaction,
  { collection: ref, confirmed, authority }: DropPlan,
): Promise<StoredCollection> {
  const { db } = transaction;
  await transaction.lockSchema();
  await checkAuthority(db, authority);
  await refuseWhileDeleting(transaction.db);
  const collection = await transaction.collection(ref);
  // Here and not earlier: from now on nobody can create records until it is gone.
  const records = confirmed ? 0 : await countRecords(transaction, collection);
  if (records > 0) throw losesRecords(`collection '${collection.definition.id}'`, records);
  await db.run(sql`DELETE FROM ${tables.collections} WHERE key = ${collection.key}`);
  await db.run(sql`DELETE FROM ${tables.counters} WHERE collection = ${collection.key}`);
  await db.run(sql`INSERT INTO ${tables.garbage} (key, ready) VALUES (${collection.key}, 1)`);
  await forgetAnswers(db, collection.definition.id);
  noteDeletedCollection(transaction, collection);
  await transaction.schemaChanged();
  return collection;
}
