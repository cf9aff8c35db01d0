import type { ColumnKind, ColumnValue, Field } from '../../../model/field.ts';
import { fieldType } from '../../../model/field-types.ts';
import type { Json } from '../../../model/json.ts';
import { perCollection } from '../../cache.ts';
import type { StoredCollection } from '../../schema.ts';
import type { Dialect } from '../dialect.ts';
import { column, recordTable, valueTable } from '../names.ts';
import { join, raw, type Sql, sql } from '../tag.ts';
import { foldedKeysOf } from './folded-keys.ts';
import type { PlacedRecord } from './placed-record.ts';

/** What is needed to write a new record, compiled once per schema version. */
export interface Placing {
  /** `rowColumns`, then those of the fields (except computed ones) and of folded keys. */
  readonly columns: readonly PlacingColumn[];
  /** The INSERT statement for them, here with nulls. */
  readonly row: Sql;
  /** What a record has in the columns. */
  cells(record: PlacedRecord, json: string): ColumnValue[];
  readonly lists: readonly PlacingList[];
}

export interface PlacingColumn {
  readonly name: string;
  readonly kind: ColumnKind;
}

export interface PlacingList {
  readonly name: string;
  readonly table: Sql;
  readonly kind: ColumnKind;
  /** Distinct values. */
  elements(value: Json): ColumnValue[];
}

const rowColumns: readonly PlacingColumn[] = [
  { name: 'seq', kind: 'integer' },
  { name: 'id', kind: 'text' },
  { name: 'created', kind: 'integer' },
  { name: 'updated', kind: 'integer' },
  { name: 'owner', kind: 'text' },
  { name: 'workspace', kind: 'text' },
  { name: 'json', kind: 'text' },
];
export const placingOf = perCollection(compile);

function compile(collection: StoredCollection, { isComputed }: Pick<Dialect, 'isComputed'>): Placing {
  const fields = [...collection.definition.fields.values()];
  const isPlural = (field: Field) => fieldType(field).plural(field);
  const single = fields.filter((field) => !isPlural(field) && !isComputed(collection.definition, field));
  const writers = single.map((field) => ({ name: field.name, toColumn: columnWriter(field) }));
  const keys = foldedKeysOf(collection);
  const columns = [
    ...rowColumns,
    ...single.map((field) => ({ name: column(collection, field.name).text, kind: kindOf(field) })),
    ...keys.map((key) => ({ name: key.column, kind: 'text' as const })),
  ];
  const names = raw(columns.map(({ name }) => name).join(', '));
  const places = join(
    columns.map(() => sql`${null}`),
    ', ',
  );
  return {
    columns,
    row: sql`INSERT INTO ${recordTable(collection)} (${names}) VALUES (${places})`,
    cells: ({ seq, id, created, updated, owner, workspace, values, keyless }, json) => {
      const row: ColumnValue[] = [seq, id, created, updated, owner, workspace, json];
      for (const { name, toColumn } of writers) row.push(toColumn(values[name] ?? null));
      for (const { column: name, key } of keys) row.push(keyless?.has(name) ? null : key(values));
      return row;
    },
    lists: fields.filter(isPlural).map((field) => {
      const toColumn = columnWriter(field);
      return {
        name: field.name,
        table: valueTable(collection, field.name),
        kind: kindOf(field),
        elements: (value) => [...new Set((Array.isArray(value) ? value : []).map(toColumn))],
      };
    }),
  };
}

const kindOf = (field: Field): ColumnKind => fieldType(field).column(field);

function columnWriter(field: Field): (value: Json) => ColumnValue {
  const type = fieldType(field);
  return (value) => (value === null ? null : type.toColumn(value, field));
}
