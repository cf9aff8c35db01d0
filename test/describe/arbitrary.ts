import fc from 'fast-check';
import { isJsonObject, type Json, type JsonObject } from '../../src/model/json.ts';

/** Definitions, and values that a JSON Schema describes, at random. */

const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const pair = (least: number, most: number) =>
  fc
    .tuple(fc.integer({ min: least, max: most }), fc.integer({ min: least, max: most }))
    .map(([one, other]) => [Math.min(one, other), Math.max(one, other)] as const);

const lengths = fc.record({ between: maybe(pair(0, 8)), both: fc.boolean() }).map(({ between, both }) => ({
  ...(between && both && { minLength: between[0] }),
  ...(between && { maxLength: between[1] + 1 }),
}));

const patterns = [
  '^[A-Z]{3}-[0-9]+$',
  'a.c',
  '^\\s+$',
  '^[^x]*$',
  'é|\\pL\\d',
  '^(?<year>[0-9]{4})$',
  '[[.]',
];

const text = fc
  .oneof(
    lengths,
    fc.record({ pattern: fc.constantFrom(...patterns) }),
    fc.record({
      options: fc.uniqueArray(fc.constantFrom('', 'b c', 'ü', ',')).map((more) => ['a', ...more]),
    }),
  )
  .map((rules) => ({ type: 'text', ...rules }));
const number = fc
  .record({ integer: maybe(fc.boolean()), between: maybe(pair(-50, 50)) })
  .map(({ integer, between }) => ({
    type: 'number',
    ...(integer !== undefined && { integer }),
    ...(between && { min: between[0], max: between[1] }),
  }));
const datetime = maybe(pair(1990, 2030)).map((years) => ({
  type: 'datetime',
  ...(years && { min: `${years[0]}-01-01`, max: `${years[1]}-12-31T23:59:59Z` }),
}));
const scalar: fc.Arbitrary<JsonObject> = fc.oneof(
  text,
  number,
  datetime,
  fc.constant({ type: 'email' }),
  fc.constant({ type: 'email', maxLength: 60 }),
  fc.constant({ type: 'url' }),
  lengths.map((rules) => ({ type: 'content', ...rules })),
  fc.constant({ type: 'boolean' }),
);
const items = maybe(pair(0, 4)).map((between) =>
  between ? { minItems: between[0], maxItems: between[1] + 1 } : {},
);
/** Of which there are enough to have several that differ. */
const roomy = fc.constantFrom<JsonObject[]>(
  { type: 'text' },
  { type: 'number' },
  { type: 'email' },
  { type: 'url' },
);
const list = fc.oneof(
  fc.tuple(scalar, items).map(([of, rules]) => ({ type: 'list', of, ...rules })),
  fc.tuple(roomy, items).map(([of, rules]) => ({ type: 'list', of, uniqueItems: true, ...rules })),
);
const relation = fc.oneof(
  fc.constant({ type: 'relation', to: 'things' }),
  items.map((rules) => ({ type: 'relation', to: 'things', kind: 'multiple', ...rules })),
);

/** A collection `things`, whose relations are to itself. */
export const definitions: fc.Arbitrary<JsonObject> = fc
  .array(
    fc.tuple(
      fc.oneof({ arbitrary: scalar, weight: 5 }, { arbitrary: list, weight: 2 }, relation),
      fc.boolean(),
    ),
    {
      maxLength: 6,
    },
  )
  .map((fields) => ({
    id: 'things',
    fields: Object.fromEntries(fields.map(([field, required], at) => [`f${at}`, { ...field, required }])),
    api: { access: 'public' },
  }));

/** A value that fits a schema. The _ids in it are of no record. */
export function fitting(schema: JsonObject): fc.Arbitrary<Json> {
  const inside = (one: Json | undefined) => fitting(one as JsonObject);
  if (Array.isArray(schema.type))
    return fc.oneof(
      ...schema.type.map((type: Json) => (type === 'null' ? fc.constant(null) : inside({ ...schema, type }))),
    );
  if (Array.isArray(schema.anyOf)) {
    const { anyOf, ...also } = schema;
    return fc.oneof(...anyOf.map((one: Json) => inside({ ...also, ...(one as JsonObject) })));
  }
  if (Array.isArray(schema.enum))
    return fc.constantFrom(...schema.enum.filter((one: Json) => one !== null && fills(one, schema)));
  switch (schema.type) {
    case 'object':
      return fittingObject(schema, inside);
    case 'array':
      return fittingList(schema, inside(schema.items));
    case 'string':
      return schema.format === 'uuid' ? fc.uuid({ version: 7 }) : fittingText(schema);
    case 'null':
      return fc.constant(null);
    case 'boolean':
      return fc.boolean();
    case 'integer':
      return fc.integer({ min: Math.ceil(Number(schema.minimum)), max: Math.floor(Number(schema.maximum)) });
    case 'number':
      return fc.double({
        noNaN: true,
        noDefaultInfinity: true,
        ...(schema.minimum !== undefined && { min: Number(schema.minimum) }),
        ...(schema.maximum !== undefined && { max: Number(schema.maximum) }),
      });
    default:
      throw new Error(`nothing is known of ${JSON.stringify(schema)}`);
  }
}

