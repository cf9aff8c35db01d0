import type { Field, Operator } from '../../src/model/field.ts';
import { fieldType, fieldTypes } from '../../src/model/field-types.ts';
import type { Json, JsonObject } from '../../src/model/json.ts';
import { scalarTypes } from '../../src/model/scalar-types.ts';
import { operations } from '../../src/records/operations.ts';

/** A value of each type, different from record to record. */
const values: Readonly<Record<Field['type'], (n: number) => Json>> = {
  text: (n) => `title ${n % 9_973} of everybody`,
  content: (n) => `a longer text ${n} ${'with many words in it '.repeat(10)}`,
  email: (n) => `user${n}@example.com`,
  url: (n) => `https://example.com/${n}`,
  number: (n) => (n * 7_919) % 10_007,
  boolean: (n) => n % 3 === 0,
  datetime: (n) => new Date(1_700_000_000_000 + n * 1_000).toISOString(),
  list: (n) => [`tag${n % 50}`, `mark${n % 5_000}`],
  relation: () => null,
};

/** A field of every type, none with an index. */
const types = Object.keys(fieldTypes) as Field['type'][];
const definitionOf = (type: Field['type']): JsonObject => {
  if (type === 'list') return { type, of: { type: 'text' } };
  return type === 'relation' ? { type, to: 'items', kind: 'multiple' } : { type };
};

export const items: JsonObject = {
  id: 'items',
  name: 'Items',
  fields: Object.fromEntries(types.map((type) => [`a_${type}`, definitionOf(type)])),
  api: { access: 'public' },
};

export const recordOf = (n: number): JsonObject =>
  Object.fromEntries(
    types.filter((type) => type !== 'relation').map((type) => [`a_${type}`, values[type](n)]),
  );

/** The most expensive forms of every read, from the types of fields and the operations there are. */
export function expensivePaths(): string[] {
  return operations
    .filter(({ verb }) => verb === 'GET')
    .flatMap(({ method }) => {
      const forms = byMethod[method];
      if (!forms) throw new Error(`say what the most expensive form of ${method} is`);
      return forms();
    });
}

const scalars = Object.keys(scalarTypes).map((type) => `a_${type}`);
const searches = [
  'a',
  'e',
  'evryb',
  'a e o i',
  'title of everybody',
  'a b c d e f g h i l m n o r s t u w y',
];

const byMethod: Readonly<Record<string, (() => string[]) | undefined>> = {
  viewAll: () => [
    ...scalars.flatMap((name) => [`?sort=${name}`, `?sort=-${name},-_updatedAt&page=200&perPage=50`]),
    ...types.flatMap(filtersOf).map((filter) => `?${filter}`),
    ...searches.map((words) => `?search=${encodeURIComponent(words)}&sort=-a_content`),
    ...searches.map((words) => `?search=${encodeURIComponent(words)}`),
    `?page=${'9'.repeat(12)}&a_number>=0`,
    `?${Array.from({ length: 190 }, (_, index) => `a_text!=x${index}`).join('&')}&perPage=1000`,
    `?after=&sort=-a_content&perPage=1000&search=e`,
    '?include=a_relation,a_relation.a_relation&perPage=1000&sort=a_content',
  ],
  distinct: () => [
    `/distinct?fields=${types.map((type) => `a_${type}`).join(',')}&search=e&a_number>=0`,
    '/distinct?fields=a_list,a_boolean',
    '/distinct?fields=a_number&a_content!=x',
  ],
  export: () =>
    ['csv', 'xlsx', 'json', 'ndjson'].map((format) => `/export?format=${format}&sort=-a_content&search=e`),
  view: () => [],
};

function filtersOf(type: Field['type']): string[] {
  const field = { name: `a_${type}`, ...definitionOf(type) } as unknown as Field;
  const sample = values[type](17);
  const value = encodeURIComponent(String(Array.isArray(sample) ? sample[0] : (sample ?? 'none')));
  const unset: Operator[] = ['=', '!='];
  const { operators } = fieldType(field).filter(field);
  return [
    ...operators.map((operator) => `a_${type}${operator}${value}`),
    ...unset.map((operator) => `a_${type}${operator}`),
  ].map((filter) => `${filter}&sort=-a_url&page=3`);
}
