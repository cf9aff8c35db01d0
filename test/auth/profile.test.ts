import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { profileOf as profileBy } from '../../src/auth/profile.ts';
import type { JsonObject } from '../../src/model/json.ts';
import { startApp, type TestApp } from '../harness.ts';
import { asAdmin, assertRefused, type Listed, resultOf } from '../support.ts';
import { People, password, type SignedIn } from './people.ts';

let app: TestApp;
before(async () => {
  app = await startApp();
});
after(() => app.close());

const fields = {
  city: { type: 'text', maxLength: 20, label: 'City' },
  age: { type: 'number', min: 0, integer: true },
  tags: { type: 'list', of: { type: 'text' }, maxItems: 2 },
  news: { type: 'boolean', default: true },
  plan: { type: 'text', options: ['free', 'pro'], default: 'free', write: 'server' },
};
const unset = { city: null, age: null, tags: [], news: true, plan: 'free' };

/** A project with these fields. */
async function project(id: string, profile: JsonObject = fields): Promise<People> {
  const body = { id, auth: { profile } };
  resultOf(await app.call('POST', '/v1/_admin/projects', { ...asAdmin, body }), 201);
  return new People(app, id);
}

const change = (people: People, profile: JsonObject, query = '') =>
  app.call('PATCH', `/v1/_admin/projects/${people.project}${query}`, {
    ...asAdmin,
    body: { auth: { profile } },
  });

const profileOf = (reply: Record<string, unknown>) => (reply as unknown as { profile: JsonObject }).profile;
const own = async (people: People, { accessToken }: SignedIn) =>
  profileOf(resultOf(await people.me(accessToken)));

