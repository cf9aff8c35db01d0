import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { JsonObject } from '../../src/model/json.ts';
import { adminKey, type TestApp } from '../harness.ts';
import { assertRefused, type Listed, type Row, resultOf } from '../support.ts';
import { levels, makeBindingWorld, own } from './binding-world.ts';
import { notes, type People, type SignedIn } from './people.ts';

let app: TestApp;
let people: People;
let ann: SignedIn;
let dan: SignedIn;
let north: string;
let key: string;
before(async () => {
  ({ app, people, ann, dan, north, key } = await makeBindingWorld());
  const mixed = { viewAll: { access: 'public' }, create: { access: 'public' } };
  const hub = {
    id: 'hub',
    fields: { to: { type: 'relation', to: 'user', kind: 'single' } },
    api: { access: 'user' },
  };
  for (const body of [
    notes('mixed', 'user', mixed),
    notes('listed', 'public', { viewAll: { access: 'user' } }),
    hub,
  ]) {
    resultOf(await people.manage('POST', '/collections', body), 201);
  }
});
after(() => app.close());

const create = async (collection: string, body: JsonObject, token?: string): Promise<Row> =>
  resultOf(await people.records('POST', collection, body, { token }), 201) as Row;

describe('reading _owner and _workspace', () => {
  it('by fields: a user where View All is of level user or workspace, a server key, the administrator', async () => {
    const cases: [string, string | undefined, number][] = [
      ['public', undefined, 400],
      ['public', ann.accessToken, 400],
      ['public', key, 200],
      ['public', adminKey, 200],
      ['user', ann.accessToken, 200],
      ['user', dan.accessToken, 200],
      ['user', key, 200],
      ['workspace', ann.accessToken, 200],
      ['workspace', adminKey, 200],
      ['mixed', ann.accessToken, 400],
      ['listed', ann.accessToken, 200],
    ];
    for (const [collection, token, status] of cases) {
      await create(collection, { text: 'x' }, token);
      for (const names of ['_owner', '_workspace', 'text,_owner,_workspace']) {
        const reply = await people.records('GET', `${collection}?fields=${names}`, undefined, { token });
        assert.equal(reply.status, status, `${collection} ${names} ${reply.text}`);
        if (status !== 200) {
          assertRefused(reply, 400, names.split(',').at(-1) ?? '');
          continue;
        }
        const { found } = resultOf(reply) as unknown as Listed;
        assert.ok(found.length > 0);
        for (const row of found)
          assert.deepEqual(Object.keys(row).sort(), ['_id', ...names.split(',')].sort());
        if (collection !== 'user' || token === key) continue;
        const mine = token === ann.accessToken ? ann.user._id : dan.user._id;
        if (names !== '_workspace') for (const row of found) assert.equal(row._owner, mine);
      }
    }
  });

  it('they are in no record otherwise: not in create, view, update, the list or an include', async () => {
    for (const token of [ann.accessToken, key, adminKey]) {
      for (const level of levels) {
        const made = await create(level, { text: 'x' }, token);
        const rows = [
          made,
          resultOf(await people.records('GET', `${level}/${made._id}`, undefined, { token })),
          resultOf(await people.records('PATCH', `${level}/${made._id}`, { text: 'y' }, { token })),
          ...(resultOf(await people.records('GET', level, undefined, { token })) as unknown as Listed).found,
        ];
        for (const row of rows) assert.deepEqual(Object.keys(row).sort(), own);
      }
      const target = await create('user', { text: 'x' }, token);
      await create('hub', { to: target._id }, token);
      const query = 'hub?include=to&fields=to,_owner,_workspace';
      const listed = resultOf(await people.records('GET', query, undefined, { token })) as unknown as Listed;
      assert.ok(listed._include.to?.some(({ _id }) => _id === target._id));
      for (const row of listed._include.to ?? []) assert.deepEqual(Object.keys(row).sort(), own);
    }
  });

  it('they filter with = and != for those who may name them in fields', async () => {
    const mine = await create('user', { text: 'mine' }, ann.accessToken);
    const ids = async (rest: string, token: string) => {
      const listed = resultOf(await people.records('GET', rest, undefined, { token })) as unknown as Listed;
      return listed.found.map(({ _id }) => _id);
    };
    assert.ok((await ids(`user?_owner=${ann.user._id}`, ann.accessToken)).includes(mine._id));
    assert.deepEqual(await ids(`user?_owner=${dan.user._id}`, ann.accessToken), []);
    assert.deepEqual(await ids(`user?_owner!=${ann.user._id}`, ann.accessToken), []);
    assert.ok(
      !(await ids(`user?_owner=${ann.user._id},${dan.user._id}&_owner!=${ann.user._id}`, key)).includes(
        mine._id,
      ),
    );
    const nobodys = await create('public', { text: 'nobody' });
    assert.ok((await ids('public?_owner=', adminKey)).includes(nobodys._id));
    assert.ok(!(await ids('public?_owner!=', adminKey)).includes(nobodys._id));
    assert.ok((await ids(`public?_owner=,${ann.user._id}&_workspace=`, key)).includes(nobodys._id));
    assert.ok(!(await ids(`public?_workspace=${north}`, key)).includes(nobodys._id));
    for (const rest of [
      'user?_owner>x',
      'user?_workspace<=x',
      `public/distinct?fields=text&_owner>=${north}`,
    ]) {
      assertRefused(await people.records('GET', rest, undefined, { token: key }), 400, 'use =, !=');
    }
    const distinct = await people.records(
      'GET',
      `user/distinct?fields=text&_owner=${ann.user._id}`,
      undefined,
      { token: key },
    );
    assert.ok((resultOf(distinct).text as string[]).includes('mine'));
  });

  it('they are no parameter to sort or count by, nor to filter where nobody may name them', async () => {
    const token = ann.accessToken;
    for (const rest of [
      `public?_owner=${dan.user._id}`,
      `public?_workspace=${north}`,
      'public?_owner=',
      `public/distinct?fields=text&_owner=${dan.user._id}`,
      'public?sort=_owner',
      'user?sort=-_workspace',
      'public/distinct?fields=_owner',
      'user/distinct?fields=_workspace',
      'public?include=_owner',
    ]) {
      assertRefused(await people.records('GET', rest, undefined, { token }), 400);
    }
  });
});
