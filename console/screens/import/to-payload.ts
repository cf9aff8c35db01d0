import type { Definition, Field } from '../../../client/admin.ts';
import type { Json } from '../../../client/client.ts';
import { fieldsOf, itemField, type NamedField } from '../../model/fields.ts';
import { texts } from '../../texts.ts';
import type { Row, Table } from './read-file.ts';

const { imports: words } = texts;

/** Maps columns of the file to fields; '' means none. */
export type Mapping = Readonly<Record<string, string>>;

export interface Checked {
  readonly row: Row;
  readonly payload: Readonly<Record<string, Json>>;
  readonly fault?: string;
}

/** Maps a column to the field with the same name or label, ignoring case and punctuation. */
export function guessMapping({ columns }: Table, definition: Definition): Mapping {
  const fields = fieldsOf(definition);
  const plain = (text: string) => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
  return Object.fromEntries(
    columns.map((column) => {
      const found = fields.find(
        ({ name, label }) => plain(name) === plain(column) || (label && plain(label) === plain(column)),
      );
      return [column, found?.name ?? ''];
    }),
  );
}

/** Columns mapped to a field that an earlier column is mapped to: only one of their values could be imported. */
export function repeatedColumns({ columns }: Table, mapping: Mapping): ReadonlySet<string> {
  const first = new Map<string, string>();
  for (const column of columns) {
    const field = mapping[column] ?? '';
    if (field !== '' && !first.has(field)) first.set(field, column);
  }
  return new Set(columns.filter((column) => (first.get(mapping[column] ?? '') ?? column) !== column));
}

/** A row as the payload of a create, with the faults that can be found without the server. */
export function payloadOf(row: Row, mapping: Mapping, definition: Definition): Checked {
  const fields = new Map(fieldsOf(definition).map((field) => [field.name, field]));
  const payload: Record<string, Json> = {};
  const faults: string[] = [];
  for (const [column, value] of Object.entries(row.values)) {
    const field = fields.get(mapping[column] ?? '');
    if (!field) continue;
    const read = row.isText ? readCell(field, String(value)) : value;
    if (read === undefined) faults.push(`${field.name}: must be a ${field.type}, not '${String(value)}'`);
    else payload[field.name] = read;
  }
  for (const { name, required, default: fallback } of fields.values()) {
    const value = payload[name];
    const isEmpty =
      value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);
    if (required && isEmpty && (name in payload || fallback === undefined))
      faults.push(`${name}: is required`);
  }
  return { row, payload, ...(faults.length > 0 && { fault: faults.join('; ') }) };
}

/** Returns undefined if the cell is not a value of the field's type. An empty cell is an unset value. */
function readCell(field: NamedField, cell: string): Json | undefined {
  if (cell === '') return field.type === 'list' || field.kind === 'multiple' ? [] : null;
  switch (field.type) {
    case 'number':
      return readNumber(cell.trim());
    case 'boolean':
      return cell.trim() === '' ? null : booleans.get(cell.trim().toLowerCase());
    case 'list':
      return readList(itemField(field), cell);
    case 'relation':
      return field.kind === 'multiple' ? cell.split(',').map((one) => one.trim()) : cell;
    default:
      return cell;
  }
}

/** Stricter than `Number()`, which takes blanks for 0 and reads 0x1F as 31. */
const decimal = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;

function readNumber(text: string): Json | undefined {
  if (text === '') return null;
  return decimal.test(text) && Number.isFinite(Number(text)) ? Number(text) : undefined;
}

const booleans: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['false', false],
  ['yes', true],
  ['no', false],
  ['1', true],
  ['0', false],
]);

function readList(item: NamedField, cell: string): Json | undefined {
  const items = cell.split(',').map((one) => readCell(item, one.trim()));
  return items.includes(undefined) ? undefined : (items as Json);
}

/** Finds values of unique fields that the file has twice: the later row gets the fault. */
export function findDuplicates(checked: readonly Checked[], definition: Definition): Checked[] {
  const rules = uniqueRules(definition).map((names) => ({ names, rows: new Map<string, number>() }));
  return checked.map((one) => {
    if (one.fault !== undefined) return one;
    for (const { names, rows } of rules) {
      const values = names.map((name) => folded(definition.fields?.[name], one.payload[name] ?? null));
      if (values.includes(null)) continue;
      const key = JSON.stringify(values);
      const earlier = rows.get(key);
      if (earlier !== undefined) return { ...one, fault: words.sameAs(names.join(', '), String(earlier)) };
      rows.set(key, one.row.number);
    }
    return one;
  });
}

function uniqueRules({ fields = {}, indexes = [] }: Definition): (readonly string[])[] {
  const single = Object.entries(fields).filter(([, { unique }]) => unique);
  return [
    ...single.map(([name]) => [name]),
    ...indexes.filter(({ unique }) => unique).map((index) => index.fields),
  ];
}

const folded = (field: Field | undefined, value: Json): Json =>
  field?.type === 'email' && typeof value === 'string' ? value.toLowerCase() : value;
