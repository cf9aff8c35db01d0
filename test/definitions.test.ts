import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Json, JsonObject } from '../src/model/json.ts';
import { adminKey, startApp, type TestApp } from './harness.ts';
import { asAdmin, assertRefused, definition, makeProject, Records, resultOf } from './support.ts';

const projects = '/v1/_admin/projects';
const collections = `${projects}/shop/collections`;
let app: TestApp;
before(async () => {
  app = await startApp();
  await app.project('shop', definition('brands', { title: { type: 'text' } }));
});
after(() => app.close());

const define = (body: Json) => app.call('POST', collections, { body, token: adminKey });

describe('projects', () => {
  it('are made with 201 and answer as themselves, at once and after a restart', async () => {
    const body = { id: 'garden', name: 'The garden' };
    const made = resultOf(await app.call('POST', projects, { body, ...asAdmin }), 201);
    assert.equal(made.id, 'garden');
    assert.equal(made.name, 'The garden');
    await app.reopen();
    assert.deepEqual(resultOf(await app.call('GET', `${projects}/garden`, asAdmin)), made);
  });

  it('are listed as a list result object', async () => {
    await app.call('POST', projects, { body: { id: 'attic' }, ...asAdmin });
    const { found, ...rest } = resultOf(await app.call('GET', `${projects}?perPage=1&page=2`, asAdmin));
    const all = resultOf(await app.call('GET', projects, asAdmin));
    const everyOne = all.found as JsonObject[];
    assert.ok(everyOne.length >= 2);
    const total = everyOne.length;
    assert.deepEqual(rest, { page: 2, perPage: 1, total, totalPages: total });
    assert.deepEqual(found, [everyOne[1]]);
    assert.deepEqual({ ...all, found: 0 }, { page: 1, perPage: 25, total, totalPages: 1, found: 0 });
    assertRefused(await app.call('GET', `${projects}?perPage=0`, asAdmin), 400, 'perPage');
    assertRefused(await app.call('GET', `${projects}?pge=1`, asAdmin), 400, "did you mean 'page'");
  });

  it('have an id of their own: a taken one is a 409, an invalid one a 400', async () => {
    assertRefused(await app.call('POST', projects, { body: { id: 'shop' }, ...asAdmin }), 409, 'shop');
    for (const id of ['', 'Shop', '1st', '_admin', 'a b', 'a'.repeat(64), 5, null]) {
      assertRefused(await app.call('POST', projects, { body: { id }, ...asAdmin }), 400, /^id: /);
    }
    const body = { id: 'Bad', nam: 'x' };
    assertRefused(await app.call('POST', projects, { body, ...asAdmin }), 400, 'id:', "did you mean 'name'");
  });

  it('that are made several times at once are made once, and a 409 for the others', async () => {
    const make = () => app.call('POST', projects, { body: { id: 'race' }, ...asAdmin });
    const statuses = (await Promise.all([make(), make(), make(), make()])).map(({ status }) => status);
    assert.deepEqual(statuses.sort(), [201, 409, 409, 409]);
  });

  it('that do not exist are a 404', async () => {
    assertRefused(await app.call('GET', `${projects}/nowhere`, asAdmin), 404, 'nowhere');
    assertRefused(await app.call('GET', `${projects}/nowhere/collections`, asAdmin), 404, 'nowhere');
    const body = definition('notes', {});
    const path = `${projects}/nowhere/collections`;
    assertRefused(await app.call('POST', path, { body, ...asAdmin }), 404, 'nowhere');
  });
});

