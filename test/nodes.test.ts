import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import type { JsonObject } from '../src/model/json.ts';
import { adminKey, type TestApp } from './harness.ts';
import { asAdmin, assertRefused, definition, Records, type Row, resultOf } from './support.ts';
import { type Nodes, startNodes } from './two-nodes.ts';

let nodes: Nodes;
/** Where things are done. */
let a: TestApp;
/** Where they must be known at the next request. */
let b: TestApp;
let now = Date.now();
before(async () => {
  nodes = await startNodes({ now: () => ++now });
  ({ a, b } = nodes);
});
after(() => nodes.close());

const noteFields: JsonObject = { title: { type: 'text', required: true }, rank: { type: 'number' } };
const notes = (more: JsonObject = {}, fields: JsonObject = noteFields) => definition('notes', fields, more);

let project = '';
let count = 0;
beforeEach(() => {
  count += 1;
  project = `n${count}`;
});

const admin = (node: TestApp, verb: string, rest: string, body?: JsonObject) =>
  node.call(verb, `/v1/_admin/projects/${project}${rest}`, { ...asAdmin, body });

async function change(body: JsonObject, query = ''): Promise<void> {
  resultOf(await admin(a, 'PUT', `/collections/${body.id}${query}`, body));
}

/** A project with a collection and two records, which B has been asked for, so that it remembers them. */
async function start(first: JsonObject = notes(), ...others: readonly JsonObject[]): Promise<Row[]> {
  await a.project(project, first, ...others);
  const rows = await at(b).createAll([
    { title: 'one', rank: 1 },
    { title: 'two', rank: 2 },
  ]);
  assert.equal(await at(b).total(), 2);
  return rows;
}

const at = (node: TestApp, collection = 'notes', token?: string) =>
  new Records(node, `/v1/${project}/${collection}`, { token });

/** Every operation on the collection by nobody, on B: their statuses. */
async function statuses(id: string): Promise<Record<string, number>> {
  const call = async (verb: string, rest: string, body?: JsonObject) =>
    (await at(b).call(verb, rest, body)).status;
  return {
    list: await call('GET', ''),
    head: await call('HEAD', ''),
    filtered: await call('GET', '?rank=1'),
    walk: await call('GET', '?after='),
    view: await call('GET', `/${id}`),
    distinct: await call('GET', '/distinct?fields=title'),
    csv: await call('GET', '/export?format=csv'),
    sorted: await call('GET', '/export?format=ndjson&sort=rank'),
    create: await call('POST', '', { title: 'three' }),
    update: await call('PATCH', `/${id}`, { title: 'changed' }),
    batch: await call('POST', '/batch', { create: [{ title: 'four' }] }),
    delete: await call('DELETE', `/${id}`),
  };
}

const all = (found: Record<string, number>, status: number) =>
  assert.deepEqual(found, Object.fromEntries(Object.keys(found).map((name) => [name, status])));

async function signUp(node: TestApp, email: string): Promise<Record<string, string>> {
  const body = { email, password: 'a good password' };
  return resultOf(await node.call('POST', `/v1/${project}/_auth/register`, { body }), 201) as never;
}