function fittingObject(
  { properties, required = [] }: JsonObject,
  inside: (schema: Json | undefined) => fc.Arbitrary<Json>,
): fc.Arbitrary<Json> {
  const parts = Object.entries(properties as JsonObject).map(
    ([name, schema]) => [name, inside(schema)] as const,
  );
  return fc.record(Object.fromEntries(parts), { requiredKeys: required as string[] });
}

function fittingList(schema: JsonObject, items: fc.Arbitrary<Json>): fc.Arbitrary<Json> {
  const least = Number(schema.minItems ?? 0);
  const most = Math.min(Number(schema.maxItems ?? 4), least + 4);
  if (!schema.uniqueItems) return fc.array(items, { minLength: least, maxLength: most });
  return fc.uniqueArray(items, { minLength: least, maxLength: most, selector: (one) => JSON.stringify(one) });
}

/** The pattern of what any text may be. */
const anyText = '^[^\\u0000]*$';

function fittingText(schema: JsonObject): fc.Arbitrary<string> {
  const { minLength = 0, maxLength, 'x-min': least, 'x-max': most } = schema;
  if (least !== undefined && most !== undefined) {
    const [min, max] = [new Date(String(least)), new Date(String(most))];
    return fc.date({ min, max, noInvalidDate: true }).map((date) => date.toISOString());
  }
  const longest = maxLength === undefined ? Number(minLength) + 10 : Number(maxLength);
  const free = (schema.pattern ?? anyText) === anyText;
  const texts = free
    ? fc.string({ unit: 'binary', minLength: Number(minLength), maxLength: longest })
    : fc.stringMatching(new RegExp(String(schema.pattern), 'u'), { size: 'small' });
  return texts.filter(
    (one) =>
      !one.includes('\0') &&
      fills(one, schema) &&
      [...one].length <= (maxLength === undefined ? 1e9 : longest) &&
      !/[\u{e0000}-\u{e0fff}]/u.test(one),
  );
}

function fills(value: Json, { minLength = 0 }: JsonObject): boolean {
  return typeof value !== 'string' || [...value].length >= Number(minLength);
}

/** Values that are nearly right for something. */
const odd: fc.Arbitrary<Json> = fc.constantFrom<Json[]>(
  ...[
    null,
    '',
    'a',
    '\0',
    'a\0',
    ' ',
    'x',
    true,
    false,
    0,
    -1,
    0.5,
    9007199254740992,
    -9007199254740992,
    1e300,
  ],
  ...['AAA-1', 'a@b.c', 'a@b', 'a..b@c.de', 'a@b.c.', '.a@b.cd', 'a\u200bb@c.de', 'a@b\u00ad.de'],
  ...[
    'http://a',
    'https://a.b/c?d#e',
    'http://',
    'http://a..b',
    'http://-a.b',
    'http://1.2.3.4',
    'http://256.1.1.1',
  ],
  ...['http://[::1]:80/', 'http://a:65536', 'http://münchen.de', 'ftp://a.b', 'http://a b', 'HTTPS://A.B'],
  ...[
    '2026-01-02',
    '2026-02-29',
    '2024-02-29T00:00Z',
    '2026-13-01',
    '2026-01-02T24:00Z',
    '2026-01-02T03:04:05,6+0130',
  ],
  ...[
    '2026-01-02T03:04+05:',
    '2026-1-2',
    '0000-01-01',
    '9999-12-31T23:59:59.999Z',
    '1990-01-01T00:00:00.000Z',
  ],
  ...[[], [null], [''], ['a', 'a'], [1, 1], [true], {}, { $ref: 'create[0]' }],
);

/** What fits, with some of it replaced by what may not. */
export function nearly(schema: JsonObject): fc.Arbitrary<JsonObject> {
  const names = [...Object.keys(isJsonObject(schema.properties) ? schema.properties : {}), '_id', 'nope'];
  const changes = fc.dictionary(
    fc.constantFrom(...names),
    fc.oneof(
      odd,
      odd.map((one) => [one]),
    ),
    { maxKeys: 2 },
  );
  const left = fc.subarray(names, { minLength: Math.max(0, names.length - 1) });
  return fc.tuple(fitting(schema), changes, left).map(([value, changed, kept]) => {
    const whole = { ...(value as JsonObject), ...changed };
    return Object.fromEntries(Object.entries(whole).filter(([name]) => kept.includes(name)));
  });
}
