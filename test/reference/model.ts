/**
 * What View All and Distinct answer, said again as plainly as possible: everything in memory, every record
 * looked at for every question. It knows what the documentation says and nothing of src/.
 */

export type Scalar = 'text' | 'email' | 'url' | 'content' | 'number' | 'boolean' | 'datetime';

export type Field =
  | { readonly type: Scalar }
  | { readonly type: 'list'; readonly of: { readonly type: Scalar } }
  | { readonly type: 'relation'; readonly to: string; readonly kind: 'single' | 'multiple' };

export interface Row {
  readonly _id: string;
  readonly _createdAt: string;
  readonly _updatedAt: string;
  readonly [field: string]: unknown;
}

export interface Table {
  readonly fields: Readonly<Record<string, Field>>;
  /** In the order of their creation. */
  rows: Row[];
}

export type World = ReadonlyMap<string, Table>;

export interface Page {
  page: number;
  perPage: number;
  total: number;
  totalPages: number;
  found: object[];
  _include?: Record<string, Row[]>;
}

/** What a walk does not count. */
export type Counted = 'page' | 'total' | 'totalPages';

/** The question breaks a rule: status 400. */
export class Refused extends Error {}

type Operator = '=' | '!=' | '>' | '>=' | '<' | '<=';
type Conditions = readonly { readonly name: string; readonly operator: Operator; readonly value: string }[];

const textTypes = ['text', 'email', 'url', 'content'];
const reserved = ['search', 'page', 'perPage', 'after', 'sort', 'fields', 'field', 'include'];

export function viewAll(world: World, collection: string, query: string): Page {
  const { rows, perPage, page, show } = asked(world, collection, query);
  return {
    page,
    perPage,
    total: rows.length,
    totalPages: Math.ceil(rows.length / perPage),
    ...show(rows.slice((page - 1) * perPage, page * perPage)),
  };
}

/** The pages of a walk by `after`, each without its `next`: the unpaged list, cut up. */
export function walked(world: World, collection: string, query: string): Omit<Page, Counted>[] {
  const { rows, perPage, show } = asked(world, collection, query);
  const starts = Array.from(
    { length: Math.max(1, Math.ceil(rows.length / perPage)) },
    (_, at) => at * perPage,
  );
  return starts.map((start) => ({ perPage, ...show(rows.slice(start, start + perPage)) }));
}

/** Every record that a question finds, in its order. */
export function unpaged(world: World, collection: string, query: string): Row[] {
  return asked(world, collection, query).rows;
}

function asked(world: World, collection: string, query: string) {
  const table = tableOf(world, collection);
  const conditions = parse(query);
  const fields = listOf(conditions, 'fields');
  const paths = listOf(conditions, 'include');
  return {
    rows: sorted(table, matching(table, conditions), listOf(conditions, 'sort') ?? []),
    page: Number(parameter(conditions, 'page') ?? 1),
    perPage: Number(parameter(conditions, 'perPage') ?? 25),
    show: (found: readonly Row[]) => ({
      found: found.map((row) => (fields ? only(row, ['_id', ...fields]) : row)),
      ...(paths && {
        _include: Object.fromEntries(paths.map((path) => [path, related(world, collection, found, path)])),
      }),
    }),
  };
}

export function distinct(world: World, collection: string, query: string): Record<string, unknown[]> {
  const table = tableOf(world, collection);
  const conditions = parse(query);
  const rows = matching(table, conditions);
  const names = listOf(conditions, 'fields') ?? listOf(conditions, 'field') ?? [];
  return Object.fromEntries(
    names.map((name) => [name, [...new Set(rows.flatMap((row) => valuesOf(row, name)))].sort(compare)]),
  );
}

/**
 * `a=1&b>=2` taken apart; form encoding, and operators that may or may not be encoded. `b%3E%3D=2` and `b>==2`, as
 * clients write an operator in a name, are `b>=2` too. A value that begins with `=` has to be encoded.
 */
function parse(query: string): Conditions {
  const parts = query.split('&').filter((part) => part !== '');
  return parts.map((part) => {
    const match = /^(\w+)((?:!|%21|>|%3e|<|%3c)(?:=|%3d)=?|=|%3d|>|%3e|<|%3c)(.*)$/is.exec(part);
    if (!match) throw new Refused(`not a condition: ${part}`);
    const [, name = '', sign = '', rest = ''] = match;
    if (rest.startsWith('=')) throw new Refused(`two signs: ${part}`);
    const operator = decodeURIComponent(sign).slice(0, 2).replace('==', '=');
    return { name, operator: operator as Operator, value: decodeURIComponent(rest.replaceAll('+', ' ')) };
  });
}

function parameter(conditions: Conditions, name: string): string | undefined {
  return conditions.find((condition) => condition.name === name)?.value;
}

function listOf(conditions: Conditions, name: string): string[] | undefined {
  return parameter(conditions, name)?.split(',');
}

function tableOf(world: World, collection: string): Table {
  const table = world.get(collection);
  if (!table) throw new Error(`no collection ${collection}`);
  return table;
}

function fieldOf(table: Table, name: string): Field {
  if (name === '_id') return { type: 'text' };
  if (name === '_createdAt' || name === '_updatedAt') return { type: 'datetime' };
  const field = table.fields[name];
  if (!field) throw new Refused(`no field ${name}`);
  return field;
}

/** The values in a field, of which there may be any number: an unset one has none. */
function valuesOf(row: Row, name: string): unknown[] {
  const value = row[name];
  if (Array.isArray(value)) return value;
  return value === null ? [] : [value];
}

function only(row: Row, names: readonly string[]): object {
  return Object.fromEntries(names.map((name) => [name, row[name]]));
}

