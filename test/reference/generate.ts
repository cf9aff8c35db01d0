import type { Json } from '../../src/model/json.ts';
import type { Dice } from './dice.ts';
import type { Field, Row, Scalar, Table, World } from './model.ts';

/** Random schemas, values and query strings, small enough in their variety that the queries find something. */

const scalars: readonly Scalar[] = ['text', 'email', 'url', 'content', 'number', 'boolean', 'datetime'];

/** Harmless in the API, and less so for a database. */
const fieldNames = [
  ...['title', 'Order', 'select', 'rowid', 'id', 'data', 'value', 'key', 'GROUP', 'rank', 'a', 'x_1'],
  ...['createdAt', 'text', 'null', 'true', 'from', 'oid', 'constructor', 'toString', 'hasOwnProperty', 'seq'],
];

/** Every script and every character that some layer below might treat as its own. */
const pieces = [
  ...['a', 'B', 'ab', 'Hello', 'hello', 'I', 'i', 'ı', 'İ', 'ß', 'SS', 'ﬁ', 'ŉ', 'ǅ', 'Å', 'Å', 'K'],
  ...['é', 'E\u0301', 'e\u0301', 'o\u0308', 'Ö', '\u0301', 'q\u0323\u0307', 'q\u0307\u0323'],
  ...['Москва', 'МОСКВА', 'вА', 'Ж', 'ё', 'Ё', 'Σ', 'σ', 'ς', 'ΟΔΟΣ', 'οδος', 'Ας', 'ΐ', 'Ω', 'Ω'],
  ...[
    '漢',
    '字',
    '漢字',
    '東京',
    'かな',
    'が',
    'か\u3099',
    '한',
    '\u1112\u1161\u11ab',
    '\uff21',
    '\ue000',
    '\ue040',
    '\ue02d',
  ],
  ...['👍', '👩‍👧', '🇩🇪', '𝒳', '𐐀', '𐐨', '\u{10ffff}', '\ufffd', '\u200d', '\ufeff'],
  ...[
    ' ',
    ' ',
    ' ',
    '  ',
    '\u3000',
    '\u00a0',
    '\t',
    '\n',
    ',',
    ',',
    '\\',
    '\\',
    '"',
    '"',
    "'",
    '@',
    '-',
    '_',
  ],
  ...[
    '%',
    '*',
    '?',
    '(',
    ')',
    '.',
    ':',
    '^',
    '&',
    '=',
    '+',
    '#',
    '>',
    '<',
    '!',
    '/',
    ';',
    '$',
    '|',
    '[',
    ']',
  ],
  ...['0', '7', '42', '-1', 'AND', 'or', 'NOT', 'NEAR', 'null', 'true', '\\,', '%41', '%2C', '\u0001'],
];

const emails = [
  ...['a@example.com', 'A@example.com', 'a_b@example.com', 'a-b@mail.example.org', "o'neil+x@example.com"],
  ...['100%@example.org', 'zoe@example.net'],
];
const urls = [
  ...[
    'https://example.com',
    'https://example.com/',
    'http://example.com/a,b',
    'https://example.com/?q=1&r=%2C',
  ],
  ...['https://example.com/%D0%96#top', 'https://EXAMPLE.com/_A-b', 'http://localhost:8080/x'],
];
const numbers = [
  ...[0, 1, -1, 2, 9, 10, 10.5, -2.25, 0.1, 0.30000000000000004, 100, 1e21, -1e21, 1e-7, 5e-324],
  ...[9007199254740991, 9007199254740992, 2 ** 31, 2 ** 62, -(2 ** 63), 2 ** 63, 1.7976931348623157e308],
];
const dates = [
  ...['2026-01-01', '2026-01-01T00:00:00Z', '2026-01-01T00:00:00.001Z', '2025-12-31T23:59:59.999Z'],
  ...['2026-01-01T02:00:00+02:00', '2026-01-01T02:00:00.500-03:30', '1970-01-01', '1969-12-31T23:59:59.999Z'],
  ...['0001-01-01', '9999-12-31T23:59:59.999Z', '2024-02-29T12:00:00Z'],
];

export type Definition = { id: string; fields: Record<string, Json>; indexes: Json[]; api: Json };
export type Payload = Record<string, Json>;

