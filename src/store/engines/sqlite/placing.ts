import type { ColumnValue, Field } from '../../../model/field.ts';
import { fieldType } from '../../../model/field-types.ts';
import type { Json } from '../../../model/json.ts';
import type { Values } from '../../../model/payload.ts';
import type { StoredCollection } from '../../schema.ts';
import { column, recordTable, valueTable } from '../../sql/names.ts';

/** The statements that write a new record, put together once per schema version and not for every record. */
export interface Placing {
  /** Takes `rowColumns`, then what `held` gives. */
  readonly row: string;
  held(values: Values): ColumnValue[];
  readonly lists: readonly PlacingList[];
}

export interface PlacingList {
  readonly name: string;
  /** Takes an element and the record's seq. */
  readonly text: string;
  elements(value: Json): Iterable<ColumnValue>;
}

const rowColumns = ['seq', 'id', 'created', 'updated', 'owner', 'workspace', 'json'];
const known = new WeakMap<StoredCollection, Placing>();

export function placingOf(collection: StoredCollection): Placing {
  const found = known.get(collection);
  if (found) return found;
  const placing = compile(collection);
  known.set(collection, placing);
  return placing;
}

function compile(collection: StoredCollection): Placing {
  const fields = [...collection.definition.fields.values()];
  const isPlural = (field: Field) => fieldType(field).plural(field);
  const single = fields.filter((field) => !isPlural(field)).map((field) => compileColumn(field));
  const names = [...rowColumns, ...single.map(({ name }) => column(collection, name).text)];
  const places = names.map(() => '?').join(', ');
  return {
    row: `INSERT INTO ${recordTable(collection).text} (${names.join(', ')}) VALUES (${places})`,
    held: (values) => single.map(({ name, toColumn }) => toColumn(values[name] ?? null)),
    lists: fields.filter(isPlural).map((field) => {
      const { name, toColumn } = compileColumn(field);
      return {
        name,
        text: `INSERT INTO ${valueTable(collection, name).text} (value, seq) VALUES (?, ?)`,
        elements: (value) => new Set((Array.isArray(value) ? value : []).map(toColumn)),
      };
    }),
  };
}

function compileColumn(field: Field): { name: string; toColumn: (value: Json) => ColumnValue } {
  const type = fieldType(field);
  return {
    name: field.name,
    toColumn: (value) => (value === null ? null : type.toColumn(value, field)),
  };
}
