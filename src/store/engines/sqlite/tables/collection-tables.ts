import type { Awaitable } from '../../../../awaitable.ts';
import type { Collection } from '../../../../model/collection.ts';
import type { ColumnKind, Field } from '../../../../model/field.ts';
import { fieldType } from '../../../../model/field-types.ts';
import { hasIndex } from '../../../../model/indexed.ts';
import type { Connection } from '../../../sql/dialect.ts';
import { foldedKeysOf, hasEmail } from '../../../sql/records/folded-keys.ts';
import { createSearchTables } from './search.ts';

const columnTypes: Readonly<Record<ColumnKind, string>> = { text: 'TEXT', real: 'REAL', integer: 'INTEGER' };

/** Long texts that no index needs: stored twice, a batch of them would keep others waiting for half as long again. */
export const isComputed = ({ indexes }: Collection, field: Field): boolean =>
  field.type === 'content' && !hasIndex(field) && !indexes.some(({ fields }) => fields.includes(field.name));

/** The columns of such fields in the definition of a table. */
export const computedColumns = /\bf\d+ TEXT AS \(json_extract\(json, '\$\."\w+"'\)\) VIRTUAL\b/g;

/**
 * The tables of a new collection. Records are rows in order of creation (`seq` is the rowid), with their finished JSON next to
 * a typed column for each field. Each list and multiple relation has a table of its values.
 */
export async function createTables(
  db: Connection,
  key: number,
  collection: Collection,
  fieldKeys: ReadonlyMap<string, number>,
): Promise<void> {
  const fields = [...collection.fields.values()];
  const columnOf = (name: string) => `f${fieldKeys.get(name)}`;
  const columns = fields
    .filter((field) => !fieldType(field).plural(field))
    .map((field) => {
      const computed = isComputed(collection, field)
        ? ` AS (json_extract(json, '$."${field.name}"')) VIRTUAL`
        : '';
      return `${columnOf(field.name)} ${columnTypes[fieldType(field).column(field)]}${computed},`;
    });
  const keys = foldedKeysOf({ definition: collection, fieldKeys });
  await db.exec(`
    CREATE TABLE r${key} (
      seq INTEGER PRIMARY KEY,
      id TEXT NOT NULL,
      created INTEGER NOT NULL,
      updated INTEGER NOT NULL,
      owner TEXT,
      workspace TEXT,
      ${columns.join('\n')}
      json TEXT NOT NULL${keys.map(({ column }) => `, ${column} TEXT`).join('')}
    );
    CREATE UNIQUE INDEX r${key}_id ON r${key} (id);
    CREATE INDEX r${key}_owner ON r${key} (owner) WHERE owner IS NOT NULL;
    CREATE INDEX r${key}_workspace ON r${key} (workspace) WHERE workspace IS NOT NULL;
  `);
  for (const field of fields) await createFieldTables(db, key, field, columnOf(field.name));
  for (const [position, { fields: names, unique = false }] of collection.indexes.entries()) {
    const exact = unique && !hasEmail(collection, names);
    await createIndex(db, exact, `r${key}_i${position}`, `r${key}`, names.map(columnOf));
  }
  for (const { column } of keys) await createIndex(db, true, `r${key}_${column}`, `r${key}`, [column]);
  await createSearchTables(db, key);
}

async function createFieldTables(
  db: Connection,
  key: number,
  field: Field,
  columnName: string,
): Promise<void> {
  const type = fieldType(field);
  if (type.plural(field)) {
    const valueType = columnTypes[type.column(field)];
    await db.exec(`
      CREATE TABLE l${key}_${columnName.slice(1)}
        (value ${valueType} NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY (value, seq)) WITHOUT ROWID;
    `);
  } else if (hasIndex(field)) {
    const exact = (field.unique ?? false) && field.type !== 'email';
    await createIndex(db, exact, `r${key}_${columnName}`, `r${key}`, [columnName]);
  }
}

function createIndex(
  db: Connection,
  unique: boolean,
  name: string,
  table: string,
  columns: readonly string[],
): Awaitable<void> {
  return db.exec(`CREATE ${unique ? 'UNIQUE ' : ''}INDEX ${name} ON ${table} (${columns.join(', ')})`);
}