describe('collections', () => {
  it('answer with their definition, at once and after a restart', async () => {
    const sent = {
      id: 'products',
      name: 'Products',
      fields: {
        title: { type: 'text', required: true, maxLength: 200, index: true, label: 'Title' },
        sku: { type: 'text', unique: true, pattern: '^[A-Z]{3}-[0-9]+$' },
        tags: { type: 'list', of: { type: 'text', maxLength: 40 }, maxItems: 20 },
        brand: { type: 'relation', to: 'brands', kind: 'single', onDelete: 'clear' },
        parent: { type: 'relation', to: 'products', kind: 'multiple', onDelete: 'restrict' },
      },
      indexes: [{ fields: ['brand', 'title'], unique: true }],
      api: { access: 'public', methods: { create: { access: 'user' }, batch: { enabled: false } } },
    };
    assert.deepEqual(resultOf(await define(sent), 201), sent);
    await app.reopen();
    assert.deepEqual(resultOf(await app.call('GET', `${collections}/products`, asAdmin)), sent);
  });

  it('are listed as a list result object', async () => {
    const { found, ...rest } = resultOf(await app.call('GET', `${collections}?perPage=1`, asAdmin));
    assert.deepEqual(rest, { page: 1, perPage: 1, total: 2, totalPages: 2 });
    assert.deepEqual(
      (found as JsonObject[]).map(({ id }) => id),
      ['brands'],
    );
  });

  it('have an id of their own: a taken one is a 409 that changes nothing', async () => {
    assertRefused(await define(definition('brands', { other: { type: 'text' } })), 409, 'brands');
    const brands = resultOf(await app.call('GET', `${collections}/brands`, asAdmin));
    assert.deepEqual(brands.fields, { title: { type: 'text' } });
  });

  it('that do not exist are a 404', async () => {
    assertRefused(await app.call('GET', `${collections}/nowhere`, asAdmin), 404, 'nowhere');
  });

  it('may have fields named like properties of objects', async () => {
    const names = ['constructor', 'toString', 'hasOwnProperty', 'valueOf'];
    const fields = Object.fromEntries(names.map((name) => [name, { type: 'text' }]));
    const path = await makeProject(app, definition('odd', fields));
    const made = await new Records(app, `${path}/odd`).create({ toString: 'x' });
    assert.deepEqual([made.toString, made.constructor, made.valueOf], ['x', null, null]);
  });
});

describe('management', () => {
  it('is a 401 with WWW-Authenticate without a token and with a bad one', async () => {
    const paths = [projects, `${projects}/shop`, collections, `${collections}/brands`];
    const headers = [{}, { authorization: 'Bearer wrong' }, { authorization: `Basic ${adminKey}` }];
    for (const [verb, path] of [
      ...paths.map((at) => ['GET', at]),
      ['POST', projects],
      ['POST', collections],
    ]) {
      for (const header of headers) {
        const reply = await app.call(String(verb), String(path), {
          headers: header as Record<string, string>,
        });
        assertRefused(reply, 401);
        assert.equal(reply.headers.get('www-authenticate'), 'Bearer');
      }
    }
    assertRefused(await app.call('POST', projects, { body: { id: 'sneaked' }, token: 'wrong' }), 401);
    assertRefused(await app.call('GET', `${projects}/sneaked`, asAdmin), 404);
  });
});

const relation = { type: 'relation', to: 'brands' };

