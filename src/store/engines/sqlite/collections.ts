import { Failure } from '../../../failure.ts';
import type { Collection } from '../../../model/collection.ts';
import type { Json, JsonObject } from '../../../model/json.ts';
import { readCollection } from '../../../model/read-collection.ts';
import { writeCollection } from '../../../model/write-collection.ts';
import { buildSchema, type CollectionRow, type Schema } from '../../schema.ts';
import { raw, sql } from '../../sql/tag.ts';
import type { Database } from './database.ts';
import { createTables } from './tables.ts';
import type { Transaction } from './writer.ts';

export function createProjectTables(db: Database): void {
  db.exec(`
    CREATE TABLE collections (
      key INTEGER PRIMARY KEY AUTOINCREMENT,
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
  `);
}

export function loadSchema(db: Database): Schema {
  const rows = db.rows(raw('SELECT key, id, definition, field_keys FROM collections ORDER BY id'));
  const ids = new Set(rows.map(([, id]) => String(id)));
  return buildSchema(
    rows.map(([key, , definition, fieldKeys]): CollectionRow => {
      const keys = JSON.parse(String(fieldKeys)) as Record<string, number>;
      return {
        key: Number(key),
        definition: readCollection(JSON.parse(String(definition)) as Json, ids),
        fieldKeys: new Map(Object.entries(keys)),
      };
    }),
  );
}

export function createCollection({ db }: Transaction, definition: Collection): void {
  const { id } = definition;
  if (db.row(sql`SELECT 1 FROM collections WHERE id = ${id}`)) {
    throw new Failure('conflict', `id: there is a collection '${id}' already`);
  }
  const fieldKeys = new Map([...definition.fields.keys()].map((name, index) => [name, index + 1]));
  const stored = JSON.stringify(writeCollection(definition) satisfies JsonObject);
  const keys = JSON.stringify(Object.fromEntries(fieldKeys));
  db.run(sql`INSERT INTO collections (id, definition, field_keys) VALUES (${id}, ${stored}, ${keys})`);
  const key = Number(db.row(raw('SELECT last_insert_rowid()'))?.[0]);
  db.run(sql`INSERT INTO counters (collection, total, seq, created, version) VALUES (${key}, 0, 0, 0, 0)`);
  createTables(db, key, definition, fieldKeys);
}