describe('profile fields', () => {
  it('that are none hold nobody up, however many are sent without a token', async () => {
    const many = Array.from({ length: 100 }, (_, at) => [`field${at}abcdef`, { type: 'text' }]);
    const people = await project('many', Object.fromEntries(many));
    const sent = Array.from({ length: 19_000 }, (_, at) => [`fedcba${at}dleif`, 'x']);
    const body = { email: 'x@example.com', password, profile: Object.fromEntries(sent) };
    const start = process.cpuUsage();
    const reply = await app.call('POST', `/v1/${people.project}/_auth/register`, { body });
    assertRefused(reply, 400, 'profile.fedcba0dleif: is not a field of the profile');
    const { user, system } = process.cpuUsage(start);
    assert.ok(user + system < 3_000_000, `${user + system} µs`);
  });

  it('are in the language of collection fields, without relations and unique values', async () => {
    const people = await project('language');
    const shown = resultOf(await app.call('GET', '/v1/_admin/projects/language', asAdmin)).auth;
    assert.deepEqual((shown as JsonObject).profile, fields);
    const refused: [JsonObject, string][] = [
      [{ x: { type: 'relation', to: 'y' } }, 'auth.profile.x.type'],
      [{ x: { type: 'text', unique: true } }, 'auth.profile.x.unique'],
      [{ x: { type: 'text', write: 'user' } }, 'auth.profile.x.write'],
      [{ x: { type: 'string' } }, 'auth.profile.x.type: must be one of'],
      [{ x: { type: 'text', write: 'server', required: true } }, 'auth.profile.x.default'],
      [{ x: { type: 'number', default: 'one' } }, 'auth.profile.x.default'],
      [{ _x: { type: 'text' } }, 'auth.profile._x'],
      [{ x: { type: 'text', renamedFrom: 'nothing' } }, 'auth.profile.x.renamedFrom'],
    ];
    for (const [profile, at] of refused) assertRefused(await change(people, profile), 400, at);
    const listed = await app.call('PATCH', '/v1/_admin/projects/language', {
      ...asAdmin,
      body: { auth: { profile: [] } },
    });
    assertRefused(listed, 400, 'auth.profile');
  });

  it("are in the user, from sign-up on, and are set by the validator's rules", async () => {
    const people = await project('own');
    const body = { email: 'ann@example.com', password, profile: { city: 'Oslo', tags: ['a'] } };
    const ann = resultOf(await people.auth('POST', 'register', body), 201) as unknown as SignedIn;
    const made = { ...unset, city: 'Oslo', tags: ['a'] };
    assert.deepEqual(profileOf(ann.user as unknown as Record<string, unknown>), made);
    assert.deepEqual(await own(people, ann), made);
    const token = { token: ann.accessToken };
    const patched = await people.auth('PATCH', 'me', { profile: { age: 40, city: null } }, token);
    assert.deepEqual(profileOf(resultOf(patched)), { ...made, age: 40, city: null });
    const faults: [JsonObject, string][] = [
      [{ age: 1.5 }, 'profile.age'],
      [{ age: '5' }, 'profile.age'],
      [{ tags: ['a', 'b', 'c'] }, 'profile.tags'],
      [{ citty: 'x' }, "profile.citty: is not a field of the profile, did you mean 'city'?"],
      [{ plan: 'pro' }, 'profile.plan: is set by the server alone'],
      [{ _id: 'x' }, 'profile._id'],
      [{ __proto__: null, constructor: 'x' }, 'profile.constructor'],
    ];
    for (const [profile, at] of faults) {
      assertRefused(await people.auth('PATCH', 'me', { profile }, token), 400, at);
      const other = { email: 'other@example.com', password, profile };
      assertRefused(await people.auth('POST', 'register', other), 400, at);
    }
    for (const profile of ['x', null, []]) {
      assertRefused(await people.auth('PATCH', 'me', { profile }, token), 400, 'profile');
    }
    assert.equal((await own(people, ann)).plan, 'free');
  });

  it('that the server writes are set by keys and management, and read by the user', async () => {
    const people = await project('server');
    const ann = await people.register('ann');
    const { key } = await people.key();
    const path = `/users/${ann.user._id}`;
    for (const [token, plan] of [
      [key, 'pro'],
      [undefined, 'free'],
      [key, 'pro'],
    ] as const) {
      const reply = await people.manage('PATCH', path, { profile: { plan } }, token);
      assert.equal(profileOf(resultOf(reply)).plan, plan);
      assert.equal((await own(people, ann)).plan, plan);
    }
    assertRefused(await people.manage('PATCH', path, { profile: { plan: 'gold' } }), 400, 'profile.plan');
    const body = { email: 'bob@example.com', password, profile: { plan: 'pro', city: 'Rome' } };
    const bob = resultOf(await people.manage('POST', '/users', body, key), 201);
    assert.deepEqual(profileOf(bob), { ...unset, plan: 'pro', city: 'Rome' });
    const { found } = resultOf(await people.manage('GET', '/users')) as unknown as Listed;
    assert.deepEqual(
      found.map((user) => profileOf(user).plan),
      ['pro', 'pro'],
    );
  });

  it('of whoever signed up without any have the defaults, written as those of others', () => {
    const since = { type: 'datetime', default: '2026-01-01' };
    const { shown, empty } = profileBy({ profile: { since } });
    assert.deepEqual(shown(empty), { since: '2026-01-01T00:00:00.000Z' });
  });

  it('that are required are asked for at sign-up', async () => {
    const people = await project('needed', { city: { type: 'text', required: true } });
    const body = { email: 'ann@example.com', password };
    assertRefused(await people.auth('POST', 'register', body), 400, 'profile.city: is required');
    const made = await people.auth('POST', 'register', { ...body, profile: { city: 'Oslo' } });
    assert.equal(made.status, 201);
  });

  it('changed at the same moment do not lose each other', async () => {
    const people = await project('together');
    const { accessToken: token, ...ann } = await people.register('ann');
    await Promise.all(
      [{ city: 'Oslo' }, { age: 3 }, { news: false }].map((profile) =>
        people.auth('PATCH', 'me', { profile }, { token }),
      ),
    );
    assert.deepEqual(await own(people, { ...ann, accessToken: token }), {
      ...unset,
      ...{ city: 'Oslo', age: 3, news: false },
    });
  });
});