/** What is wrong with the definition of a field `a`, and what the refusal names. */
const wrongFields: readonly (readonly [string, Json, ...string[]])[] = [
  ['an unknown type', { type: 'txt' }, 'a.type', "did you mean 'text'"],
  ['a type that objects inherit', { type: 'constructor' }, 'a.type'],
  ['no type', {}, 'a.type'],
  ['a type that is no text', { type: { toString: null } }, 'a.type: must be one of text'],
  ['a type in an array', { type: ['text'] }, 'a.type: must be one of text'],
  ['a list of what is no text', { type: 'list', of: { type: { toString: null } } }, 'a.of.type: must be'],
  ['a definition that is no object', 'text', 'fields.a:'],
  ['an unknown key', { type: 'text', requird: true }, 'a.requird', "did you mean 'required'"],
  ['a key of another type', { type: 'boolean', maxLength: 3 }, 'a.maxLength'],
  ['a flag that is none', { type: 'text', required: 'yes' }, 'a.required: must be true or false'],
  ['a length that is none', { type: 'text', maxLength: -1 }, 'a.maxLength: must be'],
  ['text lengths the wrong way round', { type: 'text', minLength: 3, maxLength: 2 }, 'a.minLength'],
  ['email lengths the wrong way round', { type: 'email', minLength: 3, maxLength: 2 }, 'a.minLength'],
  ['url lengths the wrong way round', { type: 'url', minLength: 3, maxLength: 2 }, 'a.minLength'],
  ['content lengths the wrong way round', { type: 'content', minLength: 3, maxLength: 2 }, 'a.minLength'],
  ['numbers the wrong way round', { type: 'number', min: 1, max: 0.5 }, 'a.min'],
  ['times the wrong way round', { type: 'datetime', min: '2026-01-02', max: '2026-01-01T23:59Z' }, 'a.min'],
  ['a time bound that is none', { type: 'datetime', min: 'soon' }, 'a.min'],
  [
    'counts the wrong way round',
    { type: 'list', of: { type: 'url' }, minItems: 3, maxItems: 2 },
    'a.minItems',
  ],
  ['item rules the wrong way round', { type: 'list', of: { type: 'number', min: 3, max: 2 } }, 'a.of.min'],
  [
    'relations the wrong way round',
    { ...relation, kind: 'multiple', minItems: 3, maxItems: 2 },
    'a.minItems',
  ],
  ['a list of nothing', { type: 'list' }, 'a.of'],
  ['a list of lists', { type: 'list', of: { type: 'list', of: { type: 'text' } } }, 'a.of.type'],
  ['a list of relations', { type: 'list', of: relation }, 'a.of.type'],
  ['a relation to nowhere', { type: 'relation', to: 'brand' }, 'a.to', "did you mean 'brands'"],
  ['a relation without a target', { type: 'relation' }, 'a.to'],
  ['an unknown kind', { ...relation, kind: 'many' }, 'a.kind', 'multiple'],
  ['an unknown onDelete', { ...relation, onDelete: 'drop' }, 'a.onDelete', 'cascade'],
  ['an option too long', { type: 'text', maxLength: 2, options: ['ab', 'abc'] }, 'a.options[1]'],
  ['an option off the pattern', { type: 'text', pattern: '^a', options: ['b'] }, 'a.options[0]'],
  ['an option twice', { type: 'text', options: ['a', 'a'] }, 'a.options'],
  ['options of none', { type: 'text', options: [] }, 'a.options'],
  ['a default of another type', { type: 'number', default: '5' }, 'a.default'],
  ['a default out of range', { type: 'number', min: 1, default: 0 }, 'a.default'],
  ['a default beside the options', { type: 'text', options: ['a'], default: 'b' }, 'a.default'],
  ['a wrong item in a default', { type: 'list', of: { type: 'number' }, default: [1, 'x'] }, 'a.default[1]'],
  ['unique content', { type: 'content', unique: true }, 'a.unique'],
  ['a unique list', { type: 'list', of: { type: 'text' }, unique: true }, 'a.unique'],
  ['a unique multiple relation', { ...relation, kind: 'multiple', unique: true }, 'a.unique'],
  ['look-ahead', { type: 'text', pattern: '^(?=a)' }, 'a.pattern', 'linear time'],
  ['look-behind', { type: 'text', pattern: '(?<!a)b' }, 'a.pattern', 'linear time'],
  ['a back-reference', { type: 'text', pattern: '^(a)\\1$' }, 'a.pattern', 'linear time'],
  ['a broken pattern', { type: 'text', pattern: '(' }, 'a.pattern', 'missing closing )'],
  ['too many repetitions', { type: 'text', pattern: 'a{1001}' }, 'a.pattern', 'invalid repeat count'],
  ['a length beyond numbers', { type: 'text', maxLength: 1e300 }, 'a.maxLength', '9007199254740991'],
];

const wrongDefinitions: readonly (readonly [string, JsonObject, ...string[]])[] = [
  ['an unknown key', { feilds: {} }, "feilds: is not a known key, did you mean 'fields'"],
  ['an id that is none', { id: 'Not An Id' }, 'id: must be'],
  ['fields that are a list', { fields: [] }, 'fields: must be'],
  ['an unknown level', { api: { access: 'everyone' } }, 'api.access', 'public, user, workspace'],
  ['an unknown method', { api: { methods: { updat: {} } } }, 'api.methods.updat', "did you mean 'update'"],
  ['an unknown method level', { api: { methods: { view: { access: 'all' } } } }, 'api.methods.view.access'],
  ['a switch that is none', { api: { methods: { view: { enabled: 1 } } } }, 'api.methods.view.enabled'],
  ['a level for export', { api: { methods: { export: { access: 'user' } } } }, 'api.methods.export.access'],
  ['a level for batch', { api: { methods: { batch: { access: 'user' } } } }, 'api.methods.batch.access'],
  ['fields for view', { api: { methods: { view: { fields: ['t'] } } } }, 'api.methods.view.fields'],
  ['distinct of an unknown field', { api: { methods: { distinct: { fields: ['tt'] } } } }, '.fields[0]'],
  ['an index over an unknown field', { indexes: [{ fields: ['tt'] }] }, 'indexes[0].fields[0]'],
  ['an index over a list', { indexes: [{ fields: ['list'] }] }, 'indexes[0].fields[0]'],
  [
    'an index over a name in an array',
    { indexes: [{ fields: [['t']] }] },
    'indexes[0].fields[0]: must be the name of a field',
  ],
  ['an index over nothing', { indexes: [{ fields: [] }] }, 'indexes[0]'],
  ['an index over a field twice', { indexes: [{ fields: ['t', 't'] }] }, 'indexes[0].fields'],
];

