import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Json, JsonObject } from '../../src/model/json.ts';
import { notes, People, type SignedIn } from '../auth/people.ts';
import { adminKey, type Reply, startApp, type TestApp } from '../harness.ts';
import { assertRefused, type Row, resultOf, strangerId } from '../support.ts';

let app: TestApp;
let people: People;
let ann: SignedIn;
let bob: SignedIn;
let server: string;

const off = (method: string): JsonObject => ({ [method]: { enabled: false } });
const methods = ['create', 'update', 'delete'] as const;

before(async () => {
  app = await startApp();
  await app.project(
    'shop',
    notes('open', 'public'),
    notes('mine', 'user'),
    notes('ours', 'workspace'),
    notes('post', 'user', { create: { access: 'public' } }),
    notes('nobatch', 'public', off('batch')),
    ...methods.map((method) => notes(`no${method}`, 'public', off(method))),
    {
      ...notes('links', 'public'),
      fields: { to: { type: 'relation', to: 'mine' }, post: { type: 'relation', to: 'post' } },
    },
  );
  people = new People(app, 'shop');
  [ann, bob] = [await people.register('ann'), await people.register('bob')];
  await people.workspace(ann, 'hers');
  ann = await people.login('ann');
  server = (await people.key()).key;
});
after(() => app.close());

const batch = (collection: string, body: Json, token?: string): Promise<Reply> =>
  people.records('POST', `${collection}/batch`, body, { token });
const operations = (list: Json, token?: string): Promise<Reply> =>
  people.records('POST', '_batch', { operations: list }, { token });
const one = async (collection: string, data: JsonObject, token = adminKey) =>
  resultOf(await people.records('POST', collection, data, { token }), 201) as Row;
const total = async (collection: string) =>
  resultOf(await people.records('GET', collection, undefined, { token: adminKey })).total;

/** An operation in the form of either batch. */
function forms(method: (typeof methods)[number], collection: string, id: string) {
  const text = 'x';
  const alone = { create: [{ text }], update: [{ _id: id, text }], delete: [id] }[method];
  const operation = {
    method,
    collection,
    ...(method !== 'create' && { id }),
    ...(method !== 'delete' && { data: { text } }),
  };
  return [
    [`${method}[0]`, (token?: string) => batch(collection, { [method]: alone }, token)],
    ['operations[0]', (token?: string) => operations([operation], token)],
  ] as const;
}

describe('the switch of batch', () => {
  it('off is a 404 for all but the administrator, server keys too, whatever the token', async () => {
    for (const token of [undefined, ann.accessToken, server, 'no-good']) {
      assertRefused(await batch('nobatch', { create: [{ text: 'x' }] }, token), 404, 'batch');
    }
    assert.equal(await total('nobatch'), 0);
    resultOf(await batch('nobatch', { create: [{ text: 'x' }] }, adminKey));
    assert.equal(await total('nobatch'), 1);
  });

  it('off keeps the collection out of the batch of the project too', async () => {
    const list = [
      { method: 'create', collection: 'open', data: {} },
      { method: 'create', collection: 'nobatch', data: {} },
    ];
    const before = await total('open');
    for (const token of [undefined, ann.accessToken, server]) {
      assertRefused(await operations(list, token), 404, 'operations[1]', 'batch');
    }
    assert.equal(await total('open'), before);
    resultOf(await operations(list, adminKey));
  });
});

describe('the switch of a method', () => {
  for (const method of methods) {
    it(`${method}: off is a 404 that names the operation, for all but the administrator`, async () => {
      const { _id } = await one(`no${method}`, { text: 'old' });
      for (const [place, send] of forms(method, `no${method}`, _id)) {
        for (const token of [undefined, ann.accessToken, server]) {
          assertRefused(await send(token), 404, place, method, 'switched off');
        }
      }
      const [[, send]] = forms(method, `no${method}`, _id);
      resultOf(await send(adminKey));
    });

    it(`${method}: off leaves the others on`, async () => {
      for (const other of methods.filter((name) => name !== method)) {
        for (let form = 0; form < 2; form++) {
          const { _id } = await one(`no${method}`, { text: 'old' });
          resultOf((await forms(other, `no${method}`, _id)[form]?.[1]()) as Reply);
        }
      }
    });
  }
});

