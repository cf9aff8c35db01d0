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

async function collection(fields: JsonObject, more: JsonObject = {}): Promise<Records> {
  return new Records(app, `${await makeProject(app, definition('things', fields, more))}/things`);
}

interface Rule {
  readonly sentence: string;
  readonly field: JsonObject;
  /** Values that are stored as they are, or as the second says. */
  readonly right: readonly (readonly [Json, Json?])[];
  /** Values that are refused, and what the message says of `a`. */
  readonly wrong: readonly (readonly [Json, string])[];
}

const noString = 'a: must be a string';
const noEmail = 'a: must be an email address';
const noUrl = 'a: must be an absolute http or https URL';
const noTime = 'a: must be a date and time with an offset';
const family = '👨‍👩‍👧';

const rules: readonly Rule[] = [
  {
    sentence: 'text is a string and nothing else',
    field: { type: 'text' },
    right: [
      ['x'],
      [''],
      [' x '],
      ['true'],
      ['emoji 👍🏽 and e\u0301'],
      ['a\nb\tc'],
      ["'; DROP TABLE r1; --"],
    ],
    wrong: [
      [5, noString],
      [true, noString],
      [['x'], noString],
      [{ x: 1 }, noString],
    ],
  },
  {
    sentence: 'a string with U+0000 or half of a surrogate pair is refused',
    field: { type: 'text' },
    right: [['\u0001'], ['\ufffd'], ['😀']],
    wrong: [
      ['a\0b', 'a: must not hold the character U+0000'],
      ['\ud83d', 'a: must not'],
      ['\ude00x', 'a: must not'],
    ],
  },
  {
    sentence: 'lengths count code points',
    field: { type: 'text', minLength: 2, maxLength: 5 },
    right: [['ab'], ['😀😀'], ['😀😀😀😀😀'], [family], ['日本']],
    wrong: [
      ['😀', 'a: must be at least 2'],
      ['😀😀😀😀😀😀', 'a: must be at most 5'],
      ['', 'at least 2'],
    ],
  },
  {
    sentence: 'a text matches its pattern',
    field: { type: 'text', pattern: '^[A-Z]{3}-\\d+$' },
    right: [['ABC-1'], ['XYZ-0042']],
    wrong: [
      ['abc-1', 'a: must match the pattern ^[A-Z]{3}-\\d+$'],
      ['ABC-1\n', 'a: must match'],
      [' ABC-1', 'a:'],
    ],
  },
  {
    sentence: 'a pattern without anchors may match anywhere, by code points',
    field: { type: 'text', pattern: 'x.y' },
    right: [['axbyc'], ['x😀y']],
    wrong: [
      ['xy', 'a: must match'],
      ['X.Y', 'a: must match'],
    ],
  },
  {
    sentence: 'a text is one of its options',
    field: { type: 'text', options: ['draft', 'live'] },
    right: [['draft'], ['live']],
    wrong: [
      ['Draft', 'a: must be one of draft, live'],
      ['', 'a: must be one of'],
      [1, noString],
    ],
  },
  {
    sentence: 'an email is a plausible address',
    field: { type: 'email', minLength: 7, maxLength: 20 },
    right: [['ann@example.com'], ['a.b+c@x.co.uk'], ['дом@пример.рф']],
    wrong: [
      ['ann', noEmail],
      ['ann@', noEmail],
      ['@x.example', noEmail],
      ['a b@x.example', noEmail],
      ['ann@example', noEmail],
      ['a@b@c.example', noEmail],
      ['a@b..example', noEmail],
      ['ann@x.example ', noEmail],
      ['a@b.cd', 'a: must be at least 7'],
      ['averylongname@example.com', 'a: must be at most 20'],
      [5, noString],
    ],
  },
  {
    sentence: 'a url is an absolute http or https URL',
    field: { type: 'url', maxLength: 40 },
    right: [['https://example.com'], ['http://localhost:8080/a?b=c#d'], ['HTTPS://ПРИМЕР.РФ/путь']],
    wrong: [
      ['example.com', noUrl],
      ['/a', noUrl],
      ['//x.example', noUrl],
      ['ftp://x.example', noUrl],
      ['javascript:alert(1)', noUrl],
      ['https://', noUrl],
      ['https:x.example', noUrl],
      ['https://a b.example', noUrl],
      ['https://x.example:99999', noUrl],
      [`https://x.example/${'a'.repeat(40)}`, 'a: must be at most 40'],
      [null, ''],
      [5, noString],
    ].filter(([value]) => value !== null) as [Json, string][],
  },
  {
    sentence: 'content is a string of any length within its bounds',
    field: { type: 'content', minLength: 2, maxLength: 100_000 },
    right: [['# Title\n\n<b>x</b>'], ['😀'.repeat(100_000)]],
    wrong: [
      ['x', 'a: must be at least 2'],
      ['x'.repeat(100_001), 'a: must be at most 100000'],
      [{}, noString],
    ],
  },
  {
    sentence: 'a number is a finite number, never a text that looks like one',
    field: { type: 'number' },
    right: [[0], [-1.5], [1e300], [9007199254740991], [0.1], [5e-324], [-0, 0]],
    wrong: [
      ['5', 'a: must be a number, not a string'],
      [true, 'a: must be a number'],
      [[1], 'a: must be a number'],
    ],
  },
  {
    sentence: 'a number keeps its bounds, both included, and is whole where integer says so',
    field: { type: 'number', min: -1, max: 10, integer: true },
    right: [[-1], [10], [3], [1e1, 10]],
    wrong: [
      [-2, 'a: must be at least -1'],
      [11, 'a: must be at most 10'],
      [0.5, 'a: must be a whole number'],
    ],
  },
  {
    sentence: 'a boolean is true or false and nothing like them',
    field: { type: 'boolean' },
    right: [[true], [false]],
    wrong: [
      [1, 'a: must be true or false'],
      ['true', 'a: must be'],
      [0, 'a: must be'],
      ['', 'a: must be'],
    ],
  },
  {
    sentence: 'a datetime is normalised to UTC with milliseconds',
    field: { type: 'datetime' },
    right: [
      ['2026-01-02T03:04:05.678Z'],
      ['2026-01-02T03:04:05Z', '2026-01-02T03:04:05.000Z'],
      ['2026-01-02', '2026-01-02T00:00:00.000Z'],
      ['2026-01-02T03:04:05+02:00', '2026-01-02T01:04:05.000Z'],
      ['2026-01-01T23:30:00.5-01:00', '2026-01-02T00:30:00.500Z'],
      ['2024-02-29', '2024-02-29T00:00:00.000Z'],
      ['1900-01-01', '1900-01-01T00:00:00.000Z'],
      ['2026-01-02T03:04:05.678999Z', '2026-01-02T03:04:05.678Z'],
    ],
    wrong: [
      ['2026-01-02T03:04:05', noTime],
      ['2026-02-30', noTime],
      ['2025-02-29', noTime],
      ['2026-13-01', noTime],
      ['2026-01-02T25:00:00Z', noTime],
      ['2026-01-02T00:60:00Z', noTime],
      ['2026-01-02 03:04:05Z', noTime],
      ['02.01.2026', noTime],
      ['today', noTime],
      ['', noTime],
      [1767322800000, noTime],
    ],
  },
  {
    sentence: 'a datetime keeps its bounds, both included',
    field: { type: 'datetime', min: '2026-01-01', max: '2026-12-31T23:59:59Z' },
    right: [['2026-01-01T00:00:00.000Z'], ['2026-12-31T23:59:59.000Z']],
    wrong: [
      ['2025-12-31T23:59:59.999Z', 'a: must not be before'],
      ['2027-01-01', 'a: must not be after'],
    ],
  },
  {
    sentence: 'a list is an array of values of its type, and an error names the item',
    field: { type: 'list', of: { type: 'number', min: 0 }, minItems: 2, maxItems: 3 },
    right: [[[1, 2]], [[3, 3, 3]]],
    wrong: [
      [[1, '2'], 'a[1]: must be a number, not a string'],
      [[-1, -2], 'a[0]: must be at least 0; a[1]: must be'],
      [[1], 'a: must have at least 2'],
      [[1, 2, 3, 4], 'a: must have at most 3'],
      [[1, null], 'a[1]: must not be null'],
      [[1, [2]], 'a[1]: must be a number'],
      ['1,2', 'a: must be an array'],
      [{ 0: 1 }, 'a: must be an array'],
    ],
  },
  {
    sentence: 'uniqueItems refuses an item that is there twice, as it is stored',
    field: { type: 'list', of: { type: 'datetime' }, uniqueItems: true },
    right: [
      [
        ['2026-01-01', '2026-01-02'],
        ['2026-01-01T00:00:00.000Z', '2026-01-02T00:00:00.000Z'],
      ],
    ],
    wrong: [[['2026-01-01', '2026-01-01T00:00:00Z'], 'a[1]: must not be there twice']],
  },
  {
    sentence: 'a relation is an _id, not a record',
    field: { type: 'relation', to: 'things' },
    right: [],
    wrong: [
      [5, 'a: must be the _id'],
      [['x'], 'a: must be the _id'],
      [{ _id: 'x' }, 'a: must be the _id'],
    ],
  },
  {
    sentence: 'a multiple relation is an array of different _ids within its bounds',
    field: { type: 'relation', to: 'things', kind: 'multiple', maxItems: 2 },
    right: [[[]]],
    wrong: [
      ['x', 'a: must be an array'],
      [[5], 'a[0]: must be the _id'],
      [['x', 'x'], 'a[1]: must not be there twice'],
      [['x', 'y', 'z'], 'a: must have at most 2'],
    ],
  },
];

