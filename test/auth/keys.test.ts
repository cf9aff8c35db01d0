import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { JsonObject } from '../../src/model/json.ts';
import { adminKey, startApp, type TestApp } from '../harness.ts';
import { assertRefused, type Listed, resultOf, strangerId } from '../support.ts';
import { assertUnauthenticated, Clock, makePeople, minute, type People, password } from './people.ts';

const clock = new Clock();
let app: TestApp;
let people: People;
before(async () => {
  app = await startApp({ now: clock.now });
  people = await makePeople(app);
});
after(() => app.close());

const listed = async () =>
  (resultOf(await people.manage('GET', '/keys')) as unknown as Listed).found as JsonObject[];

describe('a server key', () => {
  it('says what it may do and when it ends', async () => {
    const expiresAt = '2026-02-01T00:00:00.000Z';
    const made = resultOf(
      await people.manage('POST', '/keys', { name: 'Report', access: 'read', expiresAt }),
      201,
    );
    const { _id, key, _createdAt, ...rest } = made;
    assert.deepEqual(rest, { name: 'Report', access: 'read', expiresAt, lastUsedAt: null });
    assert.match(String(key), /^vk_shop_/);
    assert.deepEqual((await listed()).at(-1), { _id, _createdAt, ...rest });
    const plain = resultOf(await people.manage('POST', '/keys', { name: 'Plain', expiresAt: null }), 201);
    assert.deepEqual([plain.access, plain.expiresAt], ['write', null]);
  });

  it('is refused with settings that make no sense', async () => {
    for (const body of [
      { name: 'x', access: 'admin' },
      { name: 'x', access: null },
      { name: 'x', expiresAt: 'tomorrow' },
      { name: 'x', expiresAt: 5 },
      { name: 'x', expiresAt: '2025-12-31' },
      { name: 'x', lastUsedAt: '2026-01-01' },
    ]) {
      assertRefused(await people.manage('POST', '/keys', body), 400);
    }
  });

  it('is a 401 from the moment it ends, for records and for management', async () => {
    const { key, _id } = await people.key({ expiresAt: new Date(clock.now() + minute).toISOString() });
    clock.move(minute - 1);
    resultOf(await people.records('GET', 'user', undefined, { token: key }));
    resultOf(await people.manage('GET', '/users', undefined, key));
    clock.move(1);
    assertUnauthenticated(await people.records('GET', 'user', undefined, { token: key }));
    assertUnauthenticated(await people.records('GET', 'public', undefined, { token: key }));
    assertUnauthenticated(await people.manage('GET', '/users', undefined, key));
    const question = { caller: { key: _id }, collection: 'user', method: 'viewAll' };
    const { allowed, status } = resultOf(await people.manage('POST', '/explain', question));
    assert.deepEqual([allowed, status], [false, 401]);
  });

  it('tells when it was last used, to the hour', async () => {
    const { _id, key } = await people.key();
    const used = async () => (await listed()).find((one) => one._id === _id)?.lastUsedAt;
    const use = () => people.records('GET', 'user', undefined, { token: key });
    assert.equal(await used(), null);
    for (let round = 0; round < 2; round++) {
      clock.move(37 * minute);
      await Promise.all([use(), use(), use()]);
      const hour = `${new Date(clock.now()).toISOString().slice(0, 13)}:00:00.000Z`;
      const deadline = Date.now() + 60_000; // no request waits for it
      while ((await used()) !== hour && Date.now() < deadline)
        await new Promise((resolve) => setTimeout(resolve, 5));
      assert.equal(await used(), hour);
      clock.move(60 * minute);
    }
  });
});

describe('a key that only reads', () => {
  let key: string;
  let id: string;
  before(async () => {
    key = (await people.key({ access: 'read' })).key;
    const { _id } = resultOf(await people.records('POST', 'user', { text: 'x' }, { token: adminKey }), 201);
    id = String(_id);
  });

  it('sees every record, and changes none at any level', async () => {
    const send = (verb: string, path: string, body?: JsonObject) =>
      people.records(verb, path, body, { token: key });
    for (const path of ['user', `user/${id}`, 'user/distinct?fields=text', 'user?fields=_owner']) {
      resultOf(await send('GET', path));
    }
    assert.equal((await send('GET', 'user/export?format=json')).status, 200);
    for (const level of ['public', 'user', 'workspace']) {
      assertRefused(await send('POST', level, { text: 'x' }), 403, "access 'write'");
      assertRefused(await send('POST', `${level}/batch`, { create: [{ text: 'x' }] }), 403);
      assertRefused(await send('PATCH', `${level}/${strangerId}`, { text: 'x' }), 403);
    }
    assertRefused(await send('PATCH', `user/${id}`, { text: 'y' }), 403);
    assertRefused(await send('DELETE', `user/${id}`), 403);
    assertRefused(await send('DELETE', `user/${id}?dryRun=true`), 403);
    const operations = [{ collection: 'user', create: { text: 'x' } }];
    assertRefused(await send('POST', '_batch', { operations }), 403);
    assert.equal(resultOf(await send('GET', 'user')).total, 1);
  });

  it('looks at users and workspaces, and at nothing else of management', async () => {
    const user = await people.register('ann');
    const workspace = await people.workspace(user, 'North');
    const manage = (verb: string, path: string, body?: JsonObject) => people.manage(verb, path, body, key);
    const [one, place] = [`/users/${user.user._id}`, `/workspaces/${workspace}`];
    for (const path of ['/users', one, '/workspaces', place, `${place}/members`]) {
      resultOf(await manage('GET', path));
    }
    const writes: [string, string, JsonObject?][] = [
      ['POST', '/users', { email: 'new@example.com', password }],
      ['PATCH', one, { disabled: true }],
      ['PATCH', one, { nonsense: true }],
      ['DELETE', one],
      ['POST', '/workspaces', { name: 'South' }],
      ['PATCH', place, { name: 'South' }],
      ['DELETE', place],
      ['POST', `${place}/members`, { user: user.user._id, role: 'owner' }],
      ['DELETE', `${place}/members/${user.user._id}`],
    ];
    for (const [verb, path, body] of writes) assertRefused(await manage(verb, path, body), 403);
    for (const path of ['', '/keys', '/collections']) assertRefused(await manage('GET', path), 403);
    assertRefused(await manage('POST', '/keys', { name: 'more' }), 403);
    assert.equal(resultOf(await people.me(user.accessToken)).email, user.user.email);
  });

  it('is described without what it may not do', async () => {
    const { body } = await app.call('GET', '/v1/shop/_openapi.json', { token: key });
    const paths = (body as unknown as { paths: Record<string, object> }).paths;
    assert.deepEqual(
      Object.keys(paths['/user'] ?? {}).filter((verb) => verb !== 'parameters'),
      ['get'],
    );
    assert.equal(paths['/user/batch'], undefined);
    const { collections } = resultOf(await app.call('GET', '/v1/shop', { token: key }));
    for (const { methods } of collections as { methods: string[] }[]) {
      assert.deepEqual(
        methods.filter((method) => ['create', 'update', 'delete', 'batch'].includes(method)),
        [],
      );
    }
  });

  it('is explained', async () => {
    const { _id } = await people.key({ access: 'read' });
    const ask = async (method: string) => {
      const question = { caller: { key: _id }, collection: 'user', method };
      const { status, allowed } = resultOf(await people.manage('POST', '/explain', question));
      return [status, allowed];
    };
    assert.deepEqual(await ask('viewAll'), [200, true]);
    for (const method of ['create', 'update', 'delete', 'batch'])
      assert.deepEqual(await ask(method), [403, false]);
  });
});