describe('API settings changed through another node', () => {
  /** One operation first, each time: after it the node knows. */
  const operations: Readonly<Record<string, (id: string) => [string, string, JsonObject?]>> = {
    list: () => ['GET', ''],
    head: () => ['HEAD', ''],
    'filtered list': () => ['GET', '?rank=1&page=1'],
    walk: () => ['GET', '?after='],
    view: (id) => ['GET', `/${id}`],
    distinct: () => ['GET', '/distinct?fields=title'],
    csv: () => ['GET', '/export?format=csv'],
    xlsx: () => ['GET', '/export?format=xlsx'],
    'sorted export': () => ['GET', '/export?format=ndjson&sort=rank'],
    create: () => ['POST', '', { title: 'three' }],
    update: (id) => ['PATCH', `/${id}`, { title: 'changed' }],
    delete: (id) => ['DELETE', `/${id}`],
    batch: () => ['POST', '/batch', { create: [{ title: 'four' }] }],
  };
  for (const [name, ask] of Object.entries(operations)) {
    it(`${name}: from public to user and back`, async () => {
      const [row] = await start();
      const [verb, rest, body] = ask(row?._id ?? '');
      if (body === undefined && name !== 'delete') await at(b).call(verb, rest);
      await change(notes({ api: { access: 'user' } }));
      assert.equal((await at(b).call(verb, rest, body)).status, 401);
      await change(notes());
      assert.ok((await at(b).call(verb, rest, body)).status < 300);
    });

    it(`${name}: switched off and on`, async () => {
      const [row] = await start();
      const [verb, rest, body] = ask(row?._id ?? '');
      const methods = ['viewAll', 'view', 'distinct', 'export', 'create', 'update', 'delete', 'batch'];
      const off = Object.fromEntries(methods.map((method) => [method, { enabled: false }]));
      await change(notes({ api: { access: 'public', methods: off } }));
      assert.equal((await at(b).call(verb, rest, body)).status, 404);
      await change(notes());
      assert.ok((await at(b).call(verb, rest, body)).status < 300);
    });
  }

  it('an empty batch and an answer that is only given again are refused too', async () => {
    await start();
    const headers = { 'idempotency-key': 'once' };
    const send = (rest: string, body: JsonObject) =>
      b.call('POST', `/v1/${project}/notes${rest}`, { body, headers });
    const create = () => send('', { title: 'three' });
    const batch = () => send('/batch', { create: [{ title: 'four' }] });
    resultOf(await create(), 201);
    resultOf(await batch());
    for (const ask of [create, batch]) {
      await change(notes({ api: { access: 'user' } }));
      assertRefused(await ask(), 401);
      await change(notes());
      assert.equal((await ask()).headers.get('idempotency-replayed'), 'true');
    }
    const empty = () => at(b).call('POST', '/batch', { create: [] });
    await change(notes({ api: { access: 'public', methods: { batch: { enabled: false } } } }));
    assertRefused(await empty(), 404);
    await change(notes());
    resultOf(await empty());
    assert.equal(await at(b).total(), 4);
  });

  it('distinct is limited to other fields', async () => {
    await start();
    const limited = (fields: string[]) => ({ api: { access: 'public', methods: { distinct: { fields } } } });
    await change(notes(limited(['rank'])));
    assertRefused(await at(b).call('GET', '/distinct?fields=title'), 403);
    await change(notes(limited(['title'])));
    assert.deepEqual(await at(b).distinct('fields=title'), { title: ['one', 'two'] });
  });

  it('of a collection that is included or referred to', async () => {
    const places = (access: string) => definition('places', { name: { type: 'text' } }, { api: { access } });
    const fields = { ...noteFields, place: { type: 'relation', to: 'places' } };
    await a.project(project, places('public'), notes({}, fields));
    const place = await at(b, 'places').create({ name: 'here' });
    await at(b).create({ title: 'one', place: place._id });
    const included = async (query: string) => (await at(b).list(query))._include.place?.length;
    for (const query of ['include=place', 'include=place&after=']) {
      assert.equal(await included(query), 1);
      await change(places('user'));
      assert.equal(await included(query), 0);
      await change(places('public'));
    }
    await change(places('user'));
    assertRefused(await at(b).call('POST', '', { title: 'two', place: place._id }), 400, 'place');
    await change(places('public'));
    await at(b).create({ title: 'two', place: place._id });
  });

  it('are in the definition that the other node shows', async () => {
    await start();
    await change(notes({ name: 'Notes' }));
    assert.equal(resultOf(await admin(b, 'GET', '/collections/notes')).name, 'Notes');
    await change(notes({ name: 'Slips' }));
    const { found } = resultOf(await admin(b, 'GET', '/collections')) as { found: JsonObject[] };
    assert.equal(found[0]?.name, 'Slips');
  });

  it('are in what the other node says of the project, whichever it is asked first', async () => {
    await start();
    for (const rest of ['', '/_openapi.json', '/_docs']) {
      const read = async () => (await b.call('GET', `/v1/${project}${rest}`)).text;
      assert.match(await read(), /notes/);
      await change(notes({ api: { access: 'user', methods: { viewAll: { access: 'user' } } } }));
      assert.doesNotMatch(await read(), /notes/, rest);
      await change(notes());
      assert.match(await read(), /notes/, rest);
    }
  });

  it('nobody begins to follow what they may not follow any more', async () => {
    await start();
    const page = () => b.call('GET', `/v1/${project}/_changes?collections=notes&after=now`);
    const stream = async () => {
      const headers = { accept: 'text/event-stream' };
      const reply = await b.fetch(
        new Request(`http://vitrine.test/v1/${project}/notes/_changes?after=now`, { headers }),
      );
      await reply.body?.cancel();
      return reply;
    };
    for (const ask of [page, stream]) {
      assert.equal((await ask()).status, 200);
      await change(notes({ api: { access: 'user' } }));
      assert.equal((await ask()).status, 401);
      await change(notes({ api: { access: 'public', methods: { changes: { enabled: false } } } }));
      assert.equal((await ask()).status, 404);
      await change(notes());
    }
  });
});

