import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Json } from '../../src/model/json.ts';
import { adminKey, startApp, type TestApp } from '../harness.ts';
import { assertRefused, type Listed, resultOf, strangerId } from '../support.ts';
import { assertUnauthenticated, makePeople, People, password } from './people.ts';

let app: TestApp;
let people: People;
let key: string;
let other: People;
before(async () => {
  app = await startApp();
  people = await makePeople(app);
  await app.project('other');
  other = new People(app, 'other');
  key = (await people.key()).key;
});
after(() => app.close());

const managers: [string, () => string][] = [
  ['the administrator', () => adminKey],
  ['a server key', () => key],
];

for (const [who, token] of managers) {
  describe(`${who} manages the project's`, () => {
    const manage = (verb: string, path: string, body?: Json) => people.manage(verb, path, body, token());
    const mark = who.replaceAll(' ', '-');

    it('users', async () => {
      const email = `${mark}@example.com`;
      const made = resultOf(await manage('POST', '/users', { email, password, name: 'Zoe' }), 201);
      const { _id, _createdAt, _updatedAt, ...rest } = made;
      assert.deepEqual(rest, { email, name: 'Zoe', disabled: false, verified: false, profile: {} });
      assert.match(`${_createdAt} ${_updatedAt}`, /^\d{4}-\d\d-\d\dT\S+Z \d{4}-\d\d-\d\dT\S+Z$/);
      const path = `/users/${String(_id)}`;
      assert.deepEqual(resultOf(await manage('GET', path)), made);
      assertRefused(await manage('POST', '/users', { email: email.toUpperCase(), password }), 409, 'email');
      const changed = resultOf(await manage('PATCH', path, { name: 'Zed' }));
      assert.deepEqual({ ...changed, _updatedAt }, { ...made, name: 'Zed' });
      assert.ok(String(changed._updatedAt) > String(_updatedAt));
      for (const body of [
        { disabled: 'yes' },
        { password: 'short' },
        { name: 5 },
        { nonsense: 1 },
        { _id: 'x' },
      ]) {
        assertRefused(await manage('PATCH', path, body), 400);
      }
      assert.deepEqual(resultOf(await manage('GET', path)), changed);
      assert.deepEqual(resultOf(await manage('DELETE', path)), { _id });
      for (const verb of ['GET', 'DELETE']) assertRefused(await manage(verb, path), 404);
      assertRefused(await manage('PATCH', path, { name: 'x' }), 404);
    });

    it('workspaces and their members', async () => {
      const made = resultOf(await manage('POST', '/workspaces', { name: 'North' }), 201);
      const { _id, name, _updatedAt } = made;
      assert.deepEqual(Object.keys(made).sort(), ['_createdAt', '_id', '_updatedAt', 'name']);
      const path = `/workspaces/${String(_id)}`;
      assert.equal(name, 'North');
      assert.deepEqual(resultOf(await manage('GET', path)), made);
      const renamed = resultOf(await manage('PATCH', path, { name: 'South' }));
      assert.deepEqual({ ...renamed, _updatedAt }, { ...made, name: 'South' });

      const user = await people.register(`member-${mark}`);
      const members = `${path}/members`;
      const added = resultOf(await manage('POST', members, { user: user.user._id, role: 'owner' }), 201);
      assert.deepEqual(added, {
        _id: user.user._id,
        email: user.user.email,
        name: user.user.name,
        role: 'owner',
      });
      assert.equal((await people.login(`member-${mark}`)).user.workspace, _id);
      assertRefused(await manage('POST', members, { user: user.user._id, role: 'member' }), 409);
      for (const body of [
        { user: strangerId, role: 'member' },
        { user: user.user._id, role: 'x' },
        { role: 'member' },
      ]) {
        assertRefused(await manage('POST', members, body), 400);
      }
      assert.deepEqual((resultOf(await manage('GET', members)) as unknown as Listed).found, [added as never]);
      assert.deepEqual(resultOf(await manage('DELETE', `${members}/${user.user._id}`)), {
        _id: user.user._id,
      });
      assertRefused(await manage('DELETE', `${members}/${user.user._id}`), 404);
      assert.deepEqual(resultOf(await manage('DELETE', path)), { _id });
      for (const rest of ['', '/members']) assertRefused(await manage('GET', `${path}${rest}`), 404);
      assertRefused(await manage('POST', members, { user: user.user._id, role: 'member' }), 404);
    });
  });
}

