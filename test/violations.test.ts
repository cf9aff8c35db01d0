import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { JsonObject } from '../src/model/json.ts';
import { adminKey, startApp, type TestApp } from './harness.ts';
import { asAdmin, assertRefused, definition, makeProject, Records } from './support.ts';

let app: TestApp;
let items: Records;
let project: string;
const fields: JsonObject = { title: { type: 'text' }, sizes: { type: 'list', of: { type: 'number' } } };

before(async () => {
  app = await startApp();
  project = await makeProject(app, definition('products', fields), definition('brands', {}));
  items = new Records(app, `${project}/products`);
});
after(() => app.close());

const manage = (verb: string, rest: string, body: JsonObject) =>
  app.call(verb, `/v1/_admin/projects/${project.slice(4)}/collections${rest}`, { ...asAdmin, body });

describe('several violations', () => {
  it('of a query are all reported', async () => {
    const all: [string, string[]][] = [
      ['page=0&include=zzz', ['page: ', 'include: ']],
      ['include=title&sort=zzz', ['include: ', 'sort: ']],
      [
        'page=0&perPage=x&sort=sizes&fields=nope&include=a.b&nope=1&title>1',
        ['page: ', 'perPage: ', 'sort: '],
      ],
      ['after=x&page=1&include=title&title==a', ['after: ', 'page: ', 'include: ', 'title: ']],
    ];
    for (const [query, places] of all) {
      const reply = await items.call('GET', `?${query}`);
      assertRefused(reply, 400);
      const parts = reply.body.error.split('; ');
      for (const place of places)
        assert.ok(
          parts.some((part) => part.startsWith(place)),
          reply.text,
        );
    }
    const many = await items.call('GET', `?${all[2]?.[0]}`);
    assert.equal(many.body.error.split('; ').length, 7, many.text);
  });

  it('can be taken apart by "; ", whatever a caller writes', async () => {
    const odd = ['a; b', '; ', ';  ;   x', "'; '"];
    for (const text of odd) {
      const encoded = encodeURIComponent(text);
      const query = await items.call('GET', `?sizes=${encoded}&page=${encoded}&${encoded}=1&sort=${encoded}`);
      assertRefused(query, 400);
      assert.equal(query.body.error.split('; ').length, 4, query.text);
      const body = await items.call('POST', '', { [text]: 1, title: 1 });
      assert.equal(body.body.error.split('; ').length, 2, body.text);
      assertRefused(await items.call('GET', `/${encoded}`), 404, /^(?!.*; )/);
    }
  });

  it('are a hundred at most, and the rest is not even looked at', async () => {
    const wrong = Array.from({ length: 9_999 }, () => 'x');
    const reply = await items.call('POST', '/batch', { create: [{ sizes: wrong }, { sizes: wrong }] });
    assertRefused(reply, 400, 'create[0].sizes[0]: ', 'create[0].sizes[99]: ', /; and more$/);
    assert.equal(reply.body.error.split('; ').length, 101);
    const hundred = await items.call('POST', '', { sizes: wrong.slice(0, 100) });
    assert.equal(hundred.body.error.split('; ').length, 100);
    assert.doesNotMatch(hundred.body.error, /more$/);
  });
});

describe('did you mean', () => {
  const hints: Readonly<Record<string, string>> = {
    '?limit=1': 'perPage',
    '?pageSize=1': 'perPage',
    '?q=a': 'search',
    '?orderBy=title': 'sort',
    '?createdAt>2026-01-01': '_createdAt',
    '?createdAt=': '_createdAt',
    '?updated_at<2026-01-01': '_updatedAt',
    '?id=x': '_id',
    '?titel=x': 'title',
    '?sort=createdAt': '_createdAt',
    '?sort=-updatedAt': '_updatedAt',
    '?fields=id,titel': 'title',
    '?fields=created_at': '_createdAt',
    '/distinct?fields=titel': 'title',
  };
  for (const [query, meant] of Object.entries(hints)) {
    it(`${query}: ${meant}`, async () => {
      assertRefused(await items.call('GET', query), 400, `did you mean '${meant}'?`);
    });
  }

  it('a collection', async () => {
    assertRefused(await app.call('GET', `${project}/product`), 404, "did you mean 'products'?");
    assertRefused(await app.call('GET', `${project}/nothing`), 404, /^(?!.*did you mean)/);
    const operations = [{ method: 'create', collection: 'brnads', data: {} }];
    const batch = await app.call('POST', `${project}/_batch`, { body: { operations }, token: adminKey });
    assertRefused(batch, 404, "did you mean 'brands'?");
  });

  it('a relation, but of no collection in which the caller may view nothing', async () => {
    const to = (id: string) => ({ type: 'relation', to: id });
    const other = await makeProject(
      app,
      { ...definition('hidden', { leader: to('hidden') }), api: { access: 'user' } },
      definition('posts', { author: to('hidden') }),
    );
    const ask = (include: string, token?: string) =>
      app.call('GET', `${other}/posts?include=${include}`, { token });
    const told = 'is not a relation of hidden';
    assertRefused(await ask('author.leade', adminKey), 400, `${told}, did you mean 'leader'?`);
    for (const include of ['author.leade', 'author.x']) {
      const reply = await ask(include);
      assertRefused(reply, 400, told);
      assert.ok(!reply.text.includes('leader'), reply.text);
    }
  });

  it('a type', async () => {
    const types = {
      string: 'text',
      bool: 'boolean',
      date: 'datetime',
      int: 'number',
      array: 'list',
      txt: 'text',
    };
    for (const [type, meant] of Object.entries(types)) {
      const reply = await manage('POST', '', { id: 'x', fields: { a: { type } } });
      assertRefused(reply, 400, 'fields.a.type: must be one of text, ', `did you mean '${meant}'?`);
    }
  });
});

describe('a definition', () => {
  it('may not name a field as what is to come is called', async () => {
    for (const name of ['within', 'box', 'or', 'facets', 'aggregate', 'search', 'format']) {
      const reply = await manage('POST', '', { id: 'x', fields: { [name]: { type: 'text' } } });
      assertRefused(reply, 400, `fields.${name}: is a name of the service`);
    }
  });

  it('switches export and changes, which are off where viewAll is', async () => {
    const made = (id: string, methods: JsonObject) =>
      manage('POST', '', { id, fields, api: { access: 'public', methods } });
    assert.equal(
      (await made('feed', { changes: { enabled: false }, export: { enabled: true } })).status,
      201,
    );
    assertRefused(
      await made('levelled', { changes: { access: 'user' } }),
      400,
      'api.methods.changes.access: ',
    );
    assert.equal(
      (await made('hidden', { viewAll: { enabled: false }, export: { enabled: true } })).status,
      201,
    );
    const path = `${project}/hidden/export?format=csv`;
    assertRefused(await app.call('GET', path), 404, 'The method export is switched off');
    assert.equal((await app.call('GET', path, asAdmin)).status, 200);
    assert.equal((await app.call('GET', `${project}/feed/export?format=csv`)).status, 200);
  });
});