const text = { type: 'text' };

describe('a definition is refused with a 400 that names the fault:', () => {
  for (const [what, a, ...parts] of wrongFields) {
    it(what, async () => assertRefused(await define(definition('wrong', { a })), 400, ...parts));
  }
  for (const [what, more, ...parts] of wrongDefinitions) {
    const body = { ...definition('wrong', { t: text, list: { type: 'list', of: text } }), ...more };
    it(what, async () => assertRefused(await define(body), 400, ...parts));
  }

  it('a default that does not satisfy required', async () => {
    const fields = { a: { type: 'text', required: true, default: '' } };
    assertRefused(await define(definition('empty', fields)), 400, 'a.default');
  });

  it('a name that is none', async () => {
    for (const name of ['1a', 'b-c', '_d', 'é', '', `a${'b'.repeat(63)}`]) {
      assertRefused(await define(definition('wrong', { [name]: text })), 400, `fields.${name}:`, '1 to 63');
    }
  });

  it('names that differ only in upper and lower case', async () => {
    assertRefused(await define(definition('wrong', { price: text, Price: text })), 400, 'fields.Price:');
  });

  it('a name that is a query parameter', async () => {
    for (const name of 'search page perPage after sort fields field include format'.split(' ')) {
      assertRefused(await define(definition('wrong', { [name]: text })), 400, `fields.${name}:`);
    }
  });

  it('more than 200 fields, while 200 are taken', async () => {
    const some = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`f${index}`, text]));
    assertRefused(await define(definition('wide', some(201))), 400, 'fields:', '200');
    resultOf(await define(definition('wide', some(200))), 201);
  });
});

describe('a definition with several faults', () => {
  it('has every one of them named at once, and makes nothing', async () => {
    const fields = Object.fromEntries(wrongFields.map(([, field], at) => [`f${at}`, field]));
    const reply = await define({
      id: 'Bad',
      fields: { ...fields, page: text },
      api: { access: 'x' },
      idx: 1,
    });
    assertRefused(reply, 400, 'id:', 'fields.page:', 'api.access:', 'idx:');
    for (const name of Object.keys(fields)) assert.match(reply.body.error, new RegExp(`fields.${name}\\b`));
    assertRefused(await app.call('GET', `${collections}/wrong`, asAdmin), 404);
  });

  it('has two faults of one field named at once', async () => {
    const fields = {
      a: { type: 'number', min: 2, max: 1, requird: true },
      b: { type: 'relation', to: 'gone', of: 1 },
    };
    assertRefused(await define(definition('wrong', fields)), 400, 'a.min:', 'a.requird', 'b.to', 'b.of');
  });

  it('holds nobody up, however many names in it are of nothing', async () => {
    const long = (prefix: string, at: number) => `${prefix}${at}${'abcdefghi'.repeat(7)}`.slice(0, 63);
    const fields = Object.fromEntries(Array.from({ length: 200 }, (_, at) => [long('f', at), text]));
    const names = Array.from({ length: 3_000 }, (_, at) => [...long('x', at)].reverse().join(''));
    const api = { methods: { distinct: { fields: names } } };
    for (const more of [{ indexes: [{ fields: names }] }, { api }]) {
      const start = process.cpuUsage();
      assertRefused(await define({ id: 'wrong', fields, ...more }), 400, 'there is no field');
      const { user, system } = process.cpuUsage(start);
      assert.ok(user + system < 5_000_000, `${user + system} µs`);
    }
  });

  it('has no fault named that is none: a faulty field is still a field of an index and of distinct', async () => {
    const api = { methods: { distinct: { fields: ['a'] } } };
    const fields = { a: { type: 'text', requird: true } };
    const reply = await define({ id: 'wrong', fields, indexes: [{ fields: ['a'] }], api });
    assertRefused(reply, 400, 'fields.a.requird');
    assert.doesNotMatch(reply.body.error, /there is no field/);
  });
});