/** Collections `c`, `b` and `a`, each with relations to those before it and to itself. */
export function makeSchema(dice: Dice): { definitions: Definition[]; tables: Map<string, Table> } {
  const definitions: Definition[] = [];
  const tables = new Map<string, Table>();
  for (const id of ['c', 'b', 'a']) {
    const fields: Record<string, Field> = {};
    const names = dice.some(fieldNames, 2, 8);
    const targets = [...tables.keys(), id];
    names.forEach((name, at) => {
      const previous = targets.at(-2);
      // The first field makes the chain a -> b -> c, so that a path has somewhere to go.
      fields[name] = at === 0 && previous ? relation(dice, previous) : field(dice, targets);
    });
    const detailed = Object.entries(fields).map(([name, one]) => {
      return [name, { ...one, ...(dice.chance(40) && indexable(one) && { index: true }) }] as const;
    });
    const indexed = names.filter((name) => indexable(fields[name]));
    const several = dice.some(indexed, 2, 3);
    definitions.push({
      id,
      fields: Object.fromEntries(detailed),
      indexes: several.length > 1 && dice.chance(50) ? [{ fields: several }] : [],
      api: { access: 'public' },
    });
    tables.set(id, { fields, rows: [] });
  }
  return { definitions, tables };
}

function indexable(field: Field | undefined): boolean {
  return field !== undefined && !isMany(field) && field.type !== 'content' && field.type !== 'relation';
}

export function isMany(field: Field): boolean {
  return field.type === 'list' || (field.type === 'relation' && field.kind === 'multiple');
}

function relation(dice: Dice, to: string): Field {
  return { type: 'relation', to, kind: dice.pick(['single', 'multiple']) };
}

function field(dice: Dice, targets: readonly string[]): Field {
  const type = dice.pick([...scalars, 'text', 'list', 'list', 'relation'] as const);
  if (type === 'list') return { type, of: { type: dice.pick([...scalars, 'text', 'text']) } };
  return type === 'relation' ? relation(dice, dice.pick(targets)) : { type };
}

function makeText(dice: Dice): string {
  const length = dice.chance(4) ? 200 : dice.below(7);
  return dice.times(length, () => dice.pick(pieces)).join('');
}

export class Values {
  readonly #dice: Dice;
  readonly #texts: string[];

  constructor(dice: Dice) {
    this.#dice = dice;
    this.#texts = dice.times(8, () => makeText(dice));
  }