function matching(table: Table, conditions: Conditions): Row[] {
  const filters = conditions.filter(({ name }) => !reserved.includes(name));
  const tests = filters.map(({ name, operator, value }) => {
    const field = fieldOf(table, name);
    if (operator === '=' || operator === '!=') {
      if (field.type === 'datetime' && value !== '') throw new Refused('a date takes comparisons only');
      const oneOnly = ['number', 'boolean', 'datetime'].includes(field.type);
      const equals = filters.filter((filter) => filter.name === name && filter.operator === '=');
      if (oneOnly && equals.length > 1) throw new Refused('one value only');
      // A repeated `=` is another alternative; a repeated `!=` is one more thing that must hold.
      const texts = operator === '=' ? equals.map((filter) => filter.value) : [value];
      const type = field.type === 'list' ? field.of.type : field.type;
      const separate = oneOnly && operator === '=' ? (text: string) => [text] : alternatives;
      const wanted = texts.flatMap(separate).map((one) => (one === '' ? unset : parseValue(type, one)));
      if (wanted.includes(unset) && neverUnset.includes(name)) throw new Refused(`${name} is never unset`);
      return (row: Row) => {
        const found = isUnset(row[name])
          ? wanted.includes(unset)
          : valuesOf(row, name).some((one) => wanted.includes(one));
        return found === (operator === '=');
      };
    }
    if (field.type !== 'number' && field.type !== 'datetime') throw new Refused('has no order to compare by');
    const bound = parseValue(field.type, value);
    return (row: Row) => row[name] !== null && holds(compare(row[name], bound), operator);
  });
  const words = wordsOf(parameter(conditions, 'search') ?? '').map(fold);
  return table.rows.filter((row) => {
    const texts = textsOf(table, row).map(fold);
    return (
      tests.every((test) => test(row)) && words.every((word) => texts.some((text) => text.includes(word)))
    );
  });
}

/** What an empty value asks for. */
const unset = Symbol('unset');
const neverUnset = ['_id', '_createdAt', '_updatedAt'];

function isUnset(value: unknown): boolean {
  return value === null || value === '' || (Array.isArray(value) && value.length === 0);
}

function alternatives(text: string): string[] {
  return text.split(/(?<!\\),/).map((one) => one.replaceAll('\\,', ','));
}

function parseValue(type: Field['type'], text: string): unknown {
  if (type === 'number') {
    if (text.trim() === '' || !Number.isFinite(Number(text))) throw new Refused(`not a number: ${text}`);
    return Number(text);
  }
  if (type === 'boolean') {
    if (text !== 'true' && text !== 'false') throw new Refused(`not a boolean: ${text}`);
    return text === 'true';
  }
  if (type === 'datetime') {
    if (Number.isNaN(Date.parse(text))) throw new Refused(`not a date: ${text}`);
    return new Date(text).toISOString();
  }
  return text;
}

function holds(order: number, operator: Operator): boolean {
  if (operator === '>') return order > 0;
  if (operator === '>=') return order >= 0;
  return operator === '<' ? order < 0 : order <= 0;
}

/** Two values of one type. Dates are in one format, so that their text has their order; UTF-8 has that of code points. */
function compare(a: unknown, b: unknown): number {
  if (typeof a === 'string' && typeof b === 'string') return Buffer.compare(Buffer.from(a), Buffer.from(b));
  return Number(a) - Number(b);
}

function sorted(table: Table, rows: readonly Row[], keys: readonly string[]): Row[] {
  const order = keys.map((key) => ({ name: key.replace(/^-/, ''), sign: key.startsWith('-') ? -1 : 1 }));
  for (const { name } of order) {
    const field = fieldOf(table, name);
    if (field.type === 'list' || (field.type === 'relation' && field.kind === 'multiple')) {
      throw new Refused(`${name} has many values`);
    }
  }
  return rows.toSorted((a, b) => {
    for (const { name, sign } of order) {
      if (name === '_createdAt') return sign * (rows.indexOf(a) - rows.indexOf(b));
      const unset = Number(b[name] === null) - Number(a[name] === null);
      const difference = a[name] === null || b[name] === null ? unset : compare(a[name], b[name]);
      if (difference !== 0) return sign * difference;
    }
    return rows.indexOf(a) - rows.indexOf(b);
  });
}

/** `"a phrase" word "another, to the end`: what must be found. Nothing but blanks asks for nothing. */
function wordsOf(search: string): string[] {
  const words = [...search.matchAll(/"([^"]*)"?|\S+/g)].map(([word, phrase]) => phrase ?? word);
  return words.filter((word) => word.trim() !== '');
}

function fold(text: string): string {
  const lower = text.toUpperCase().toLowerCase().replaceAll('ς', 'σ').normalize('NFC');
  return lower.replace(/\s+/g, ' ');
}

function textsOf(table: Table, row: Row): string[] {
  const fields = Object.entries(table.fields);
  const searched = fields.filter(([, field]) =>
    textTypes.includes(field.type === 'list' ? field.of.type : field.type),
  );
  return searched.flatMap(([name]) => valuesOf(row, name).map(String));
}

function related(world: World, collection: string, rows: readonly Row[], path: string): Row[] {
  const [name = '', ...rest] = path.split('.');
  const field = fieldOf(tableOf(world, collection), name);
  if (field.type !== 'relation') throw new Refused(`${name} is no relation`);
  const ids = rows.flatMap((row) => valuesOf(row, name));
  const targets = tableOf(world, field.to).rows.filter((row) => ids.includes(row._id));
  return rest.length === 0 ? targets : related(world, field.to, targets, rest.join('.'));
}
