import { Failure } from '../../../failure.ts';
import type { Collection } from '../../../model/collection.ts';
import type { Json } from '../../../model/json.ts';
import { readCollection } from '../../../model/read-collection.ts';
import { writeCollection } from '../../../model/write-collection.ts';
import { buildSchema, type CollectionRow, type Schema } from '../../schema.ts';
import { raw, sql } from '../../sql/tag.ts';
import type { Database } from './database.ts';
import { createTables } from './tables.ts';
import { readSchemaVersion, type Transaction } from './writer.ts';

export function createProjectTables(db: Database): void {
  db.exec(`
    CREATE TABLE meta (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
    INSERT INTO meta (name, value) VALUES ('schema', 1), ('key', 0);
    CREATE TABLE collections (
      key INTEGER PRIMARY KEY,
      id TEXT NOT NULL UNIQUE,
      definition TEXT NOT NULL,
      field_keys TEXT NOT NULL
    );
    CREATE TABLE counters (
      collection INTEGER PRIMARY KEY,
      total INTEGER NOT NULL,
      seq INTEGER NOT NULL,
      created INTEGER NOT NULL,
      version INTEGER NOT NULL
    );
    CREATE TABLE garbage (key INTEGER PRIMARY KEY, ready INTEGER NOT NULL);
  `);
}

export function loadSchema(db: Database): Schema {
  const rows = db.rows(raw('SELECT key, id, definition, field_keys FROM collections ORDER BY id'));
  const ids = new Set(rows.map(([, id]) => String(id)));
  return buildSchema(
    readSchemaVersion(db),
    rows.map(([key, , definition, fieldKeys]): CollectionRow => {
      const keys = JSON.parse(String(fieldKeys)) as Record<string, number>;
      return {
        key: Number(key),
        // A limit that was lowered since does not speak of what is there.
        definition: readCollection(JSON.parse(String(definition)) as Json, ids, Number.POSITIVE_INFINITY),
        fieldKeys: new Map(Object.entries(keys)),
      };
    }),
  );
}

export function createCollection(transaction: Transaction, definition: Collection): void {
  const { db } = transaction;
  refuseTaken(db, definition.id);
  const row = makeTables(db, definition);
  db.run(sql`
    INSERT INTO collections (key, id, definition, field_keys)
    VALUES (${row.key}, ${definition.id}, ${definitionText(definition)}, ${fieldKeysText(row)})`);
  db.run(
    sql`INSERT INTO counters (collection, total, seq, created, version) VALUES (${row.key}, 0, 0, 0, 0)`,
  );
  transaction.schemaChanged();
}

export function refuseTaken(db: Database, id: string): void {
  if (db.row(sql`SELECT 1 FROM collections WHERE id = ${id}`)) {
    throw new Failure('conflict', [{ at: 'id', message: `there is a collection '${id}' already` }]);
  }
}

/** The tables of a definition under a key that was never used before. */
export function makeTables(db: Database, definition: Collection): CollectionRow {
  db.run(raw("UPDATE meta SET value = value + 1 WHERE name = 'key'"));
  const key = Number(db.row(raw("SELECT value FROM meta WHERE name = 'key'"))?.[0]);
  const fieldKeys = new Map([...definition.fields.keys()].map((name, index) => [name, index + 1]));
  createTables(db, key, definition, fieldKeys);
  return { key, definition, fieldKeys };
}

export const definitionText = (definition: Collection) => JSON.stringify(writeCollection(definition));

export const fieldKeysText = ({ fieldKeys }: CollectionRow) => JSON.stringify(Object.fromEntries(fieldKeys));