describe('the level of an operation', () => {
  for (const level of ['mine', 'ours']) {
    for (const method of methods) {
      it(`${level}: ${method} without a token is a 401, which names the operation where others would do`, async () => {
        const { _id } = await one(level, { text: 'x' });
        for (const [place, send] of forms(method, level, _id)) {
          const reply = await send();
          assertRefused(reply, 401, place.startsWith('operations') ? place : '');
          assert.equal(reply.headers.get('www-authenticate'), 'Bearer');
          assertRefused(await send('no-good'), 401);
          resultOf(await forms('update', level, _id)[0][1](server));
        }
      });
    }
  }

  it('is each its own: a public creation goes through where an update needs a token', async () => {
    resultOf(await batch('post', { create: [{ text: 'x' }] }));
    const { _id } = await one('post', { text: 'x' });
    const before = await total('post');
    assertRefused(
      await batch('post', { create: [{ text: 'y' }], update: [{ _id, text: 'z' }] }),
      401,
      'update[0]',
    );
    assertRefused(await batch('post', { create: [{ text: 'y' }], delete: [_id] }), 401, 'delete[0]');
    assert.equal(await total('post'), before);
  });

  it('comes before the faults of the body', async () => {
    const body = { create: [{ nonsense: 1 }], update: [{ _id: strangerId, text: 'x' }] };
    assertRefused(await batch('post', body), 401, 'update[0]');
    assertRefused(await batch('mine', { create: [{ nonsense: 1 }] }), 401);
  });

  it('workspace without a current one is a 403, which names the operation where others would do', async () => {
    const { _id } = await one('ours', { text: 'x' });
    for (const method of methods) {
      for (const [place, send] of forms(method, 'ours', _id)) {
        const named = place.startsWith('operations') ? place : '';
        assertRefused(await send(bob.accessToken), 403, named, 'workspace');
      }
    }
  });

  it('is looked at before anything of the body is read, as far as it can be known then', async () => {
    const status = async (path: string, token?: string) => {
      const body = new Blob(['not JSON']).stream();
      const headers = {
        'content-type': 'text/plain', // a 415 once it is read
        'transfer-encoding': 'chunked',
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
      };
      const init = { method: 'POST', headers, body, duplex: 'half' } as RequestInit;
      return (await app.fetch(new Request(`http://vitrine.test${path}`, init))).status;
    };
    assert.equal(await status('/v1/shop/mine/batch'), 401);
    assert.equal(await status('/v1/shop/ours/batch', bob.accessToken), 403);
    assert.equal(await status('/v1/shop/ours/batch', ann.accessToken), 415);
    assert.equal(await status('/v1/shop/open/batch'), 415);
    assert.equal(await status('/v1/shop/_batch'), 415);
    assert.equal(await status('/v1/shop/_batch', 'no-good'), 401);
    await app.project('private', { ...notes('mine', 'user') });
    assert.equal(await status('/v1/private/_batch'), 401);
    assert.equal(await status('/v1/private/_batch', adminKey), 415);
    assert.equal(await status('/v1/_admin/projects'), 401);
    assert.equal(await status('/v1/_admin/projects/none/collections', adminKey), 404);
    assert.equal(await status('/v1/shop/_auth/workspaces'), 401);
    assert.equal(await status('/v1/none/_auth/login'), 404);
  });

  it('a bad token is a 401 on public collections and on an empty batch', async () => {
    for (const body of [{}, { create: [{ text: 'x' }] }])
      assertRefused(await batch('open', body, 'no-good'), 401);
    assertRefused(await operations([], 'no-good'), 401);
    await app.project('other', notes('open', 'public'));
    const reply = await app.call('POST', '/v1/other/_batch', {
      body: { operations: [] },
      token: ann.accessToken,
    });
    assertRefused(reply, 403);
  });
});