describe('other definitions of profile fields', () => {
  let people: People;
  let ann: SignedIn;
  before(async () => {
    people = await project('changing');
    ann = await people.register('ann');
    await people.register('bob');
    const profile = { city: 'Oslo', age: 40, tags: ['a', 'b'] };
    resultOf(await people.auth('PATCH', 'me', { profile }, { token: ann.accessToken }));
  });

  it('carry values along, under other names and types too', async () => {
    const { city, age, ...rest } = fields;
    const renamed = { ...rest, town: { ...city, renamedFrom: 'city' }, age: { type: 'text' } };
    const { auth } = resultOf(await change(people, renamed)) as { auth: JsonObject };
    assert.equal('renamedFrom' in ((auth.profile as JsonObject).town as JsonObject), false);
    assert.deepEqual(await own(people, ann), {
      ...{ town: 'Oslo', age: '40', tags: ['a', 'b'], news: true, plan: 'free' },
    });
    resultOf(await change(people, renamed)); // once more changes nothing
    assert.equal((await own(people, ann)).town, 'Oslo');
  });

  it('that lose values must be confirmed, and what is lost stays lost', async () => {
    const { city, age, ...rest } = fields;
    const without = { ...rest, age: { type: 'text' } };
    assertRefused(await change(people, without), 409, 'town (1)');
    assert.equal((await own(people, ann)).town, 'Oslo');
    resultOf(await change(people, without, '?confirm=destructive'));
    resultOf(await change(people, { ...without, town: { type: 'text' } }));
    assert.equal((await own(people, ann)).town, null);
    assertRefused(await change(people, without, '?confirm=yes'), 400, 'confirm');
  });

  it('that users contradict are refused, with whom', async () => {
    const tight = { tags: { type: 'list', of: { type: 'text' }, maxItems: 1 }, age: { type: 'text' } };
    const reply = await change(people, { ...fields, ...tight }, '?confirm=destructive');
    assertRefused(reply, 409, `1 users contradict it: ${ann.user._id} (tags: `);
    const needed = { town: { type: 'text', required: true }, age: { type: 'text' } };
    assertRefused(await change(people, { ...fields, ...needed }, '?confirm=destructive'), 409, '2 users');
    const given = { town: { type: 'text', required: true, default: 'Rome' } };
    const { age: _, ...rest } = fields;
    assertRefused(await change(people, { ...rest, ...given }, '?confirm=destructive'), 409, '2 users');
  });

  it('may ask for items of a list that is not required, of which some users have none', async () => {
    const { city, age, ...rest } = fields;
    const tags = { type: 'list', of: { type: 'text' }, minItems: 1 };
    resultOf(await change(people, { ...rest, age: { type: 'text' }, tags }, '?confirm=destructive'));
    assert.deepEqual((await own(people, ann)).tags, ['a', 'b']);
  });
});

describe('management finds users', () => {
  it('by words of any script in address and name, and by address', async () => {
    const people = await project('found', {});
    const add = (email: string, name: string) =>
      people.manage('POST', '/users', { email, password, name }).then((reply) => resultOf(reply, 201));
    await add('aerger@example.com', 'Änne ÄRGER');
    await add('jo_hn@example.com', 'John  Smith');
    await add('john@other.example', 'Ὀδυσσεύς');
    const names = async (query: string) => {
      const { found } = resultOf(await people.manage('GET', `/users?${query}`)) as unknown as Listed;
      return found.map(({ email }) => email);
    };
    const search = (words: string) => names(`search=${encodeURIComponent(words)}`);
    assert.deepEqual(await search('ärger'), ['aerger@example.com']);
    assert.deepEqual(await search('ÄRGER änne'), ['aerger@example.com']);
    assert.deepEqual(await search('smith john'), ['jo_hn@example.com']);
    assert.deepEqual(await search('"john smith"'), ['jo_hn@example.com']);
    assert.deepEqual(await search('"smith john"'), []);
    assert.deepEqual(await search('ὈΔΥΣΣΕΎΣ'), ['john@other.example']);
    assert.deepEqual(await search('john EXAMPLE'), ['jo_hn@example.com', 'john@other.example']);
    assert.deepEqual(await search('jo_'), ['jo_hn@example.com']);
    assert.equal((await search('')).length, 3);
    assert.deepEqual(await names('email=JOHN@other.example'), ['john@other.example']);
    assert.deepEqual(await names('email=john'), []);
    const [one] = (resultOf(await people.manage('GET', '/users?search=smith')) as unknown as Listed).found;
    resultOf(await people.manage('PATCH', `/users/${one?._id}`, { name: 'Jane' }));
    assert.deepEqual(await search('smith'), []);
    assert.deepEqual(await search('JANE'), ['jo_hn@example.com']);
  });
});