describe('fields changed through another node', () => {
  it('a new one is taken, filtered and told at once', async () => {
    const [row] = await start();
    const colour = { ...noteFields, colour: { type: 'text', default: 'red', index: true } };
    await change(notes({}, colour));
    assert.equal(await at(b).total('colour=red'), 2);
    assert.equal((await at(b).view(row?._id ?? '')).colour, 'red');
    await change(notes({}, { ...colour, size: { type: 'number' } }));
    assert.equal((await at(b).create({ title: 'three', size: 3 })).size, 3);
    await change(notes({}, { ...colour, size: { type: 'number' }, shape: { type: 'text' } }));
    assert.match((await at(b).call('GET', '/export?format=csv')).text, /shape/);
  });

  it('one that is gone is gone', async () => {
    const [row] = await start();
    const id = row?._id ?? '';
    const both = ['', '?rank=1', `/${id}`, '?after=&sort=rank', '/distinct?fields=rank'];
    const known = await Promise.all(both.map((rest) => at(b).call('GET', rest)));
    assert.deepEqual(new Set(known.map(({ status }) => status)), new Set([200]));
    const { rank: _, ...fields } = noteFields;
    await change(notes({}, fields), '?confirm=destructive');
    assert.ok(!('rank' in (await at(b).view(id))));
    assertRefused(await at(b).call('GET', '?rank=1'), 400, 'rank');
    assertRefused(await at(b).call('GET', '/distinct?fields=rank'), 400, 'rank');
    assertRefused(await at(b).call('PATCH', `/${id}`, { rank: 3 }), 400, 'rank');
    assert.deepEqual(await at(b).values('title', 'sort=title'), ['one', 'two']);
  });

  it('the records and indexes of the collection are counted by the definition of now', async () => {
    await start();
    const stats = async () => resultOf(await admin(b, 'GET', '/collections/notes/stats'));
    assert.equal((await stats()).records, 2);
    await change(notes({}, { ...noteFields, rank: { type: 'number', index: true } }));
    const { records, indexes } = await stats();
    assert.equal(records, 2);
    assert.deepEqual(indexes, [{ fields: ['rank'], unique: false }]);
  });

  it('one with another name or another rule', async () => {
    const [row] = await start();
    const renamed = { title: noteFields.title ?? null, place: { type: 'number', renamedFrom: 'rank' } };
    await change(notes({}, renamed));
    assert.equal((await at(b).view(row?._id ?? '')).place, 1);
    const limited = { title: noteFields.title ?? null, place: { type: 'number', max: 5 } };
    await change(notes({}, limited));
    assertRefused(await at(b).call('POST', '', { title: 'three', place: 6 }), 400, 'place');
    await change(notes({}, { ...limited, place: { type: 'number' } }));
    await at(b).create({ title: 'three', place: 6 });
    assert.equal(await at(a).total(), 3);
  });
});