describe('the scope of an operation', () => {
  it("another's record is a 404 that names the operation, and nothing of the batch happens", async () => {
    for (const [level, collection] of [
      ['user', 'mine'],
      ['workspace', 'ours'],
    ] as const) {
      const token = ann.accessToken;
      const foreign = await one(collection, { text: `foreign ${level}` });
      const own = await one(collection, { text: 'own' }, token);
      const before = await total(collection);
      for (const body of [
        {
          create: [{ text: 'x' }],
          update: [
            { _id: own._id, text: 'y' },
            { _id: foreign._id, text: 'z' },
          ],
        },
        { create: [{ text: 'x' }], delete: [own._id, foreign._id] },
      ]) {
        assertRefused(await batch(collection, body, token), 404, /^(update|delete)\[1\]/, foreign._id);
      }
      const list = [
        { method: 'delete', collection, id: own._id },
        { method: 'update', collection, id: foreign._id, data: { text: 'z' } },
      ];
      assertRefused(await operations(list, token), 404, 'operations[1]');
      assert.equal(await total(collection), before);
      const now = resultOf(await people.records('GET', `${collection}/${own._id}`, undefined, { token }));
      assert.deepEqual(now, own);
      resultOf(await batch(collection, { update: [{ _id: own._id, text: 'y' }], delete: [own._id] }, token));
    }
  });

  it('records made in a batch are bound to the caller and their workspace, at every level', async () => {
    const list = ['open', 'mine', 'ours'].map((collection) => ({
      method: 'create',
      collection,
      data: { text: 'b' },
    }));
    const { results } = resultOf(await operations(list, ann.accessToken)) as { results: Row[] };
    for (const [at, collection] of ['open', 'mine', 'ours'].entries()) {
      const query = `${collection}?fields=_owner,_workspace&_id=${results[at]?._id}`;
      const { found } = resultOf(await people.records('GET', query, undefined, { token: adminKey }));
      assert.deepEqual(found, [
        { _id: results[at]?._id, _owner: ann.user._id, _workspace: ann.user.workspace },
      ]);
      assert.deepEqual(Object.keys(results[at] ?? {}).sort(), ['_createdAt', '_id', '_updatedAt', 'text']);
    }
  });

  it('a server key hands records over in a batch; a user may not', async () => {
    const body = { create: [{ text: 'x', _owner: bob.user._id }] };
    const { created } = resultOf(await batch('mine', body, server)) as { created: Row[] };
    const id = created[0]?._id ?? '';
    resultOf(await people.records('GET', `mine/${id}`, undefined, { token: bob.accessToken }));
    resultOf(await batch('mine', { update: [{ _id: id, _owner: ann.user._id }] }, server));
    assertRefused(await people.records('GET', `mine/${id}`, undefined, { token: bob.accessToken }), 404);
    assertRefused(await batch('mine', body, ann.accessToken), 400, 'create[0]._owner');
    assertRefused(
      await batch('mine', { create: [{}, { _owner: strangerId }] }, server),
      400,
      'create[1]._owner',
    );
  });

  it('a relation in a batch takes only records the caller may view, made in it or not', async () => {
    const foreign = await one('mine', { text: 'foreign' });
    const link = (to: Json) => ({ method: 'create', collection: 'links', data: { to } });
    const own = { method: 'create', collection: 'mine', data: {} };
    assertRefused(await operations([own, link(foreign._id)], ann.accessToken), 400, 'operations[1].to');
    resultOf(await operations([own, link({ $ref: 'operations[0]' })], ann.accessToken));
    // Anyone may post, but nobody may view what nobody owns: not even the one who just made it.
    const posted = { method: 'create', collection: 'post', data: {} };
    const linked = { method: 'create', collection: 'links', data: { post: { $ref: 'operations[0]' } } };
    assertRefused(await operations([posted, linked]), 400, 'operations[1].post');
    resultOf(await operations([posted, linked], ann.accessToken));
  });
});