describe('options', () => {
  it('are named by a refusal, as many as can be read', async () => {
    const options = Array.from({ length: 20_000 }, (_, at) => `option ${at}`);
    const [few, many] = [
      { ...text, options: ['a', 'b'] },
      { ...text, options },
    ];
    const path = await makeProject(app, definition('things', { few, many: { type: 'list', of: many } }));
    const things = new Records(app, `${path}/things`);
    const body = { few: 'c', many: Array.from({ length: 120 }, () => 'x') };
    const reply = await things.call('POST', '', body);
    assertRefused(reply, 400, 'few: must be one of a, b; many[0]: must be one of option 0, option 1, ');
    assert.match(reply.body.error, /, option \d+, … \(20000 in all\); many\[1\]/);
    assert.ok(reply.text.length < 200_000, `${reply.text.length} characters`);
    await things.create({ few: 'b', many: ['option 19999'] });
  });
});

describe('a pattern', () => {
  it('runs in linear time, also where backtracking would never end', async () => {
    const path = await makeProject(app, definition('slow', { a: { type: 'text', pattern: '^(a+)+$' } }));
    const slow = new Records(app, `${path}/slow`);
    const start = process.cpuUsage();
    assertRefused(
      await slow.call('POST', '', { a: `${'a'.repeat(50_000)}!` }),
      400,
      'a: must match the pattern',
    );
    const { user, system } = process.cpuUsage(start);
    assert.ok(user + system < 2_000_000, `${user + system} µs`);
    await slow.create({ a: 'a'.repeat(50_000) });
  });

  it('that repeats very much is not matched with texts that would take long, alone or in a list', async () => {
    const pattern = '(?:[ab]{0,60}a){1,15}[cd]';
    const fields = {
      a: { type: 'text', pattern },
      short: { type: 'text', pattern, maxLength: 50 },
      list: { type: 'list', of: { type: 'text', pattern } },
    };
    const slow = new Records(app, `${await makeProject(app, definition('slow', fields))}/slow`);
    const text = Array.from({ length: 200_000 }, (_, n) => ((n * 7919) % 10007 < 5000 ? 'a' : 'b')).join('');
    const tooLong = /is too long for its pattern: must be at most \d+ characters long/;
    const start = process.cpuUsage();
    assertRefused(await slow.call('POST', '', { a: text }), 400, tooLong);
    assertRefused(await slow.call('POST', '', { short: text.slice(0, 10_000) }), 400, tooLong);
    const list = Array.from({ length: 400 }, (_, n) => text.slice(n * 500, n * 500 + 500));
    assertRefused(
      await slow.call('POST', '', { list }),
      400,
      'list: is too long for the pattern of its items',
    );
    const { user, system } = process.cpuUsage(start);
    assert.ok(user + system < 2_000_000, `${user + system} µs`);
    const right = `${'ab'.repeat(100)}ac`;
    await slow.create({ a: right, list: [right, right] });
    assertRefused(await slow.call('POST', '', { a: 'ab'.repeat(200) }), 400, 'a: must match the pattern');
  });

  it('of the usual kind takes texts of any length', async () => {
    const fields = {
      slug: { type: 'text', pattern: '^[a-z0-9-]+$' },
      image: { type: 'text', pattern: '^data:image/(png|jpeg|gif|webp);base64,[A-Za-z0-9+/]+=*$' },
      some: { type: 'text', pattern: '^.{0,990}$' },
      tags: { type: 'list', of: { type: 'text', pattern: '^[a-z0-9-]{1,64}$' } },
    };
    const usual = new Records(app, `${await makeProject(app, definition('usual', fields))}/usual`);
    await usual.create({ slug: 'a-0'.repeat(300_000) });
    await usual.create({ image: `data:image/png;base64,${'iVBO'.repeat(200_000)}==` });
    const tags = Array.from({ length: 2_000 }, (_, n) => `tag-${n}-${'x'.repeat(50)}`);
    await usual.create({ some: 'ü'.repeat(990), tags });
  });
});