describe('lists of management', () => {
  it('are paged like View All', async () => {
    await app.project('many');
    const many = new People(app, 'many');
    const made = await Promise.all(
      ['a', 'b', 'c', 'd', 'e'].map(async (name) => {
        const body = { email: many.email(name), password };
        const user = resultOf(await many.manage('POST', '/users', body), 201);
        const workspace = resultOf(await many.manage('POST', '/workspaces', { name }), 201);
        return { '/users': user._id, '/workspaces': workspace._id, '/keys': (await many.key({ name }))._id };
      }),
    );
    for (const list of ['/users', '/workspaces', '/keys'] as const) {
      const seen: string[] = [];
      for (const page of [1, 2, 3, 4]) {
        const reply = await many.manage('GET', `${list}?perPage=2&page=${page}`);
        const { found, ...rest } = resultOf(reply) as unknown as Listed;
        assert.deepEqual(rest, { page, perPage: 2, total: 5, totalPages: 3 });
        assert.equal(found.length, [2, 2, 1, 0][page - 1]);
        seen.push(...found.map(({ _id }) => _id));
      }
      assert.deepEqual(seen.sort(), made.map((one) => String(one[list])).sort());
      const { page, perPage } = resultOf(await many.manage('GET', list));
      assert.deepEqual([page, perPage], [1, 25]);
      for (const query of ['page=0', 'perPage=1001', 'perPage=x', 'nonsense=1']) {
        assertRefused(await many.manage('GET', `${list}?${query}`), 400);
      }
    }
  });
});

describe('a server key', () => {
  it('is shown once: no list and no answer after that holds it', async () => {
    const made = await people.manage('POST', '/keys', { name: 'once' });
    const { key: shown, ...rest } = resultOf(made, 201);
    assert.match(String(shown), /^vk_[\w-]{43,}$/);
    const { found } = resultOf(await people.manage('GET', '/keys?perPage=1000')) as unknown as Listed;
    const listed = found.find(({ _id }) => _id === rest._id);
    assert.deepEqual(listed, rest);
    assert.equal(rest.name, 'once');
    assert.ok(!JSON.stringify(found).includes('vk_'));
    assertRefused(await people.manage('POST', '/keys', {}), 400, 'name');
  });

  it('manages no collections, keys or projects: 403', async () => {
    const requests: [string, string, Json?][] = [
      ['GET', '/projects'],
      ['POST', '/projects', { id: 'mine' }],
      ['GET', '/projects/shop'],
      ['PATCH', '/projects/shop', { auth: { registration: 'closed' } }],
      ['GET', '/projects/shop/collections'],
      ['POST', '/projects/shop/collections', { id: 'mine', fields: {} }],
      ['GET', '/projects/shop/collections/user'],
      ['GET', '/projects/shop/keys'],
      ['POST', '/projects/shop/keys', { name: 'mine' }],
      ['DELETE', `/projects/shop/keys/${strangerId}`],
    ];
    const user = await people.register('plain');
    for (const [verb, path, body] of requests) {
      const send = (token?: string) => app.call(verb, `/v1/_admin${path}`, { body, token });
      assertRefused(await send(key), 403);
      assertRefused(await send(user.accessToken), 403);
      assertUnauthenticated(await send('wrong'));
      assertUnauthenticated(await send());
    }
    assert.equal(resultOf(await people.manage('GET', '/collections/user')).id, 'user');
  });

  it("manages no other project's users and workspaces, and a user's token manages nothing", async () => {
    const user = await people.register('curious');
    const theirs = await other.register('theirs');
    for (const [verb, path, body] of [
      ['GET', '/users'],
      ['POST', '/users', { email: 'x@example.com', password }],
      ['GET', `/users/${theirs.user._id}`],
      ['PATCH', `/users/${theirs.user._id}`, { password: 'taken over!' }],
      ['DELETE', `/users/${theirs.user._id}`],
      ['GET', '/workspaces'],
      ['POST', '/workspaces', { name: 'x' }],
    ] as [string, string, Json?][]) {
      assertRefused(await other.manage(verb, path, body, key), 403);
      assertRefused(await other.manage(verb, path, body, theirs.accessToken), 403);
      assertRefused(await people.manage(verb, path, body, user.accessToken), 403);
    }
    for (const id of [theirs.user._id, user.user._id]) {
      const [here, there] = id === user.user._id ? [people, other] : [other, people];
      resultOf(await here.manage('GET', `/users/${id}`));
      assertRefused(await there.manage('GET', `/users/${id}`), 404);
    }
    await other.login('theirs');
  });
});
