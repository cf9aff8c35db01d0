import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { JsonObject } from '../src/model/json.ts';
import { adminKey, type CallOptions, type Reply, startApp, type TestApp } from './harness.ts';
import { asAdmin, assertRefused, definition, makeProject, type Row, resultOf } from './support.ts';

let app: TestApp;
before(async () => {
  app = await startApp();
});
after(() => app.close());

interface Operation {
  readonly verb: string;
  readonly rest: (id: string) => string;
  readonly body?: JsonObject;
  readonly success: number;
}

const operations: Readonly<Record<string, Operation>> = {
  viewAll: { verb: 'GET', rest: () => '', success: 200 },
  view: { verb: 'GET', rest: (id) => `/${id}`, success: 200 },
  create: { verb: 'POST', rest: () => '', body: { title: 'x' }, success: 201 },
  update: { verb: 'PATCH', rest: (id) => `/${id}`, body: { title: 'y' }, success: 200 },
  distinct: { verb: 'GET', rest: () => '/distinct?fields=title', success: 200 },
  delete: { verb: 'DELETE', rest: (id) => `/${id}`, success: 200 },
};

/** A collection with these API settings and one record in it; sends one operation after the other. */
async function guarded(api: JsonObject) {
  const path = `${await makeProject(app, definition('notes', { title: { type: 'text' } }, { api }))}/notes`;
  const made = resultOf(await app.call('POST', path, { body: { title: 'x' }, ...asAdmin }), 201) as Row;
  const send = (method: string, token?: string): Promise<Reply> => {
    const { verb, rest, body } = operations[method] as Operation;
    return app.call(verb, `${path}${rest(made._id)}`, { body, token });
  };
  return { path, id: made._id, send };
}

function assertUnauthenticated(reply: Reply): void {
  assertRefused(reply, 401);
  assert.equal(reply.headers.get('www-authenticate'), 'Bearer');
}

describe('the switch of a method', () => {
  for (const [method, { success }] of Object.entries(operations)) {
    it(`${method}: off is a 404, for all but the administrator, and the other methods stay on`, async () => {
      const { send } = await guarded({ access: 'public', methods: { [method]: { enabled: false } } });
      assertRefused(await send(method), 404, method);
      assertRefused(await send(method, 'no-good'), 404, method);
      for (const other of Object.keys(operations)) {
        if (other !== method && other !== 'delete') assert.ok((await send(other)).status < 300, other);
      }
      resultOf(await send(method, adminKey), success);
    });
  }

  it('is on where the settings say so or say nothing', async () => {
    const { send } = await guarded({ access: 'public', methods: { view: { enabled: true }, update: {} } });
    for (const [method, { success }] of Object.entries(operations)) resultOf(await send(method), success);
  });
});

describe('the level of a collection', () => {
  it('public accepts requests without authorization', async () => {
    const { send } = await guarded({ access: 'public' });
    for (const [method, { success }] of Object.entries(operations)) resultOf(await send(method), success);
  });

  for (const [what, api] of Object.entries<JsonObject>({
    user: { access: 'user' },
    workspace: { access: 'workspace' },
    'left out is user': {},
  })) {
    it(`${what}: every method is a 401 with WWW-Authenticate without a token, and open to the administrator`, async () => {
      const { send } = await guarded(api);
      for (const [method, { success }] of Object.entries(operations)) {
        assertUnauthenticated(await send(method));
        resultOf(await send(method, adminKey), success);
      }
    });
  }

  it('is user where the whole api is left out', async () => {
    const path = await makeProject(app, { id: 'notes', fields: {} });
    assertUnauthenticated(await app.call('GET', `${path}/notes`));
    const { api } = resultOf(
      await app.call('GET', `/v1/_admin/projects/${path.slice(4)}/collections/notes`, asAdmin),
    );
    assert.deepEqual(api, { access: 'user', methods: {} });
  });
});

