import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { administrator, type Caller, nobody } from '../../src/access/caller.ts';
import { audienceOf } from '../../src/describe/audience.ts';
import { openapi } from '../../src/describe/openapi.ts';
import type { JsonObject } from '../../src/model/json.ts';
import { readCollection } from '../../src/model/read-collection.ts';
import { defaultAuth } from '../../src/store/project-record.ts';
import { buildSchema } from '../../src/store/schema.ts';
import { makePeople, type People } from '../auth/people.ts';
import { adminKey, startApp, type TestApp } from '../harness.ts';
import { seed } from '../seed.ts';
import { strangerId } from '../support.ts';

console.log(`test/describe/callers: VITRINE_SEED=${seed}`);

const levelled = ['viewAll', 'view', 'create', 'update', 'delete', 'distinct'] as const;
const access = fc.constantFrom('public', 'user', 'workspace');
const setting = fc.record(
  { enabled: fc.boolean(), access: fc.constantFrom('public', 'user', 'workspace', 'inherit') },
  { requiredKeys: [] },
);
const api = fc.record({
  access,
  methods: fc.record(
    {
      ...Object.fromEntries(levelled.map((method) => [method, setting])),
      export: fc.record({ enabled: fc.boolean() }),
      batch: fc.record({ enabled: fc.boolean() }),
    },
    { requiredKeys: [] },
  ),
}) as fc.Arbitrary<JsonObject>;

const requests: Readonly<Record<string, readonly [string, string, JsonObject?]>> = {
  viewAll: ['GET', ''],
  view: ['GET', `/${strangerId}`],
  create: ['POST', '', {}],
  update: ['PATCH', `/${strangerId}`, {}],
  delete: ['DELETE', `/${strangerId}`],
  distinct: ['GET', '/distinct?fields=name'],
  export: ['GET', '/export?format=ndjson'],
};

describe('what a caller is told', () => {
  let app: TestApp;
  let people: People;
  const tokens = new Map<string, string | undefined>();

  before(async () => {
    app = await startApp();
    people = await makePeople(app);
    const ann = await people.register('ann');
    const workspace = await people.workspace(ann, 'North');
    tokens.set('nobody', undefined);
    tokens.set('user', (await people.register('ben')).accessToken);
    tokens.set('member', (await people.switch(ann, workspace)).accessToken);
    tokens.set('key', (await people.key()).key);
  });
  after(() => app.close());

  it('is what they can use: neither more nor less', { timeout: 280_000 }, async () => {
    const settings = fc.sample(api, { numRuns: 12, seed });
    const ids: string[] = [];
    for (const [at, one] of settings.entries()) {
      const body = { id: `c${at}`, fields: { name: { type: 'text' } }, api: one };
      const made = await app.call('POST', '/v1/_admin/projects/shop/collections', { body, token: adminKey });
      assert.equal(made.status, 201, made.text);
      ids.push(body.id);
    }
    for (const [who, token] of tokens) {
      const reply = await app.call('GET', '/v1/shop/_openapi.json', { token });
      assert.equal(reply.status, 200, reply.text);
      const overview = await app.call('GET', '/v1/shop', { token });
      const told = new Map(
        (overview.body.result.collections as { id: string; methods: string[] }[]).map((one) => [
          one.id,
          one.methods,
        ]),
      );
      for (const id of ids) {
        for (const [method, [verb, rest, body]] of Object.entries(requests)) {
          const { status, text } = await app.call(verb, `/v1/shop/${id}${rest}`, { token, body });
          const refused =
            status === 401 || status === 403 || (status === 404 && text.includes('switched off'));
          const described = reply.text.includes(`"operationId":"${id}.${method}"`);
          assert.equal(described, !refused, `${who}: ${id}.${method}: ${status} ${text}`);
          assert.equal(told.get(id)?.includes(method) ?? false, described);
        }
        const usable = reply.text.includes(`"operationId":"${id}.`);
        assert.equal(
          reply.text.includes(`"${id}"`) || reply.text.includes(`${id}.`),
          usable,
          `${who}: ${id}`,
        );
        assert.equal(told.has(id), usable);
      }
    }
  });

  it('has the headers of a document that differs by caller, and a version', async () => {
    const first = await app.call('GET', '/v1/shop/_openapi.json');
    assert.equal(first.headers.get('vary'), 'Authorization');
    assert.equal(first.headers.get('cache-control'), 'private, no-cache');
    assert.equal(first.headers.get('access-control-allow-origin'), '*');
    const etag = first.headers.get('etag') ?? '';
    const again = await app.call('GET', '/v1/shop/_openapi.json', { headers: { 'if-none-match': etag } });
    assert.deepEqual([again.status, again.text, again.headers.get('etag')], [304, '', etag]);
    const other = await app.call('GET', '/v1/shop/_openapi.json', {
      headers: { 'if-none-match': etag },
      token: adminKey,
    });
    assert.equal(other.status, 200);
    assert.notEqual(other.headers.get('etag'), etag);
  });

  it('is told to nobody whose token is not good', async () => {
    for (const path of ['/v1', '/v1/shop', '/v1/shop/_openapi.json'])
      assert.equal((await app.call('GET', path, { token: 'x.y.z' })).status, 401, path);
    assert.equal((await app.call('GET', '/v1/nothing/_openapi.json')).status, 404);
    assert.equal((await app.call('GET', '/v1/shop/_openapi.json?x=1')).status, 400);
  });

  it('begins at the root', async () => {
    const root = await app.call('GET', '/');
    assert.deepEqual([root.status, root.headers.get('location')], [302, '_console/']);
    const { result } = (await app.call('GET', '/v1')).body;
    assert.deepEqual(Object.keys(result), ['name', 'docs']);
    const managed = (await app.call('GET', '/v1', { token: adminKey })).body.result;
    assert.deepEqual(
      (managed.projects as { id: string }[]).map(({ id }) => id),
      ['shop'],
    );
    const user = (await app.call('GET', '/v1', { token: tokens.get('user') })).body.result;
    assert.deepEqual(Object.keys(user), ['name', 'docs']);
  });
});

