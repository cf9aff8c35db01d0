import type { Definition } from '../../../client/admin.ts';
import type { Json } from '../../../client/client.ts';
import { looksLikeFormula, restoreDefused } from '../../../src/model/formula.ts';
import { fieldsOf, itemField, type NamedField } from '../../model/fields.ts';
import { jsonFault, parseJson } from '../../model/parse-json.ts';
import type { Row, Table } from './read-file.ts';

/** Maps columns of the file to fields; '' means none. */
export type Mapping = Readonly<Record<string, string>>;

export type Payload = Readonly<Record<string, Json>>;

/** Where the rows go. */
export interface ImportPlace {
  readonly project: string;
  readonly definition: Definition;
  /** All collections of the project, which relations may point to. */
  readonly all: readonly Definition[];
}

/** What is wrong, and where: `price`, `tags[2]`, `brand, title`; an empty text for the row as a whole. */
export interface Fault {
  readonly at: string;
  readonly message: string;
}

export interface Checked {
  readonly row: Row;
  readonly payload: Payload;
  readonly faults: readonly Fault[];
}

export const faultText = ({ faults }: Checked) =>
  faults.map(({ at, message }) => (at === '' ? message : `${at}: ${message}`)).join('; ');

const fieldAt = (at: string) => at.split(/[.[,]/, 1)[0];

/** Without those about a field that has a fault already: they would only follow from it. */
export function withFaults(one: Checked, more: readonly Fault[]): Checked {
  const wrong = new Set(one.faults.map(({ at }) => fieldAt(at)));
  const added = more.filter(({ at }) => !wrong.has(fieldAt(at)));
  return added.length === 0 ? one : { ...one, faults: [...one.faults, ...added] };
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

/** How cells become values. */
export interface Reading {
  readonly mapping: Mapping;
  /** Takes off the ' that an export puts before a text which a spreadsheet would run as a formula. */
  readonly restores: boolean;
}

/** Whether any cell has such a '. */
export const isDefused = ({ rows }: Table): boolean =>
  rows.some(
    ({ values, isText }) =>
      isText &&
      Object.values(values).some(
        (cell) => typeof cell === 'string' && cell.startsWith("'") && looksLikeFormula(cell.slice(1)),
      ),
  );

/** A row as the payload of a create, without the cells that can't be read. */
export function payloadOf(row: Row, { mapping, restores }: Reading, definition: Definition): Checked {
  const fields = new Map(fieldsOf(definition).map((field) => [field.name, field]));
  const payload: Record<string, Json> = {};
  const faults: Fault[] = [];
  for (const [column, value] of Object.entries(row.values)) {
    const field = fields.get(mapping[column] ?? '');
    if (!field) continue;
    const cell = restores ? restoreDefused(String(value)) : String(value);
    const read = row.isText ? readCell(field, cell) : value;
    if (read !== undefined) payload[field.name] = read;
    else faults.push({ at: field.name, message: `must be a ${field.type}, not '${String(value)}'` });
  }
  return { row, payload, faults };
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
      return field.kind === 'multiple' ? itemsOf(cell) : cell;
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
  const items = itemsOf(cell).map((one) => (typeof one === 'string' ? readCell(item, one) : one));
  return items.includes(undefined) ? undefined : (items as Json);
}

/** A JSON array, or values with ', ' between them, as an export writes them: those may hold commas. Otherwise commas will do. */
function itemsOf(cell: string): Json[] {
  const array = /^\[[\s\S]*\]$/.test(cell) && jsonFault(cell) === undefined ? parseJson(cell) : undefined;
  if (Array.isArray(array)) return array as Json[];
  return cell.includes(', ') ? cell.split(', ') : cell.split(',').map((one) => one.trim());
}