describe('collections that come and go through another node', () => {
  it('a new one is there, under each operation first', async () => {
    await start();
    const asks = ['', '?after=', '/distinct?fields=title', '/export?format=csv', '?search=x'];
    for (const [index, rest] of asks.entries()) {
      const id = `new${index}`;
      assertRefused(await at(b, id).call('GET', rest), 404);
      resultOf(await admin(a, 'POST', '/collections', definition(id, noteFields)), 201);
      assert.equal((await at(b, id).call('GET', rest)).status, 200);
    }
    const ops = (collection: string) => ({
      operations: [{ method: 'create', collection, data: { title: 'x' } }],
    });
    assertRefused(await b.call('POST', `/v1/${project}/_batch`, { body: ops('late') }), 404);
    resultOf(await admin(a, 'POST', '/collections', definition('late', noteFields)), 201);
    resultOf(await b.call('POST', `/v1/${project}/_batch`, { body: ops('late') }));
    assertRefused(await admin(b, 'POST', '/collections', definition('late', noteFields)), 409);
  });

  it('one that is gone is gone for every operation', async () => {
    const [row] = await start();
    resultOf(await admin(a, 'DELETE', '/collections/notes?confirm=destructive'));
    all(await statuses(row?._id ?? ''), 404);
    assertRefused(await admin(b, 'GET', '/collections/notes'), 404);
  });

  it('its namesake has nothing of it', async () => {
    const [row] = await start();
    const id = row?._id ?? '';
    const again = async () => {
      resultOf(await admin(a, 'DELETE', '/collections/notes?confirm=destructive'));
      resultOf(await admin(a, 'POST', '/collections', notes()), 201);
    };
    await again();
    assertRefused(await at(b).call('GET', `/${id}`), 404);
    await at(b).create({ title: 'new' });
    await again();
    assert.equal(await at(b).total(), 0);
    await again();
    assertRefused(await at(b).call('PATCH', `/${id}`, { title: 'x' }), 404);
    await again();
    assert.deepEqual(await at(b).distinct('fields=title'), { title: [] });
    await again();
    assert.equal((await at(b).create({ title: 'first' })).title, 'first');
    assert.equal(await at(a).total(), 1);
  });

  it('records written through one are in the totals, lists and distinct values of the other', async () => {
    await start();
    await at(b).list('rank=1&perPage=1&page=1');
    await at(b).distinct('fields=rank');
    await at(a).createAll([
      { title: 'x', rank: 1 },
      { title: 'y', rank: 7 },
    ]);
    assert.equal(await at(b).total('rank=1&perPage=1'), 2);
    assert.deepEqual(await at(b).distinct('fields=rank'), { rank: [1, 2, 7] });
    assert.equal(await at(b).total(), 4);
  });

  it('records changed through one, again and again, are in the totals and distinct values of the other', async () => {
    await start();
    const made = await at(a).createAll(Array.from({ length: 6 }, () => ({ title: 'x', rank: 10 })));
    const changeAll = (rank: number) => Promise.all(made.map(({ _id }) => at(a).update(_id, { rank })));
    for (let round = 11; round < 16; round++) {
      assert.equal(await at(b).total(`rank=${round - 1}&perPage=2`), 6);
      assert.equal(await at(b).total(`rank=${round}&perPage=2`), 0);
      await at(b).distinct('fields=rank');
      await changeAll(round);
      assert.equal(await at(b).total(`rank=${round - 1}&perPage=2`), 0);
      assert.equal(await at(b).total(`rank=${round}&perPage=2`), 6);
      assert.deepEqual(await at(b).distinct('fields=rank'), { rank: [1, 2, round] });
    }
    // One after the other, and each counts.
    for (const [index, { _id }] of made.entries()) {
      await at(a).update(_id, { rank: 20 });
      assert.equal(await at(b).total('rank=15&perPage=1'), made.length - 1 - index);
      assert.equal(await at(b).total('rank=20&perPage=1'), index + 1);
    }
  });

  it('while settings change again and again, every write happens once or not at all', async () => {
    await start();
    let writing = true;
    const write = async (index: number) => {
      let made = 0;
      for (let round = 0; writing || round < 5; round++) {
        const reply = await at(b).call('POST', '', { title: `${index}.${round}` });
        assert.ok(reply.status === 201 || reply.status === 503, reply.text);
        if (reply.status === 201) made += 1;
      }
      return made;
    };
    const writers = [0, 1, 2, 3].map(write);
    for (let round = 0; round < 20; round++) await change(notes({ name: `Notes ${round}` }));
    writing = false;
    const made = await Promise.all(writers);
    const expected = 2 + made.reduce((sum, one) => sum + one);
    assert.equal(await at(a).total(), expected);
    assert.equal(((await at(a).distinct('fields=title')) as { title: string[] }).title.length, expected);
  });

  it('changes through both at once all happen', async () => {
    await a.project(project);
    const make = (node: TestApp, id: string) =>
      admin(node, 'POST', '/collections', definition(id, noteFields));
    const ids = ['p', 'q', 'r', 's', 't', 'u'];
    const made = await Promise.all(ids.map((id, index) => make(index % 2 ? a : b, id)));
    assert.deepEqual(new Set(made.map(({ status }) => status)), new Set([201]));
    for (const node of [a, b]) assert.equal(resultOf(await admin(node, 'GET', '/collections')).total, 6);
  });
});