describe('Create and Update validate:', () => {
  for (const { sentence, field, right, wrong } of rules) {
    it(sentence, async () => {
      const things = await collection({ a: field });
      const before = await things.create({});
      for (const [sent, stored = sent] of right) {
        const made = await things.create({ a: sent });
        assert.deepEqual(made.a, stored);
        assert.deepEqual((await things.view(made._id)).a, stored);
        assert.deepEqual((await things.update(made._id, { a: sent })).a, stored);
      }
      for (const [sent, message] of wrong) {
        assertRefused(await things.call('POST', '', { a: sent }), 400, message);
        assertRefused(await things.call('PATCH', `/${before._id}`, { a: sent }), 400, message);
      }
      assert.deepEqual(await things.view(before._id), before);
      assert.equal(await things.total(), 1 + right.length);
    });
  }
});

describe('an unset field', () => {
  const fields = {
    text: { type: 'text' },
    email: { type: 'email' },
    url: { type: 'url' },
    content: { type: 'content' },
    number: { type: 'number' },
    boolean: { type: 'boolean' },
    datetime: { type: 'datetime' },
    list: { type: 'list', of: { type: 'text' }, minItems: 1 },
    one: { type: 'relation', to: 'things' },
    several: { type: 'relation', to: 'things', kind: 'multiple' },
  };
  const unset = {
    text: null,
    email: null,
    url: null,
    content: null,
    number: null,
    boolean: null,
    datetime: null,
    list: [],
    one: null,
    several: [],
  };

  it('is null, or [] for a list and a multiple relation, and in every record', async () => {
    const things = await collection(fields);
    const { _id, _createdAt, _updatedAt, ...rest } = await things.create({});
    assert.deepEqual(rest, unset);
  });

  it('is what null makes of it', async () => {
    const things = await collection(fields);
    const full = await things.create({
      text: 'x',
      email: 'a@b.example',
      url: 'http://x.example',
      content: 'x',
      number: 1,
      boolean: true,
      datetime: '2026-01-01',
      list: ['x'],
    });
    await things.update(full._id, { one: full._id, several: [full._id] });
    const nulls = Object.fromEntries(Object.keys(fields).map((name) => [name, null]));
    const { _id, _createdAt, _updatedAt, ...rest } = await things.update(full._id, nulls);
    assert.deepEqual(rest, unset);
    assert.equal((await things.create(nulls)).several?.toString(), '');
  });

  it('takes its default where nothing was sent, not where null was', async () => {
    const things = await collection({
      a: { type: 'text', default: 'draft' },
      b: { type: 'boolean', default: false },
      c: { type: 'list', of: { type: 'number' }, default: [1, 2] },
      d: { type: 'datetime', default: '2026-01-01' },
    });
    const made = await things.create({});
    assert.deepEqual([made.a, made.b, made.c, made.d], ['draft', false, [1, 2], '2026-01-01T00:00:00.000Z']);
    const emptied = await things.create({ a: null, b: null, c: null });
    assert.deepEqual([emptied.a, emptied.b, emptied.c], [null, null, []]);
    assert.equal((await things.update(emptied._id, { d: '2026-02-01' })).a, null);
  });
});

