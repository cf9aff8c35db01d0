import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { JsonObject } from '../../src/model/json.ts';
import { adminKey, type TestApp } from '../harness.ts';
import { asAdmin, assertRefused, type Listed, type Row, resultOf, strangerId } from '../support.ts';
import { levels, makeBindingWorld, own } from './binding-world.ts';
import type { People, SignedIn } from './people.ts';

let app: TestApp;
let people: People;
let ann: SignedIn;
let dan: SignedIn;
let north: string;
let key: string;
before(async () => {
  ({ app, people, ann, dan, north, key } = await makeBindingWorld());
});
after(() => app.close());

const create = async (collection: string, body: JsonObject, token?: string): Promise<Row> =>
  resultOf(await people.records('POST', collection, body, { token }), 201) as Row;

async function bindingOf(collection: string, id: string): Promise<[unknown, unknown]> {
  const query = `${collection}?_id=${id}&fields=_owner,_workspace`;
  const { found } = resultOf(await people.records('GET', query, undefined, asAdmin)) as unknown as Listed;
  assert.equal(found.length, 1);
  return [found[0]?._owner, found[0]?._workspace];
}

describe('_owner and _workspace of a new record', () => {
  for (const level of levels) {
    it(`are the user and the current workspace of the token, at level ${level}`, async () => {
      const made = await create(level, { text: 'x' }, ann.accessToken);
      assert.deepEqual(await bindingOf(level, made._id), [ann.user._id, north]);
      if (level === 'workspace') return;
      const alone = await create(level, { text: 'x' }, dan.accessToken);
      assert.deepEqual(await bindingOf(level, alone._id), [dan.user._id, null]);
    });

    it(`are unset for a server key and the administrator, at level ${level}`, async () => {
      for (const token of [key, adminKey]) {
        const made = await create(level, { text: 'x' }, token);
        assert.deepEqual(await bindingOf(level, made._id), [null, null]);
      }
    });
  }

  it('are unset for nobody', async () => {
    const made = await create('public', { text: 'x' });
    assert.deepEqual(await bindingOf('public', made._id), [null, null]);
  });

  it('stay, whoever changes the record', async () => {
    const { _id } = await create('public', { text: 'x' }, ann.accessToken);
    for (const token of [dan.accessToken, key, adminKey, undefined]) {
      resultOf(await people.records('PATCH', `public/${_id}`, { text: `by ${token?.length}` }, { token }));
      assert.deepEqual(await bindingOf('public', _id), [ann.user._id, north]);
    }
  });
});

describe('writing the fields of the service', () => {
  it('_owner and _workspace is refused to nobody and to users, their own too', async () => {
    for (const [token, level] of [
      [undefined, 'public'],
      ...levels.map((name) => [ann.accessToken, name] as const),
      [dan.accessToken, 'user'],
    ] as const) {
      const { _id } = await create(level, { text: 'before' }, token);
      const before = await bindingOf(level, _id);
      for (const body of [
        { _owner: ann.user._id },
        { _workspace: north },
        { _owner: null },
        { _workspace: null },
      ]) {
        const [name = ''] = Object.keys(body);
        assertRefused(await people.records('POST', level, { text: 'x', ...body }, { token }), 400, name);
        assertRefused(
          await people.records('PATCH', `${level}/${_id}`, { text: 'x', ...body }, { token }),
          400,
          name,
        );
      }
      assert.deepEqual(await bindingOf(level, _id), before);
      const after = await people.records('GET', `${level}/${_id}`, undefined, asAdmin);
      assert.equal(resultOf(after).text, 'before');
    }
  });

  it('_id and the timestamps is refused to everyone', async () => {
    for (const token of [undefined, ann.accessToken, key, adminKey]) {
      const { _id, _createdAt, _updatedAt } = await create('public', { text: 'before' }, token);
      for (const body of [
        { _id: strangerId },
        { _id },
        { _createdAt: '2020-01-01T00:00:00.000Z' },
        { _createdAt },
        { _updatedAt: '2020-01-01T00:00:00.000Z' },
        { _updatedAt },
        { _id: null },
        { _other: 1 },
      ]) {
        const [name = ''] = Object.keys(body);
        assertRefused(await people.records('POST', 'public', { ...body }, { token }), 400, name);
        assertRefused(await people.records('PATCH', `public/${_id}`, { ...body }, { token }), 400, name);
      }
      const now = resultOf(await people.records('GET', `public/${_id}`));
      assert.deepEqual(now, { _id, _createdAt, _updatedAt, text: 'before' });
    }
  });

  for (const [who, token] of [
    ['a server key', () => key],
    ['the administrator', () => adminKey],
  ] as const) {
    it(`${who} makes a record for a user, and hands it over`, async () => {
      const body = { text: 'x', _owner: dan.user._id, _workspace: north };
      const made = await create('user', body, token());
      assert.deepEqual(Object.keys(made).sort(), own);
      assert.deepEqual(await bindingOf('user', made._id), [dan.user._id, north]);
      const sees = async ({ accessToken }: SignedIn) =>
        (await people.records('GET', `user/${made._id}`, undefined, { token: accessToken })).status;
      assert.deepEqual([await sees(dan), await sees(ann)], [200, 404]);
      const change = (update: JsonObject) =>
        people.records('PATCH', `user/${made._id}`, update, { token: token() });
      const handed = resultOf(await change({ _owner: ann.user._id }));
      assert.deepEqual(Object.keys(handed).sort(), own);
      assert.ok(String(handed._updatedAt) > made._updatedAt);
      assert.deepEqual(await bindingOf('user', made._id), [ann.user._id, north]);
      assert.deepEqual([await sees(dan), await sees(ann)], [404, 200]);
      resultOf(await change({ _owner: null, _workspace: null }));
      assert.deepEqual(await bindingOf('user', made._id), [null, null]);
      assert.deepEqual([await sees(dan), await sees(ann)], [404, 404]);
    });

    it(`${who} hands a record only to users and workspaces of the project`, async () => {
      await app.project(`other-${who.length}`);
      const elsewhere = { email: 'ann@example.com', password: 'a password' };
      const stranger = resultOf(
        await app.call('POST', `/v1/other-${who.length}/_auth/register`, { body: elsewhere }),
        201,
      ) as unknown as SignedIn;
      const { _id } = await create('user', { text: 'before' }, token());
      for (const body of [
        { _owner: strangerId },
        { _owner: stranger.user._id },
        { _owner: north },
        { _owner: 'ann@example.com' },
        { _owner: '' },
        { _owner: 5 },
        { _owner: [ann.user._id] },
        { _workspace: strangerId },
        { _workspace: ann.user._id },
        { _workspace: '' },
        { _workspace: false },
      ]) {
        const [name = ''] = Object.keys(body);
        assertRefused(await people.records('POST', 'user', body, { token: token() }), 400, name);
        assertRefused(await people.records('PATCH', `user/${_id}`, body, { token: token() }), 400, name);
      }
      const both = { _owner: strangerId, _workspace: strangerId };
      assertRefused(
        await people.records('POST', 'user', both, { token: token() }),
        400,
        '_owner',
        '_workspace',
      );
      assert.deepEqual(await bindingOf('user', _id), [null, null]);
    });
  }
});
