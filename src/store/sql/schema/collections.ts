import { Failure } from '../../../failure.ts';
import type { Collection } from '../../../model/collection.ts';
import type { Json } from '../../../model/json.ts';
import { readStoredCollection } from '../../../model/read-collection.ts';
import { writeCollection } from '../../../model/write-collection.ts';
import { newVersion } from '../../new-version.ts';
import { buildSchema, type CollectionRow, type Schema } from '../../schema.ts';
import type { Connection } from '../connection.ts';
import { readSchemaVersion } from '../records/counters.ts';
import { raw, sql } from '../tag.ts';
import type { Transaction } from '../transaction.ts';

export async function loadSchema(db: Connection): Promise<Schema> {
  // First: a schema that is newer than its version is found out and loaded again, an older one would stay.
  const version = await readSchemaVersion(db);
  const rows = await db.rows(raw('SELECT key, id, definition, field_keys FROM collections ORDER BY id'));
  const ids = new Set(rows.map(([, id]) => String(id)));
  return buildSchema(
    version,
    rows.map(([key, , definition, fieldKeys]): CollectionRow => {
      const keys = JSON.parse(String(fieldKeys)) as Record<string, number>;
      return {
        key: Number(key),
        definition: readStoredCollection(JSON.parse(String(definition)) as Json, ids),
        fieldKeys: new Map(Object.entries(keys)),
      };
    }),
  );
}

/** `version`: of the schema that the definition was read under; its relations go to collections of that. */
export async function createCollection(
  transaction: Transaction,
  definition: Collection,
  version: number,
): Promise<void> {
  const { db } = transaction;
  await transaction.lockSchema();
  await transaction.check({ schemaVersion: version });
  await refuseTaken(db, definition.id);
  const row = await makeTables(db, definition);
  await db.run(sql`
    INSERT INTO collections (key, id, definition, field_keys)
    VALUES (${row.key}, ${definition.id}, ${definitionText(definition)}, ${fieldKeysText(row)})`);
  await db.run(
    sql`INSERT INTO counters (collection, total, seq, created, version) VALUES (${row.key}, 0, 0, 0, ${newVersion()})`,
  );
  await transaction.schemaChanged();
}

export async function refuseTaken(db: Connection, id: string): Promise<void> {
  if (await db.row(sql`SELECT 1 FROM collections WHERE id = ${id}`)) {
    throw new Failure('conflict', [{ at: 'id', message: `there is a collection '${id}' already` }]);
  }
}

/** The tables of a definition under a key that was never used before. */
export async function makeTables(db: Connection, definition: Collection): Promise<CollectionRow> {
  await db.run(raw("UPDATE meta SET value = value + 1 WHERE name = 'key'"));
  const key = Number((await db.row(raw("SELECT value FROM meta WHERE name = 'key'")))?.[0]);
  const fieldKeys = new Map([...definition.fields.keys()].map((name, index) => [name, index + 1]));
  await db.dialect.createTables(db, key, definition, fieldKeys);
  return { key, definition, fieldKeys };
}

export const definitionText = (definition: Collection) => JSON.stringify(writeCollection(definition));

export const fieldKeysText = ({ fieldKeys }: CollectionRow) => JSON.stringify(Object.fromEntries(fieldKeys));
