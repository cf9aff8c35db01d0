import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Json, JsonObject } from '../src/model/json.ts';
import { startApp, type TestApp } from './harness.ts';
import { assertRefused, definition, makeProject, Records } from './support.ts';

let app: TestApp;
before(async () => {
  app = await startApp();
});
after(() => app.close());

/** A type with its constraints, as the field `a`. */
interface Rule {
  readonly sentence: string;
  readonly field: JsonObject;
  /** What is stored as it was sent. */
  readonly right?: readonly Json[];
  /** What was sent, and what is stored. */
  readonly becomes?: readonly (readonly [Json, Json])[];
  /** What the message says, and the values it is said of. */
  readonly wrong: Readonly<Record<string, readonly Json[]>>;
}

const noString = 'a: must be a string, not a';
const words = (text: string) => text.split(' ');

const rules: readonly Rule[] = [
  {
    sentence: 'text is a string and nothing else',
    field: { type: 'text' },
    right: ['x', '', ' x ', 'true', 'emoji 👍🏽 and e\u0301', 'a\nb\tc', "'; DROP TABLE r1; --"],
    wrong: { [noString]: [5, true, ['x'], { x: 1 }] },
  },
  {
    sentence: 'a string with U+0000 or half of a surrogate pair is refused',
    field: { type: 'text' },
    right: ['\u0001', '\ufffd', '😀'],
    wrong: { 'U+0000': ['a\0b', '\0'], 'half of a surrogate pair': ['\ud83d', '\ude00x', '\ude00\ud83d'] },
  },
  {
    sentence: 'lengths count code points',
    field: { type: 'text', minLength: 2, maxLength: 5 },
    right: ['ab', '😀😀', '😀😀😀😀😀', '👨‍👩‍👧', '日本'],
    wrong: { 'a: must be at least 2': ['😀', ''], 'a: must be at most 5': ['😀😀😀😀😀😀', 'abcdef'] },
  },
  {
    sentence: 'a text of many code points beyond the basic plane keeps the rules of its type',
    field: { type: 'url', maxLength: 6_000 },
    right: [`https://example.com/${'😀'.repeat(5_500)}`],
    wrong: {
      'a: must be an absolute http or https URL': [`javascript:${'😀'.repeat(5_500)}`],
      'a: must be at most 6000 characters': [`https://example.com/${'😀'.repeat(6_000)}`],
    },
  },
  {
    sentence: 'so does one with a pattern or options',
    field: { type: 'text', maxLength: 6_000, pattern: '^a' },
    right: [`a${'😀'.repeat(5_500)}`],
    wrong: { 'a: must match the pattern ^a': [`b${'😀'.repeat(5_500)}`] },
  },
  {
    sentence: 'a text matches its pattern',
    field: { type: 'text', pattern: '^[A-Z]{3}-\\d+$' },
    right: ['ABC-1', 'XYZ-0042'],
    wrong: { 'a: must match the pattern ^[A-Z]{3}-\\d+$': ['abc-1', 'ABC-1\n', ' ABC-1', '', 'ABC-'] },
  },
  {
    sentence: 'a pattern without anchors may match anywhere, by code points',
    field: { type: 'text', pattern: 'x.y' },
    right: ['axbyc', 'x😀y'],
    wrong: { 'a: must match': ['xy', 'X.Y'] },
  },
  {
    sentence: 'a text is one of its options',
    field: { type: 'text', options: ['draft', 'live'] },
    right: ['draft', 'live'],
    wrong: { 'a: must be one of draft, live': ['Draft', '', 'draft,live'], [noString]: [1, ['draft']] },
  },
  {
    sentence: 'an email is a plausible address',
    field: { type: 'email', minLength: 7, maxLength: 20 },
    right: ['ann@example.com', 'a.b+c@x.co.uk', 'дом@пример.рф'],
    wrong: {
      'a: must be an email address': words('ann ann@ @x.example ann@example a@b@c.example a@b..example'),
      'an email address': ['a b@x.example', 'ann@x.example ', '', '<a@b.example>'],
      'a: must be at least 7': ['a@b.cd'],
      'a: must be at most 20': ['averylongname@example.com'],
      [noString]: [5, {}],
    },
  },
  {
    sentence: 'an email has no character that is not seen, and dots only between others',
    field: { type: 'email' },
    right: ['a.b.c@x.example', 'a-b@x-y.example', 'ß@x.example', '!#$%&*+/=?^_`{|}~@x.example'],
    wrong: {
      'a: must be an email address': [
        ...words(
          '.a@x.example a.@x.example a..b@x.example a@.x.example a@x.example. a@x..example a@x. .@x.example',
        ),
        ...[
          '\u0007',
          '\u007f',
          '\u00a0',
          '\u00ad',
          '\u200b',
          '\u200d',
          '\u202e',
          '\u2060',
          '\u2800',
          '\u3164',
          '\ufe0f',
          '\ufeff',
          '\u{e0041}',
        ].flatMap((unseen) => [`a${unseen}b@x.example`, `a@x${unseen}y.example`, `a@x.example${unseen}`]),
      ],
    },
  },
  {
    sentence: 'a url has a host that could exist',
    field: { type: 'url' },
    right: words(
      'http://a http://127.0.0.1:80/x http://[::1]:8080/ https://a_b.x-y.example. https://xn--e1afmkfd.example/ https://u:p@x.example/',
    ),
    wrong: {
      'a: must be an absolute http or https URL': [
        ...words(
          'http://. http://.. http://a..b http://.a.example http://-a.example http://a-.example http://! http://a!b.example',
        ),
        ...words(
          'http://256.1.1.1 http://[::g] http://a,b.example http://x.example:x http://@ http://*.example http://~',
        ),
        `http://${'a'.repeat(64)}.example`,
        `http://${'a.'.repeat(130)}example`,
      ],
    },
  },
  {
    sentence: 'a url is an absolute http or https URL',
    field: { type: 'url', minLength: 12, maxLength: 40 },
    right: ['https://example.com', 'http://localhost:8080/a?b=c#d', 'HTTPS://ПРИМЕР.РФ/путь'],
    wrong: {
      'a: must be an absolute http or https URL': words(
        'www.example.com /absolute/path //www.x.example ftp://x.example javascript:alert(1) https:www.x.example',
      ),
      'http or https URL': [
        'https://',
        'https://a b.example',
        'https://x.example:99999',
        ' http://x.example',
      ],
      'a: must be at least 12': ['http://a.de'],
      'a: must be at most 40': [`https://x.example/${'a'.repeat(40)}`],
      [noString]: [5],
    },
  },
  {
    sentence: 'content is a string of any length within its bounds',
    field: { type: 'content', minLength: 2, maxLength: 100_000 },
    right: ['# Title\n\n<b>x</b>', '😀'.repeat(100_000)],
    wrong: {
      'a: must be at least 2': ['x', '😀'],
      'a: must be at most 100000': ['x'.repeat(100_001)],
      [noString]: [{}, []],
    },
  },
  {
    sentence: 'a number is a finite number, never a text that looks like one',
    field: { type: 'number' },
    right: [0, -1.5, 1e300, 9007199254740991, 0.1, 5e-324],
    wrong: { 'a: must be a number, not a': ['5', true, [1], {}, ''] },
  },
  {
    sentence: 'a whole number is one that JSON carries exactly',
    field: { type: 'number', integer: true },
    right: [9007199254740991, -9007199254740991, 0],
    wrong: { 'a: must be within ±9007199254740991': [9007199254740992, -9007199254740992, 2 ** 63, 1e300] },
  },
  {
    sentence: 'a number keeps its bounds, both included, and is whole where integer says so',
    field: { type: 'number', min: -1, max: 10, integer: true },
    right: [-1, 10, 3],
    wrong: {
      'a: must be at least -1': [-2, -1.5],
      'a: must be at most 10': [11, 10.5],
      'a: must be a whole number': [0.5],
    },
  },
  {
    sentence: 'a boolean is true or false and nothing like them',
    field: { type: 'boolean' },
    right: [true, false],
    wrong: { 'a: must be true or false': [1, 0, 'true', '', []] },
  },
  {
    sentence: 'a datetime is normalised to UTC with milliseconds',
    field: { type: 'datetime' },
    right: ['2026-01-02T03:04:05.678Z', '1900-01-01T00:00:00.000Z'],
    becomes: [
      ['2026-01-02T03:04:05Z', '2026-01-02T03:04:05.000Z'],
      ['2026-01-02', '2026-01-02T00:00:00.000Z'],
      ['2026-01-02T03:04:05+02:00', '2026-01-02T01:04:05.000Z'],
      ['2026-01-01T23:30:00.5-01:00', '2026-01-02T00:30:00.500Z'],
      ['2024-02-29', '2024-02-29T00:00:00.000Z'],
      ['2026-01-02T03:04:05.678999Z', '2026-01-02T03:04:05.678Z'],
    ],
    wrong: {
      'a: must be a date and time with an offset': words(
        '2026-01-02T03:04:05 2026-02-30 2025-02-29 2026-13-01 2026-01-02T25:00:00Z 2026-01-02T00:60:00Z today',
      ),
      'or a date alone, such as': ['2026-01-02 03:04:05Z', '02.01.2026', '', 1767322800000, ['2026-01-02']],
    },
  },
  {
    sentence: 'a datetime keeps its bounds, both included',
    field: { type: 'datetime', min: '2026-01-01', max: '2026-12-31T23:59:59Z' },
    right: ['2026-01-01T00:00:00.000Z', '2026-12-31T23:59:59.000Z'],
    wrong: {
      'a: must not be before 2026-01-01T00:00:00.000Z': [
        '2025-12-31T23:59:59.999Z',
        '2026-01-01T00:00:00+01:00',
      ],
      'a: must not be after 2026-12-31T23:59:59.000Z': ['2027-01-01'],
    },
  },
  {
    sentence: 'a list is an array of values of its type, and an error names the item',
    field: { type: 'list', of: { type: 'number', min: 0 }, minItems: 2, maxItems: 3 },
    right: [
      [1, 2],
      [3, 3, 3],
    ],
    wrong: {
      'a[1]: must be a number, not a': [
        [1, '2'],
        [1, [2]],
      ],
      'a[0]: must be at least 0; a[1]: must be at least 0': [[-1, -2]],
      'a[1]: must not be null': [[1, null]],
      'a: must have at least 2': [[1], []],
      'a: must have at most 3': [[1, 2, 3, 4]],
      'a: must be an array': ['1,2', { 0: 1 }, 1],
    },
  },
  {
    sentence: 'uniqueItems refuses an item that is there twice, as it is stored',
    field: { type: 'list', of: { type: 'datetime' }, uniqueItems: true },
    right: [['2026-01-02T00:00:00.000Z', '2026-01-01T00:00:00.000Z']],
    wrong: { 'a[1]: must not be there twice': [['2026-01-01', '2026-01-01T00:00:00Z']] },
  },
  {
    sentence: 'a relation is an _id, not a record',
    field: { type: 'relation', to: 'things' },
    wrong: { 'a: must be the _id of a record, not a': [5, ['x'], { _id: 'x' }, true] },
  },
  {
    sentence: 'a multiple relation is an array of different _ids within its bounds',
    field: { type: 'relation', to: 'things', kind: 'multiple', minItems: 1, maxItems: 2 },
    wrong: {
      'a: must be an array': ['x', 5],
      'a[0]: must be the _id': [[5]],
      'a[1]: must not be there twice': [['x', 'x']],
      'a: must have at least 1': [[]],
      'a: must have at most 2': [['x', 'y', 'z']],
    },
  },
];

describe('Create and Update validate:', () => {
  for (const { sentence, field, right = [], becomes = [], wrong } of rules) {
    it(sentence, async () => {
      const path = await makeProject(app, definition('things', { a: field }));
      const things = new Records(app, `${path}/things`);
      const first = await things.create({});
      const good = [...right.map((value) => [value, value] as const), ...becomes];
      for (const [sent, stored] of good) {
        const made = await things.create({ a: sent });
        assert.deepEqual(made.a, stored);
        assert.deepEqual((await things.view(made._id)).a, stored);
        assert.deepEqual((await things.update(made._id, { a: sent })).a, stored);
      }
      for (const [message, values] of Object.entries(wrong)) {
        for (const a of values) {
          assertRefused(await things.call('POST', '', { a }), 400, message);
          assertRefused(await things.call('PATCH', `/${first._id}`, { a }), 400, message);
        }
      }
      assert.deepEqual(await things.view(first._id), first);
      assert.equal(await things.total(), 1 + good.length);
    });
  }
});
