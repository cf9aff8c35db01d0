import type { ColumnKind } from '../../model/field.ts';
import { fieldType } from '../../model/field-types.ts';
import type { StoredCollection } from '../schema.ts';
import { raw, type Sql, table } from './tag.ts';

/** Tables and columns are named by keys, so no input of a caller or a schema becomes part of a statement. */

export const recordTable = (collection: StoredCollection): Sql => table(`r${collection.key}`);

/** The values of one list or multiple relation: a row for each, with `value` and the record's `seq`. */
export const valueTable = (collection: StoredCollection, field: string): Sql =>
  table(`l${collection.key}_${fieldKey(collection, field)}`);

export function column(collection: StoredCollection, name: string): Sql {
  return raw(serviceColumns.get(name) ?? `f${fieldKey(collection, name)}`);
}

/** The kind of a column; `_id`, `_owner` and `_workspace` are texts, times are integers. */
export function columnKind({ definition }: StoredCollection, name: string): ColumnKind {
  const field = definition.fields.get(name);
  if (field) return fieldType(field).column(field);
  return name === '_createdAt' || name === '_updatedAt' ? 'integer' : 'text';
}

const serviceColumns: ReadonlyMap<string, string> = new Map([
  ['_id', 'id'],
  ['_createdAt', 'created'],
  ['_updatedAt', 'updated'],
  ['_owner', 'owner'],
  ['_workspace', 'workspace'],
]);

export function fieldKey(collection: StoredCollection, name: string): number {
  const key = collection.fieldKeys.get(name);
  if (key === undefined) throw new Error(`no column for ${name} of ${collection.definition.id}`);
  return key;
}