describe('the level of a method', () => {
  for (const [method, { success }] of Object.entries(operations)) {
    it(`${method}: overrides that of the collection, either way`, async () => {
      for (const level of ['user', 'workspace']) {
        const open = await guarded({ access: level, methods: { [method]: { access: 'public' } } });
        resultOf(await open.send(method), success);
        for (const other of Object.keys(operations)) {
          if (other !== method) assertUnauthenticated(await open.send(other));
        }
        const closed = await guarded({ access: 'public', methods: { [method]: { access: level } } });
        assertUnauthenticated(await closed.send(method));
        assert.ok((await closed.send(method === 'viewAll' ? 'view' : 'viewAll')).status === 200);
      }
    });
  }

  it('inherit is that of the collection', async () => {
    const methods = Object.fromEntries(Object.keys(operations).map((name) => [name, { access: 'inherit' }]));
    const open = await guarded({ access: 'public', methods });
    const closed = await guarded({ access: 'user', methods });
    for (const [method, { success }] of Object.entries(operations)) {
      resultOf(await open.send(method), success);
      assertUnauthenticated(await closed.send(method));
    }
  });
});

describe('a bad token', () => {
  it('is a 401 on a public method too: it is never taken for nobody', async () => {
    const { send, path, id } = await guarded({ access: 'public' });
    for (const method of Object.keys(operations)) {
      for (const token of ['wrong', `${adminKey}x`, adminKey.slice(1), 'vk_unknown', 'a.b.c']) {
        assertUnauthenticated(await send(method, token));
      }
    }
    for (const authorization of [
      'Bearer',
      'Bearer ',
      adminKey,
      `Basic ${adminKey}`,
      `Bearer ${adminKey} x`,
      '',
    ]) {
      assertUnauthenticated(await app.call('GET', path, { headers: { authorization } }));
    }
    assert.equal((await app.call('GET', `${path}/${id}`)).status, 200);
  });

  it('is told from a good one whatever the case of the scheme', async () => {
    const { path } = await guarded({ access: 'user' });
    for (const scheme of ['Bearer', 'bearer', 'BEARER']) {
      const reply = await app.call('GET', path, { headers: { authorization: `${scheme} ${adminKey}` } });
      assert.equal(reply.status, 200);
    }
  });
});

describe('the order of the checks', () => {
  const off = { access: 'user', methods: { create: { enabled: false } } };
  const badBody = { body: { nonsense: 1 } };
  const badBoth = { ...badBody, token: 'wrong' };
  /** What is sent, with which other faults, and which of them is answered. */
  const steps: readonly (readonly [string, string, CallOptions, number, string])[] = [
    ['the path comes before the project', 'POST /v2/none/none', badBoth, 404, '/v2/none/none'],
    ['the verb comes before the project', 'PUT /v1/none/none', badBoth, 405, 'PUT'],
    ['the project comes before the collection', 'POST /v1/none/none', badBoth, 404, "project 'none'"],
    ['the collection comes before the token', 'POST PROJECT/none', badBoth, 404, "collection 'none'"],
    ['the method comes before the token', 'POST PROJECT/off', badBoth, 404, 'create'],
    ['the method comes before the level', 'POST PROJECT/off', badBody, 404, 'create'],
    ['the token comes before the level', 'POST PROJECT/closed', badBoth, 401, 'not valid'],
    ['the token comes before the body', 'POST PROJECT/open', badBoth, 401, 'not valid'],
    ['the level comes before the body', 'POST PROJECT/closed', badBody, 401, 'level user'],
    ['the level comes before the parameters', 'GET PROJECT/closed?nonsense=1&%ff', {}, 401, 'level user'],
    ['the level comes before the record', 'GET PROJECT/closed/none', {}, 401, 'level user'],
    ['the body comes before the record', 'PATCH PROJECT/open/none', badBody, 400, 'nonsense'],
    ['the parameters come before the record', 'GET PROJECT/open/none?nonsense=1', {}, 400, 'nonsense'],
    ['the record comes last', 'PATCH PROJECT/open/none', { body: {} }, 404, 'none'],
  ];

  let project: string;
  before(async () => {
    const fields = { title: { type: 'text' } };
    project = await makeProject(
      app,
      definition('off', fields, { api: off }),
      definition('closed', fields, { api: { access: 'user' } }),
      definition('open', fields),
    );
  });

  for (const [sentence, request, options, status, says] of steps) {
    it(sentence, async () => {
      const [verb = '', path = ''] = request.replace('PROJECT', project).split(' ');
      assertRefused(await app.call(verb, path, options), status, says);
    });
  }

  it('a body that is not JSON comes after the level', async () => {
    const request = (path: string) =>
      app.fetch(new Request(`http://vitrine.test${project}${path}`, { method: 'POST', body: '{' }));
    assert.equal((await request('/closed')).status, 401);
    assert.equal((await request('/off')).status, 404);
  });
});
