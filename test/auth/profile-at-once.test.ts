import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { v7 as uuidv7 } from 'uuid';
import { Failure } from '../../src/failure.ts';
import type { JsonObject } from '../../src/model/json.ts';
import { asAdmin, assertRefused, type Listed, resultOf } from '../support.ts';
import { type Nodes, startNodes } from '../two-nodes.ts';
import { Interruptions } from './interruptions.ts';
import { People, password, type SignedIn } from './people.ts';

const interruptions = new Interruptions();
let nodes: Nodes;
before(async () => {
  nodes = await startNodes({ wrap: interruptions.wrap });
});
after(() => nodes.close());

const text = { type: 'text' };
const nick = { nick: text };
const renamed = { handle: { ...text, renamedFrom: 'nick' } };

/** A project with a user, on both nodes. */
async function start(id: string, profile: JsonObject = nick, values: JsonObject = { nick: 'old' }) {
  const body = { id, auth: { profile } };
  resultOf(await nodes.a.call('POST', '/v1/_admin/projects', { ...asAdmin, body }), 201);
  const [a, b] = [new People(nodes.a, id), new People(nodes.b, id)];
  return { a, b, ann: await register(a, 'ann', values) };
}

async function register(people: People, name: string, profile: JsonObject): Promise<SignedIn> {
  const body = { email: people.email(name), password, profile };
  return resultOf(await people.auth('POST', 'register', body), 201) as unknown as SignedIn;
}

const define = (people: People, profile: JsonObject) => people.manage('PATCH', '', { auth: { profile } });
const set = (people: People, { accessToken }: SignedIn, profile: JsonObject) =>
  people.auth('PATCH', 'me', { profile }, { token: accessToken });
const profileOf = async (people: People, { accessToken }: SignedIn) =>
  resultOf(await people.me(accessToken)).profile;

describe('definitions of profiles that change while users write theirs', () => {
  it('carry over what was written before they were saved', async () => {
    const { a, b, ann } = await start('before');
    interruptions.before('updateProject', async () => resultOf(await set(a, ann, { nick: 'new' })));
    resultOf(await define(b, renamed));
    assert.deepEqual(await profileOf(a, ann), { handle: 'new' });
  });

  it('carry over what was written before the profiles were rewritten', async () => {
    const { a, b, ann } = await start('between');
    interruptions.after('updateProject', async () => {
      assert.deepEqual(await profileOf(a, ann), { handle: 'old' });
      resultOf(await set(a, ann, { handle: 'new' }));
    });
    resultOf(await define(b, renamed));
    assert.deepEqual(await profileOf(a, ann), { handle: 'new' });
  });

  it('hold for whoever has read the ones before', async () => {
    const { a, b, ann } = await start('late', { ...nick, city: text });
    interruptions.before('updateUser', async () => resultOf(await define(b, { ...renamed, city: text })));
    assert.deepEqual(resultOf(await set(a, ann, { city: 'Rome' })).profile, { handle: 'old', city: 'Rome' });
    const again = { name: { ...text, renamedFrom: 'handle' }, city: text };
    interruptions.before('updateUser', async () => resultOf(await define(b, again)));
    const path = `/users/${ann.user._id}`;
    assertRefused(await a.manage('PATCH', path, { profile: { handle: 'new' } }), 400, 'profile.handle');
    assert.deepEqual(await profileOf(a, ann), { name: 'old', city: 'Rome' });
  });

  it('carry over what a user has who signs up by the ones before', async () => {
    const { a, b } = await start('joins');
    interruptions.before('createUser', async () => resultOf(await define(b, renamed)));
    const bob = await register(a, 'bob', { nick: 'Bob' });
    assert.deepEqual(await profileOf(a, bob), { handle: 'Bob' });
    resultOf(await define(b, { handle: text, city: text }));
    assert.deepEqual(resultOf(await set(a, bob, { city: 'Rome' })).profile, { handle: 'Bob', city: 'Rome' });
  });

  it('leave what others define and users set meanwhile', async () => {
    const { a, b, ann } = await start('others');
    interruptions.after('updateProject', async () => {
      resultOf(await define(a, { ...nick, age: { type: 'number' }, city: text }));
      resultOf(await set(a, ann, { city: 'Rome' }));
    });
    resultOf(await define(b, { ...nick, age: { type: 'number' } }));
    assert.deepEqual(await profileOf(b, ann), { nick: 'old', age: null, city: 'Rome' });
  });

  it('are checked against those that they replace', async () => {
    const { a, b, ann } = await start('replaced');
    interruptions.before('updateProject', async () => {
      resultOf(await define(a, { ...nick, city: text }));
      resultOf(await set(a, ann, { city: 'Rome' }));
    });
    assertRefused(await define(b, { ...nick, age: { type: 'number' } }), 409, 'city (1)');
    assert.deepEqual(await profileOf(b, ann), { nick: 'old', city: 'Rome' });
  });

  it('hold although profiles could not be rewritten, also ones of earlier versions', async () => {
    const { a, b, ann } = await start('ended');
    const early = { ...ann.user, id: uuidv7(), email: 'early@example.com', profile: { nick: 'early' } };
    const user = { ...early, disabled: false, verified: false, created: 0, updated: 0 };
    await nodes.a.catalog().useAccounts('ended', ({ store }) => store.accounts.createUser(user, ''));
    const values = async () => {
      const { found } = resultOf(await a.manage('GET', '/users')) as unknown as Listed;
      return found.map(({ profile }) => profile);
    };
    for (const [profile, name] of [
      [renamed, 'handle'],
      [{ name: { ...text, renamedFrom: 'handle' } }, 'name'],
    ] as const) {
      interruptions.before('replaceProfiles', async () => {
        throw new Failure('unavailable', 'The process has ended', { retryAfter: 1 });
      });
      assertRefused(await define(b, profile), 503);
      assert.deepEqual(await values(), [{ [name]: 'old' }, { [name]: 'early' }]);
    }
    resultOf(await a.manage('PATCH', `/users/${user.id}`, { profile: { name: 'new' } }));
    resultOf(await define(b, { name: text, city: text }));
    assert.deepEqual(await values(), [
      { name: 'old', city: null },
      { name: 'new', city: null },
    ]);
  });
});