describe('a project deleted through another node', () => {
  it('is gone for every operation', async () => {
    const [row] = await start();
    const { accessToken } = await signUp(b, 'ann@example.com');
    resultOf(await admin(a, 'DELETE', '?confirm=destructive'));
    all(await statuses(row?._id ?? ''), 404);
    for (const rest of ['', '/collections', '/users', '/keys'])
      assertRefused(await admin(b, 'GET', rest), 404);
    assertRefused(await b.call('GET', `/v1/${project}/_auth/me`, { token: accessToken }), 404);
  });

  const first: Readonly<Record<string, () => Promise<number>>> = {
    list: async () => (await at(b).call('GET', '')).status,
    create: async () => (await at(b).call('POST', '', { title: 'x' })).status,
    definition: async () => (await admin(b, 'GET', '/collections/notes')).status,
    users: async () => (await admin(b, 'GET', '/users')).status,
    'a new user': async () => {
      const body = { email: 'bob@example.com', password: 'a good password' };
      return (await b.call('POST', `/v1/${project}/_auth/register`, { body })).status;
    },
  };
  for (const [name, ask] of Object.entries(first)) {
    it(`is another when it is made again; ${name} first`, async () => {
      const [row] = await start();
      const { accessToken } = await signUp(b, 'ann@example.com');
      const { key } = resultOf(await admin(b, 'POST', '/keys', { name: 'k' }), 201) as { key: string };
      resultOf(await at(b, 'notes', key).call('GET', ''));
      resultOf(await at(b, 'notes', accessToken).call('GET', ''));
      resultOf(await admin(a, 'DELETE', '?confirm=destructive'));
      await a.project(project, notes());
      assert.ok((await ask()) < 300);
      assertRefused(await at(b).call('GET', `/${row?._id}`), 404);
      assertRefused(await at(b, 'notes', key).call('GET', ''), 401);
      assertRefused(await at(b, 'notes', accessToken).call('GET', ''), 401);
      const users = (node: TestApp, token: string) =>
        node.call('GET', `/v1/_admin/projects/${project}/users`, { token });
      assertRefused(await users(b, key), 401);
      const total = await at(b).total();
      assert.equal(total, name === 'create' ? 1 : 0);
      assert.equal(await at(a).total(), total);
      const made = resultOf(await admin(a, 'GET', '/users')).total;
      assert.equal(made, name === 'a new user' ? 1 : 0);
    });
  }

  it('has nobody let in by its old keys and tokens, asked with them first', async () => {
    for (const kind of ['key', 'token', 'manager'] as const) {
      project = `${project}${kind}`;
      await start();
      const { accessToken } = await signUp(b, 'ann@example.com');
      const { key } = resultOf(await admin(b, 'POST', '/keys', { name: 'k' }), 201) as { key: string };
      const send = () => {
        if (kind !== 'manager') return at(b, 'notes', kind === 'key' ? key : accessToken).call('GET', '');
        return b.call('GET', `/v1/_admin/projects/${project}/users`, { token: key });
      };
      resultOf(await send());
      resultOf(await admin(a, 'DELETE', '?confirm=destructive'));
      await a.project(project, notes());
      assertRefused(await send(), 401);
    }
  });
});

