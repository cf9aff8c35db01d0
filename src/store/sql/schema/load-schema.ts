import type { Json } from '../../../model/json.ts';
import { readStoredCollection } from '../../../model/read-collection.ts';
import { buildSchema, type CollectionRow, type Schema } from '../../schema.ts';
import type { Connection } from '../dialect.ts';
import { tables } from '../tables.ts';
import { sql } from '../tag.ts';

export async function readSchemaVersion(db: Connection): Promise<number> {
  return Number((await db.row(sql`SELECT value FROM ${tables.meta} WHERE name = 'schema'`))?.[0]);
}

export async function loadSchema(db: Connection): Promise<Schema> {
  // First: a schema newer than its version is noticed and loaded again, while an older one would stay.
  const version = await readSchemaVersion(db);
  const rows = await db.rows(
    sql`SELECT key, id, definition, field_keys FROM ${tables.collections} ORDER BY id`,
  );
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