  scalar(type: Scalar): Json {
    const dice = this.#dice;
    if (type === 'text' || type === 'content') {
      return dice.chance(75) ? dice.pick(this.#texts) : makeText(dice);
    }
    if (type === 'number') return dice.pick(numbers);
    if (type === 'boolean') return dice.chance(50);
    return dice.pick({ email: emails, url: urls, datetime: dates }[type]);
  }

  /** Of a field; null now and then. */
  of(field: Field, world: World): Json {
    const dice = this.#dice;
    if (dice.chance(18)) return null;
    if (field.type === 'list') return dice.times(dice.below(4), () => this.scalar(field.of.type));
    if (field.type !== 'relation') return this.scalar(field.type);
    const ids = (world.get(field.to)?.rows ?? []).map((row) => row._id);
    if (field.kind === 'multiple') return dice.some(ids, 0, 3);
    return ids.length === 0 ? null : dice.pick(ids);
  }

  payload(table: Table, world: World): Payload {
    const sent = Object.entries(table.fields).filter(() => this.#dice.chance(90));
    return Object.fromEntries(sent.map(([name, field]) => [name, this.of(field, world)]));
  }
}

/** What the record must hold after this value was sent. */
export function stored(field: Field, value: Json): Json {
  if (value === null) return isMany(field) ? [] : null;
  const date = (text: Json) => new Date(String(text)).toISOString();
  if (field.type === 'datetime') return date(value);
  if (field.type === 'list' && field.of.type === 'datetime' && Array.isArray(value)) return value.map(date);
  return value;
}

export class Questions {
  readonly #dice: Dice;
  readonly #world: World;
  readonly #values: Values;

  constructor(dice: Dice, world: World, values: Values) {
    this.#dice = dice;
    this.#world = world;
    this.#values = values;
  }

  viewAll(collection: string): string {
    const dice = this.#dice;
    const paging: string[] = [];
    if (dice.chance(40)) paging.push(`perPage=${dice.pick([1, 2, 3, 5, 10, 25, 100, 1000])}`);
    if (dice.chance(30)) paging.push(`page=${dice.pick([1, 1, 1, 2, 2, 3, 1000])}`);
    return this.#view(collection, [...this.#conditions(this.#table(collection)), ...paging], 60);
  }

  /** All of a walk's questions but `after`. */
  walk(collection: string): string {
    const dice = this.#dice;
    const paging = dice.chance(95) ? [`perPage=${dice.pick([1, 2, 2, 3, 4, 5, 7, 10, 1000])}`] : [];
    const conditions = dice.chance(45) ? this.#conditions(this.#table(collection)) : [];
    return this.#view(collection, [...conditions, ...paging], 85);
  }

  #view(collection: string, begun: readonly string[], sorted: number): string {
    const dice = this.#dice;
    const table = this.#table(collection);
    const names = ['_id', '_createdAt', '_updatedAt', ...Object.keys(table.fields)];
    const parts = [...begun];
    if (dice.chance(sorted)) parts.push(`sort=${this.#encode(this.#sort(table))}`);
    if (dice.chance(20)) parts.push(`fields=${this.#encode(dice.some(names, 1, 4).join(','))}`);
    if (dice.chance(40)) {
      const paths = this.#paths(collection, 3);
      if (paths.length > 0) parts.push(`include=${this.#encode(dice.some(paths, 1, 3).join(','))}`);
    }
    return dice.shuffle(parts).join('&');
  }

  distinct(collection: string): string {
    const dice = this.#dice;
    const table = this.#table(collection);
    const names = dice.some(Object.keys(table.fields), 1, 3);
    const key = names.length === 1 && dice.chance(30) ? 'field' : 'fields';
    const parts = [`${key}=${this.#encode(names.join(','))}`];
    if (dice.chance(60)) parts.push(...this.#conditions(table));
    return dice.shuffle(parts).join('&');
  }

  #table(collection: string): Table {
    const table = this.#world.get(collection);
    if (!table) throw new Error(`no collection ${collection}`);
    return table;
  }

  #conditions(table: Table): string[] {
    const dice = this.#dice;
    const searches = dice.chance(35);
    const count = dice.pick(searches ? [0, 0, 0, 1] : [0, 1, 1, 1, 2, 3]);
    const parts = dice.times(count, () => this.#filter(table)).flat();
    if (searches) parts.push(`search=${this.#encode(this.#search(table))}`);
    return parts;
  }

  #sort(table: Table): string {
    const dice = this.#dice;
    const sortable = Object.entries(table.fields).flatMap(([name, field]) => (isMany(field) ? [] : [name]));
    // Now and then one by which nothing can be sorted: the model refuses it, and so must the product.
    const names = dice.chance(3) ? Object.keys(table.fields) : sortable;
    const keys = dice.some([...names, '_id', '_createdAt', '_updatedAt'], 1, 3);
    return keys.map((key) => (dice.chance(50) ? `-${key}` : key)).join(',');
  }

