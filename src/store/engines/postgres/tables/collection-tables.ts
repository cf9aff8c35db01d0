import type { Collection } from '../../../../model/collection.ts';
import type { Field } from '../../../../model/field.ts';
import { fieldType } from '../../../../model/field-types.ts';
import { hasIndex } from '../../../../model/indexed.ts';
import { foldedKeysOf, hasEmail } from '../../../sql/records/folded-keys.ts';
import { columnTypes, text } from './column-types.ts';
import {
  fitsIndex,
  indexedParts,
  longText,
  longValue,
  nullsFirst,
  prefixLength,
  shortText,
  shortValue,
  uniqueParts,
} from './text-index.ts';

/**
 * The tables of a new collection. Records are rows in order of creation, with their finished JSON next to a typed column for
 * each field. Each list and multiple relation has a table of its values. Search texts wait in a table of their own until they
 * are indexed. Indexes end with the sequence number, so that a filtered list comes out of them in the default order.
 */
export function collectionTables(
  schema: string,
  key: number,
  collection: Collection,
  fieldKeys: ReadonlyMap<string, number>,
  trigrams: string | undefined,
): string {
  const fields = [...collection.fields.values()];
  const records = `${schema}.r${key}`;
  const texts = `${schema}.s${key}`;
  const columnOf = (name: string) => `f${fieldKeys.get(name)}`;
  const columns = fields
    .filter((field) => !fieldType(field).plural(field))
    .map((field) => `${columnOf(field.name)} ${columnTypes[fieldType(field).column(field)]},`);
  const indexes = collection.indexes.map(({ fields: names, unique = false }, position) => {
    const parts = names.flatMap((name) => {
      const field = collection.fields.get(name);
      return field ? [{ name: columnOf(name), field }] : [];
    });
    const exact = unique && !hasEmail(collection, names);
    return index(`r${key}_i${position}`, records, exact, exact ? uniqueParts(parts) : indexedParts(parts));
  });
  const keys = foldedKeysOf({ definition: collection, fieldKeys });
  const keyIndexes = keys.map(({ column }) => index(`r${key}_${column}`, records, true, [column]));
  const ofFields = fields.map((field) => fieldTables(schema, key, field, columnOf(field.name)));
  // If several unique values are taken, PostgreSQL reports the index created first, SQLite the last one; hence `reverse`.
  return `
    CREATE TABLE ${records} (
      seq bigint PRIMARY KEY,
      id ${text} NOT NULL,
      created bigint NOT NULL,
      updated bigint NOT NULL,
      owner ${text},
      workspace ${text},
      ${columns.join('\n      ')}
      json ${text} NOT NULL${keys.map(({ column }) => `, ${column} ${text}`).join('')}
    ) WITH (fillfactor = 90);
    CREATE UNIQUE INDEX r${key}_id ON ${records} (id);
    CREATE INDEX r${key}_owner ON ${records} (owner, seq) WHERE owner IS NOT NULL;
    CREATE INDEX r${key}_workspace ON ${records} (workspace, seq) WHERE workspace IS NOT NULL;
    ${[...ofFields, ...indexes, ...keyIndexes].reverse().join('')}
    CREATE TABLE ${texts} (seq bigint PRIMARY KEY, text ${text} NOT NULL);
    CREATE TABLE ${schema}.p${key} (seq bigint PRIMARY KEY, text ${text} NOT NULL)
      WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);
    ${trigrams === undefined ? '' : searchIndexes(`s${key}`, texts, trigrams)}`;
}

function searchIndexes(name: string, texts: string, trigrams: string): string {
  return `
    CREATE INDEX ${name}_text ON ${texts} USING gin (text ${trigrams}.gin_trgm_ops) WHERE ${shortText};
    CREATE INDEX ${name}_long ON ${texts} (seq) WHERE ${longText};`;
}

function fieldTables(schema: string, key: number, field: Field, column: string): string {
  const type = fieldType(field);
  if (type.plural(field)) return valueTable(schema, `l${key}_${column.slice(1)}`, field);
  const parts = [{ name: column, field }];
  const name = `r${key}_${column}`;
  const table = `${schema}.r${key}`;
  if (!field.unique || field.type === 'email') {
    return hasIndex(field) ? index(name, table, false, indexedParts(parts)) : '';
  }
  const unique = index(name, table, true, uniqueParts(parts));
  return fitsIndex(field) ? unique : `${unique}${index(`${name}_order`, table, false, indexedParts(parts))}`;
}

function valueTable(schema: string, name: string, field: Field): string {
  const table = `${schema}.${name}`;
  const type = columnTypes[fieldType(field).column(field)];
  if (fitsIndex(field)) {
    return `CREATE TABLE ${table} (value ${type} NOT NULL, seq bigint NOT NULL, PRIMARY KEY (value, seq));\n`;
  }
  return `
    CREATE TABLE ${table} (value ${type} NOT NULL, seq bigint NOT NULL);
    CREATE UNIQUE INDEX ${name}_short ON ${table} (value, seq) WHERE ${shortValue};
    CREATE INDEX ${name}_long ON ${table} (left(value, ${prefixLength}), seq) WHERE ${longValue};
    CREATE INDEX ${name}_seq ON ${table} (seq);`;
}

function index(name: string, table: string, unique: boolean, parts: readonly string[]): string {
  if (unique) return `CREATE UNIQUE INDEX ${name} ON ${table} (${parts.map(nullsFirst).join(', ')});\n`;
  return `CREATE INDEX ${name} ON ${table} (${[...parts.map(nullsFirst), 'seq'].join(', ')});\n`;
}