describe('required', () => {
  it('is not satisfied by nothing, null, an empty string or an empty list', async () => {
    const of = { type: 'text' };
    const things = await collection({
      a: { type: 'text', required: true },
      b: { type: 'list', of, required: true },
    });
    const made = await things.create({ a: 'x', b: ['y'] });
    for (const value of [null, '']) {
      assertRefused(await things.call('POST', '', { a: value, b: ['y'] }), 400, /^a: is required$/);
      assertRefused(await things.call('PATCH', `/${made._id}`, { a: value }), 400, /^a: is required$/);
    }
    for (const value of [null, []]) {
      assertRefused(await things.call('PATCH', `/${made._id}`, { b: value }), 400, /^b: is required$/);
    }
    assertRefused(await things.call('POST', '', {}), 400, /^a: is required; b: is required$/);
    assert.equal((await things.update(made._id, { a: 'z' })).a, 'z');
  });

  it('is satisfied by false, by 0 and by a default', async () => {
    const things = await collection({
      a: { type: 'boolean', required: true },
      b: { type: 'number', required: true },
      c: { type: 'text', required: true, default: 'c' },
    });
    const made = await things.create({ a: false, b: 0 });
    assert.deepEqual([made.a, made.b, made.c], [false, 0, 'c']);
    assertRefused(await things.call('POST', '', { a: false, b: 0, c: null }), 400, 'c: is required');
  });
});