/** Two collections, of which each may lead to the other. */
const closed = fc.constantFrom<JsonObject[]>({ access: 'user' }, { access: 'workspace' });
const pairs = fc.tuple(api, fc.oneof(api, closed), fc.constantFrom('single', 'multiple'));
const callers: readonly Caller[] = [
  nobody,
  { kind: 'user', user: 'u', workspace: null, session: 's' },
  { kind: 'user', user: 'u', workspace: 'w', session: 's' },
  { kind: 'key', key: 'k', access: 'write' },
  { kind: 'key', key: 'k', access: 'read' },
  administrator,
];

function textFor(
  caller: Caller,
  definitions: readonly JsonObject[],
): { text: string; seen: readonly string[] } {
  const ids = new Set(definitions.map(({ id }) => String(id)));
  const rows = definitions.map((raw, key) => ({
    key,
    definition: readCollection(raw, ids),
    fieldKeys: new Map<string, number>(),
  }));
  const audience = audienceOf(caller, buildSchema(1, rows));
  const project = { id: 'p', name: 'P', auth: defaultAuth };
  const text = JSON.stringify(
    openapi({ project, audience, limits: { perPage: 1000, batchOperations: 1000 } }),
  );
  return { text, seen: [...audience.collections.keys()] };
}

it('a collection that a caller can not use changes nothing in what they are told', () => {
  let hidden = 0;
  fc.assert(
    fc.property(pairs, fc.constantFrom(...callers), ([shown, secret, kind], caller) => {
      const make = (id: string, fields: JsonObject) => [
        {
          id: 'shown',
          fields: { name: { type: 'text' }, link: { type: 'relation', to: id, kind } },
          api: shown,
        },
        { id, fields: { ...fields, back: { type: 'relation', to: 'shown' } }, api: secret },
      ];
      const one = textFor(caller, make('concealed', { a: { type: 'text' } }));
      if (one.seen.includes('concealed')) return;
      hidden += 1;
      assert.ok(!one.text.includes('concealed'));
      assert.equal(textFor(caller, make('other', { b: { type: 'number', min: 3 } })).text, one.text);
    }),
    { seed, numRuns: 300 },
  );
  assert.ok(hidden > 20, `${hidden} were hidden`);
});

describe('what a caller is told of a project', () => {
  let app: TestApp;
  before(async () => {
    app = await startApp();
  });
  after(() => app.close());

  it('has no field that they can neither see nor send nor ask for', async () => {
    const fields = { town: { type: 'text' }, hush: { type: 'text', description: 'hidden words' } };
    const methods = (given: JsonObject) => ({ access: 'workspace', methods: given });
    const open = { access: 'public' };
    await app.project(
      'closed',
      { id: 'asked', fields, api: methods({ distinct: { ...open, fields: ['town'] } }) },
      { id: 'emptied', fields, api: methods({ delete: open }) },
      { id: 'changed', fields: { town: fields.town }, api: methods({ update: open }) },
    );
    const [document, page] = [
      await app.call('GET', '/v1/closed/_openapi.json'),
      await app.call('GET', '/v1/closed/_docs'),
    ];
    for (const { status, text } of [document, page]) {
      assert.equal(status, 200);
      assert.ok(text.includes('town') && text.includes('emptied.batch'));
      assert.ok(!text.includes('hush') && !text.includes('hidden words'));
    }
    const [, batch = ''] = page.text.split('id="changed.batch"');
    assert.match(batch, /batch\.update\(/, 'an example of what they may do in it');
  });

  it('is there for whoever has yet to set up the second factor that a project requires', async () => {
    const strict = { id: 'strict', auth: { totp: 'required' } };
    await app.call('POST', '/v1/_admin/projects', { token: adminKey, body: strict });
    const news = { id: 'news', api: { access: 'public' } };
    await app.call('POST', '/v1/_admin/projects/strict/collections', { token: adminKey, body: news });
    const body = { email: 'ann@example.com', password: 'correct horse' };
    const made = await app.call('POST', '/v1/strict/_auth/register', { body });
    const token = String(made.body.result.accessToken);
    for (const path of ['', '/_openapi.json', '/_docs']) {
      const told = await app.call('GET', `/v1/strict${path}`, { token });
      assert.equal(told.status, 200, told.text);
      assert.equal(told.text, (await app.call('GET', `/v1/strict${path}`)).text);
    }
  });
});
