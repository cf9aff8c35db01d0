import type { StoredCollection } from '../../schema.ts';
import type { Connection } from '../dialect.ts';
import { tables } from '../tables.ts';
import { raw, sql } from '../tag.ts';
import type { Transaction } from '../transaction.ts';

/** Number of records in a collection, in a transaction during which nobody else writes. */
export async function countRecords(transaction: Transaction, collection: StoredCollection): Promise<number> {
  const { db } = transaction;
  const { total } = await transaction.counter(collection);
  const apart = await db.row(sql`SELECT ${db.dialect.countedApart(raw(String(collection.key)))}`);
  return total + Number(apart?.[0]);
}

/** The same for a project. */
export async function countAllRecords(db: Connection): Promise<number> {
  const total = sql`total + ${db.dialect.countedApart(raw('counters.collection'))}`;
  const row = await db.row(sql`SELECT sum(${total}) FROM ${tables.counters}`);
  return Number(row?.[0] ?? 0);
}
