import { Failure } from '../../../failure.ts';
import type { Collection } from '../../../model/collection.ts';
import type { JsonObject } from '../../../model/json.ts';
import { readStoredCollection } from '../../../model/read-collection.ts';
import { writeCollection } from '../../../model/write-collection.ts';
import { newVersion } from '../../new-version.ts';
import { type CollectionRow, StaleSchema } from '../../schema.ts';
import type { DefinePlan } from '../../schema-plans.ts';
import { checkAuthority } from '../accounts/check-authority.ts';
import type { Connection } from '../dialect.ts';
import { tables } from '../tables.ts';
import { sql } from '../tag.ts';
import type { Transaction } from '../transaction.ts';

export async function createCollection(transaction: Transaction, plan: DefinePlan): Promise<void> {
  const { db } = transaction;
  const { collections } = await transaction.schema(plan.version);
  const definition = readDefinition(plan.definition, collections.keys());
  await refuseTaken(db, definition.id);
  // Before others have to wait: it takes a tenth of a second.
  const row = await makeTables(db, definition);
  await transaction.lockSchema();
  await checkAuthority(db, plan.authority);
  await db.run(sql`
    INSERT INTO ${tables.collections} (key, id, definition, field_keys)
    VALUES (${row.key}, ${definition.id}, ${definitionText(definition)}, ${fieldKeysText(row)})`);
  await db.run(
    sql`INSERT INTO ${tables.counters} (collection, total, seq, created, version) VALUES (${row.key}, 0, 0, 0, ${newVersion()})`,
  );
  await transaction.schemaChanged();
}

/** The definition in a plan. Limits and rules were checked where the request came in. */
export function readDefinition(definition: JsonObject, ids: Iterable<string>): Collection {
  return readStoredCollection(definition, new Set([...ids, String(definition.id)]));
}

export async function refuseTaken(db: Connection, id: string): Promise<void> {
  if (await db.row(sql`SELECT 1 FROM ${tables.collections} WHERE id = ${id}`)) {
    throw new Failure('conflict', [{ at: 'id', message: `there is a collection '${id}' already` }]);
  }
}

/** Creates the tables of a definition, under a key that was never used before. */
export async function makeTables(db: Connection, definition: Collection): Promise<CollectionRow> {
  await db.run(sql`UPDATE ${tables.meta} SET value = value + 1 WHERE name = 'key'`);
  const key = Number((await db.row(sql`SELECT value FROM ${tables.meta} WHERE name = 'key'`))?.[0]);
  if (Number.isNaN(key)) throw new StaleSchema(); // the project was deleted just now
  const fieldKeys = new Map([...definition.fields.keys()].map((name, index) => [name, index + 1]));
  await db.dialect.createTables(db, key, definition, fieldKeys);
  return { key, definition, fieldKeys };
}

export const definitionText = (definition: Collection) => JSON.stringify(writeCollection(definition));

export const fieldKeysText = ({ fieldKeys }: CollectionRow) => JSON.stringify(Object.fromEntries(fieldKeys));