describe('a payload', () => {
  it('with fields that are unknown or belong to the service is refused', async () => {
    const things = await collection({ title: { type: 'text' } });
    const made = await things.create({ title: 'x' });
    const wrong: [JsonObject, string][] = [
      [{ titel: 'x' }, "titel: is not a field of this collection, did you mean 'title'?"],
      [{ constructor: 'x' }, 'constructor: is not a field'],
      ...['_id', '_createdAt', '_updatedAt', '_owner', '_workspace'].map((name): [JsonObject, string] => [
        { [name]: made._createdAt },
        `${name}: is set by the service`,
      ]),
    ];
    for (const [body, message] of wrong) {
      assertRefused(await things.call('POST', '', body), 400, message);
      assertRefused(await things.call('PATCH', `/${made._id}`, body), 400, message);
    }
  });

  it('has every violation reported at once, joined with "; "', async () => {
    const things = await collection({
      title: { type: 'text', required: true },
      price: { type: 'number', min: 0 },
      code: { type: 'text', maxLength: 2, pattern: '^a' },
      tags: { type: 'list', of: { type: 'text', maxLength: 1 } },
    });
    const { _id } = await things.create({ title: 'x' });
    const body = { title: '', price: -1, code: 'bcd', tags: ['a', 'bb', 5], extra: 1 };
    const expected = [
      'title: is required',
      'price: must be at least 0',
      'code: must be at most 2 characters long',
      'code: must match the pattern ^a',
      'tags[1]: must be at most 1 characters long',
      'tags[2]: must be a string, not a number',
      'extra: is not a field of this collection',
    ];
    for (const reply of [await things.call('POST', '', body), await things.call('PATCH', `/${_id}`, body)]) {
      assertRefused(reply, 400);
      assert.deepEqual(reply.body.error.split('; ').sort(), [...expected].sort());
    }
  });
});

describe('unique', () => {
  it('is a 409 for a value that is taken, compared exactly, in Create and Update', async () => {
    const things = await collection({
      sku: { type: 'text', unique: true },
      n: { type: 'number', unique: true },
    });
    const first = await things.create({ sku: 'A', n: 0 });
    await things.createAll([{ sku: 'a' }, { sku: 'A ' }, { sku: 'Á' }, { sku: 'A\u0301' }]);
    assertRefused(await things.call('POST', '', { sku: 'A' }), 409, 'sku: "A" is already taken');
    assertRefused(await things.call('POST', '', { n: -0 }), 409, 'n: 0 is already taken');
    const other = await things.create({ sku: 'B' });
    assertRefused(
      await things.call('PATCH', `/${other._id}`, { sku: 'A' }),
      409,
      'sku: "A" is already taken',
    );
    assert.deepEqual(await things.view(other._id), other);
    assert.equal((await things.update(first._id, { sku: 'A' })).sku, 'A');
    await things.remove(first._id);
    assert.equal((await things.update(other._id, { sku: 'A' })).sku, 'A');
    assert.equal(await things.total(), 5);
  });

  it('never collides where the field is unset', async () => {
    const things = await collection({ sku: { type: 'text', unique: true } });
    const [first] = await things.createAll([{ sku: 'A' }, {}, { sku: null }, {}]);
    await things.update(first?._id ?? '', { sku: null });
    assert.equal(await things.total(), 4);
  });

  it('over several fields is a 409 only where all of them are the same and set', async () => {
    const indexes = [{ fields: ['a', 'b'], unique: true }];
    const things = await collection({ a: { type: 'text' }, b: { type: 'number' } }, { indexes });
    await things.createAll([{ a: 'x', b: 1 }, { a: 'x', b: 2 }, { a: 'y', b: 1 }, { a: 'x' }, { a: 'x' }]);
    assertRefused(
      await things.call('POST', '', { a: 'x', b: 1 }),
      409,
      'a, b: another record has the same values',
    );
    const free = await things.create({ a: 'y', b: 2 });
    assertRefused(await things.call('PATCH', `/${free._id}`, { b: 1 }), 409, 'a, b:');
    assert.equal((await things.view(free._id)).b, 2);
  });

  it('holds when the same value is sent many times at once', async () => {
    const things = await collection({ sku: { type: 'text', unique: true } });
    const replies = await Promise.all(
      Array.from({ length: 20 }, () => things.call('POST', '', { sku: 'A' })),
    );
    assert.deepEqual(replies.map(({ status }) => status).sort(), [
      201,
      ...Array.from({ length: 19 }, () => 409),
    ]);
    assert.equal(await things.total(), 1);
  });
});