describe('people and keys changed through another node', () => {
  const me = (token: string | undefined) => b.call('GET', `/v1/${project}/_auth/me`, { token });

  it('a user who is disabled, and one who is deleted', async () => {
    await a.project(project, notes({ api: { access: 'user' } }));
    for (const end of ['PATCH', 'DELETE']) {
      const { accessToken, refreshToken, user } = (await signUp(b, `${end}@example.com`)) as never as {
        accessToken: string;
        refreshToken: string;
        user: { _id: string };
      };
      resultOf(await at(b, 'notes', accessToken).call('GET', ''));
      resultOf(await me(accessToken));
      const body = end === 'PATCH' ? { disabled: true } : undefined;
      resultOf(await admin(a, end, `/users/${user._id}`, body));
      assertRefused(await at(b, 'notes', accessToken).call('GET', ''), 401);
      assertRefused(await me(accessToken), 401);
      const refresh = { body: { refreshToken } };
      assertRefused(await b.call('POST', `/v1/${project}/_auth/refresh`, refresh), 401);
    }
  });

  it('a user who is deleted with records in a collection that the other node has not heard of', async () => {
    await a.project(project, notes({ api: { access: 'user' } }));
    resultOf(await admin(a, 'PATCH', '', { auth: { onUserDelete: 'delete' } }));
    const { accessToken, user } = (await signUp(b, 'ann@example.com')) as never as {
      accessToken: string;
      user: { _id: string };
    };
    resultOf(await at(b, 'notes', accessToken).call('GET', ''));
    const made = definition('later', noteFields, { api: { access: 'user' } });
    resultOf(await admin(a, 'POST', '/collections', made), 201);
    await at(a, 'later', accessToken).create({ title: 'mine' });
    resultOf(await admin(b, 'DELETE', `/users/${user._id}`));
    assert.equal(await at(a, 'later', adminKey).total(), 0);
  });

  it('a key that is revoked, and a session that is over', async () => {
    await start();
    const made = resultOf(await admin(a, 'POST', '/keys', { name: 'k' }), 201) as {
      key: string;
      _id: string;
    };
    resultOf(await at(b, 'notes', made.key).call('GET', ''));
    resultOf(await admin(a, 'DELETE', `/keys/${made._id}`));
    assertRefused(await at(b, 'notes', made.key).call('GET', ''), 401);
    const { accessToken, refreshToken } = await signUp(b, 'ann@example.com');
    resultOf(await me(accessToken));
    resultOf(
      await a.call('POST', `/v1/${project}/_auth/logout`, { body: { refreshToken: refreshToken ?? '' } }),
    );
    assertRefused(await me(accessToken), 401);
  });

  it('a member who is removed', async () => {
    await a.project(project, notes({ api: { access: 'workspace' } }));
    const { accessToken, user } = (await signUp(b, 'ann@example.com')) as never as {
      accessToken: string;
      user: { _id: string };
    };
    const workspace = resultOf(await admin(a, 'POST', '/workspaces', { name: 'w' }), 201)._id as string;
    resultOf(await admin(a, 'POST', `/workspaces/${workspace}/members`, { user: user._id }), 201);
    const switched = await b.call('POST', `/v1/${project}/_auth/switch`, {
      body: { workspace },
      token: accessToken,
    });
    const token = resultOf(switched).accessToken as string;
    resultOf(await at(b, 'notes', token).call('POST', '', { title: 'ours' }), 201);
    assert.equal(await at(b, 'notes', token).total(), 1);
    resultOf(await admin(a, 'DELETE', `/workspaces/${workspace}/members/${user._id}`));
    assertRefused(await at(b, 'notes', token).call('GET', ''), 403);
  });

  it('registration closed and opened, and how long tokens last', async () => {
    await a.project(project, notes());
    await signUp(b, 'ann@example.com');
    resultOf(await admin(a, 'PATCH', '', { auth: { registration: 'closed', accessTokenMinutes: 7 } }));
    const body = { email: 'bob@example.com', password: 'a good password' };
    assertRefused(await b.call('POST', `/v1/${project}/_auth/register`, { body }), 403);
    const login = { email: 'ann@example.com', password: 'a good password' };
    const signedIn = resultOf(await b.call('POST', `/v1/${project}/_auth/login`, { body: login }));
    assert.equal(signedIn.expiresIn, 7 * 60);
    resultOf(await admin(a, 'PATCH', '', { name: 'Other', auth: { registration: 'open' } }));
    assert.equal(resultOf(await admin(b, 'GET', '')).name, 'Other');
    await signUp(b, 'bob@example.com');
  });
});