  #paths(collection: string, depth: number): string[] {
    return Object.entries(this.#table(collection).fields).flatMap(([name, field]) => {
      if (field.type !== 'relation') return [];
      const deeper = depth > 1 ? this.#paths(field.to, depth - 1) : [];
      return [name, ...deeper.map((path) => `${name}.${path}`)];
    });
  }

  #filter(table: Table): string[] {
    const dice = this.#dice;
    const name = dice.pick([...Object.keys(table.fields), '_id', '_createdAt', '_updatedAt']);
    const field: Field = table.fields[name] ?? { type: name === '_id' ? 'text' : 'datetime' };
    if (dice.chance(14)) return [this.#unsetFilter(table, name, field)];
    const wrong = dice.chance(2);
    const compared = field.type === 'number' || field.type === 'datetime';
    const operators = wrong
      ? ['=', '!=', '>', '<=']
      : [
          ...(field.type === 'datetime' ? [] : ['=', '=', '=', '!=']),
          ...(compared ? ['>', '>=', '<', '<='] : []),
        ];
    const operator = dice.pick(operators);
    const several =
      !wrong && (operator === '=' || operator === '!=') && !compared && field.type !== 'boolean';
    const alternatives = dice
      .times(several ? 1 + dice.below(3) : 1, () => this.#wanted(table, name, field))
      .map((text) => (several && dice.chance(90) ? text.replaceAll(',', '\\,') : text));
    const one = () => this.#operator(name, operator);
    if (several && dice.chance(25)) return alternatives.map((text) => one() + this.#encode(text));
    const ends = compared && operator !== '=' && dice.chance(30) ? 1 + dice.below(3) : 0;
    return [
      one() + this.#encode(alternatives.join(',')),
      ...dice.times(ends, () => {
        const end = this.#operator(name, dice.pick(['<=', '<=', '<', '>', '>=']));
        return end + this.#encode(this.#wanted(table, name, field));
      }),
    ];
  }

  /** Those without a value, or with one; and at times some values beside. */
  #unsetFilter(table: Table, name: string, field: Field): string {
    const dice = this.#dice;
    const operator = dice.pick(['=', '=', '!=', '!=', ...(dice.chance(3) ? ['>', '<='] : [])]);
    const alone = ['number', 'boolean', 'datetime'].includes(field.type) && !dice.chance(5);
    const values = dice.times(alone ? 0 : dice.below(3), () =>
      this.#wanted(table, name, field).replaceAll(',', '\\,'),
    );
    return this.#operator(name, operator) + this.#encode(dice.shuffle(['', ...values]).join(','));
  }

  /** Mostly a value that is there. */
  #wanted(table: Table, name: string, field: Field): string {
    const dice = this.#dice;
    const there = table.rows.flatMap((row) => row[name] ?? []).map(String);
    if (there.length > 0 && dice.chance(75)) return this.#spelled(field, dice.pick(there));
    if (field.type === 'relation' || name === '_id') {
      const ids = [...this.#world.values()].flatMap(({ rows }) => rows).map((row) => row._id);
      return dice.pick([...ids, '01890000-0000-7000-8000-000000000000', 'nobody']);
    }
    return this.#spelled(
      field,
      String(this.#values.scalar(field.type === 'list' ? field.of.type : field.type)),
    );
  }

  #spelled(field: Field, text: string): string {
    if (field.type === 'number' && this.#dice.chance(20)) return Number(text).toExponential();
    return text;
  }

  #search(table: Table): string {
    const dice = this.#dice;
    // Mostly words out of one record, which then has them all.
    const rows = table.rows.length > 0 && dice.chance(70) ? [dice.pick(table.rows)] : table.rows;
    const texts = rows.flatMap((row) => textsOf(table, row)).filter((text) => text !== '');
    const words = dice.times(dice.pick([1, 1, 1, 2, 3]), () => {
      const whole = [...(texts.length > 0 && dice.chance(92) ? dice.pick(texts) : makeText(dice))];
      const start = dice.chance(30) ? 0 : dice.below(whole.length);
      const length = dice.pick([1, 1, 2, 2, 3, 4, 5, 8, 40]);
      const part = whole.slice(start, start + length).join('');
      const cased = dice.pick([part, part, part.toUpperCase(), part.toLowerCase()]);
      return dice.chance(45) ? `"${cased.replaceAll('"', '')}"` : cased;
    });
    return words.join(dice.pick([' ', ' ', ' ', '  ', '\t', '\u3000', '']));
  }

  #operator(name: string, operator: string): string {
    if (operator === '=') return `${name}=`;
    const encoded = [...Buffer.from(operator)].map((byte) => `%${hex(byte)}`).join('');
    const spellings = [operator, encoded];
    // Of an operator of two characters half may be encoded; and URLSearchParams puts its own `=` behind it.
    if (operator.length === 2) spellings.push(`${encoded.slice(0, 3)}=`, `${encoded}=`, `${operator}=`);
    return name + this.#dice.pick(spellings);
  }

  #encode(text: string): string {
    const way = this.#dice.below(6);
    if (way === 0) return encodeURIComponent(text).replaceAll('%20', '+');
    if (way === 1) return [...Buffer.from(text)].map((byte) => `%${hex(byte)}`).join('');
    // As a browser's address bar or curl would pass it on: only what would change the meaning is encoded.
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are meant
    if (way === 2) return text.replace(/[%&#+\s\u0000-\u001f]/g, (one) => encodeURIComponent(one));
    return encodeURIComponent(text);
  }
}

function hex(byte: number): string {
  return byte.toString(16).toUpperCase().padStart(2, '0');
}

/** What search looks at, and dates, at which it must not look. */
function textsOf(table: Table, row: Row): string[] {
  const types = ['text', 'email', 'url', 'content', 'list', 'datetime'];
  const names = Object.keys(table.fields).filter((name) => types.includes(table.fields[name]?.type ?? ''));
  return names.flatMap((name) => row[name] ?? []).map(String);
}
