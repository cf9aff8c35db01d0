import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Reply, startApp, type TestApp } from '../harness.ts';
import { assertRefused, resultOf } from '../support.ts';
import { assertUnauthenticated, makePeople, type People, password, type SignedIn } from './people.ts';

let app: TestApp;
let people: People;
before(async () => {
  app = await startApp();
  people = await makePeople(app);
});
after(() => app.close());

const register = (email: string, secret = password): Promise<Reply> =>
  people.auth('POST', 'register', { email, password: secret });
const login = (email: string, secret = password): Promise<Reply> =>
  people.auth('POST', 'login', { email, password: secret });
const patchMe = ({ accessToken }: SignedIn, body: Record<string, string | number | null>) =>
  people.auth('PATCH', 'me', body, { token: accessToken });

describe('an email address', () => {
  it('is one account in whatever case it is written', async () => {
    const made = resultOf(await register('Ann.Lee@Example.COM'), 201) as unknown as SignedIn;
    assert.equal(made.user.email, 'ann.lee@example.com');
    for (const email of ['ann.lee@example.com', 'ANN.LEE@EXAMPLE.COM']) {
      assert.equal((resultOf(await login(email)) as unknown as SignedIn).user._id, made.user._id);
      assertRefused(await register(email), 409, 'email');
    }
  });

  it('is given once, also when three ask at the same moment', async () => {
    const replies = await Promise.all([1, 2, 3].map(() => register('twice@example.com')));
    assert.deepEqual(replies.map(({ status }) => status).sort(), [201, 409, 409]);
    for (const reply of replies) assert.ok(!reply.body.ok || reply.body.result.accessToken);
  });

  it('is of its project alone', async () => {
    await app.project('other');
    const body = { email: 'ann.lee@example.com', password: 'another password' };
    resultOf(await app.call('POST', '/v1/other/_auth/register', { body }), 201);
    assertUnauthenticated(await login('ann.lee@example.com', 'another password'));
  });
});

describe('a password', () => {
  const cases: [string, string, number][] = [
    ['7 characters', 'x'.repeat(7), 400],
    ['8 characters', 'x'.repeat(8), 201],
    ['256 characters', 'x'.repeat(256), 201],
    ['257 characters', 'x'.repeat(257), 400],
    ['7 characters of two code units', '🐟'.repeat(7), 400],
    ['8 characters of two code units', '🐟'.repeat(8), 201],
    ['256 characters of two code units', '🐟'.repeat(256), 201],
    ['8 spaces', ' '.repeat(8), 201],
    ['a lone surrogate', 'password\ud800', 400],
    ['U+0000', 'password\0', 400],
  ];
  for (const [index, [what, secret, status]] of cases.entries()) {
    it(`of ${what} is a ${status} everywhere it can be chosen`, async () => {
      const email = `p${index}@example.com`;
      const made = await register(email, secret);
      assert.equal(made.status, status, made.text);
      const managed = await people.manage('POST', '/users', { email: `m${email}`, password: secret });
      assert.equal(managed.status, status, managed.text);
      if (status === 400) {
        assertRefused(made, 400, 'password');
        assertRefused(managed, 400, 'password');
      } else {
        resultOf(await login(email, secret));
        resultOf(await login(`m${email}`, secret));
        assertUnauthenticated(await login(email, `${[...secret].slice(0, -1).join('')}y`));
        assertUnauthenticated(await login(email, [...secret].slice(0, -1).join('')));
      }
    });
  }

  it('must be a string', async () => {
    for (const secret of [12345678, null, ['password'], { password: 'x' }, true]) {
      const body = { email: 'typed@example.com', password: secret };
      assertRefused(await people.auth('POST', 'register', body), 400, 'password');
      assertRefused(await people.auth('POST', 'login', body), 400, 'password');
    }
  });

  it('is in no answer, nor is its hash', async () => {
    const zoe = await people.register('zoe');
    const { key } = await people.key();
    for (const reply of [
      await people.me(zoe.accessToken),
      await people.manage('GET', '/users?perPage=1000'),
      await people.manage('GET', `/users/${zoe.user._id}`, undefined, key),
      await people.manage('PATCH', `/users/${zoe.user._id}`, { name: 'Zoe' }),
    ]) {
      resultOf(reply);
      assert.doesNotMatch(reply.text, /password|argon|\$/i);
    }
  });
});

describe('PATCH _auth/me', () => {
  it('changes the name, and nothing else', async () => {
    const user = await people.register('may');
    assert.deepEqual(resultOf(await patchMe(user, { name: 'May B.' })), { ...user.user, name: 'May B.' });
    assert.deepEqual(resultOf(await people.me(user.accessToken)), { ...user.user, name: 'May B.' });
    for (const body of [
      { email: 'new@example.com' },
      { _id: 'x' },
      { workspace: 'x' },
      { disabled: 1 },
      { name: 1 },
    ]) {
      assertRefused(await patchMe(user, body as Record<string, string>), 400);
    }
    assert.deepEqual(resultOf(await people.me(user.accessToken)), { ...user.user, name: 'May B.' });
  });

  it('changes the password only with the current one, and says so', async () => {
    const user = await people.register('ned');
    assertRefused(await patchMe(user, { password: 'another password' }), 400, 'currentPassword');
    const wrong = { password: 'another password', currentPassword: 'not my password' };
    assertRefused(await patchMe(user, wrong), 400, 'currentPassword');
    assertRefused(await patchMe(user, { password: 'short', currentPassword: password }), 400, 'password');
    resultOf(await people.me(user.accessToken));
    await people.login('ned');
    assertUnauthenticated(await people.tryLogin('ned', 'another password'));
  });

  it('a new password ends every session at the very next request, and only the new one signs in', async () => {
    const user = await people.register('oda');
    const sessions = [user, await people.login('oda'), await people.login('oda')];
    const other = await people.register('pia');
    resultOf(await patchMe(user, { password: 'another password', currentPassword: password }));
    for (const { accessToken, refreshToken } of sessions) {
      assertUnauthenticated(await people.me(accessToken));
      assertUnauthenticated(await people.records('GET', 'public', undefined, { token: accessToken }));
      assertUnauthenticated(await people.refresh(refreshToken));
    }
    assertUnauthenticated(await people.tryLogin('oda'));
    assert.equal((await people.login('oda', 'another password')).user._id, user.user._id);
    resultOf(await people.me(other.accessToken));
  });

  it('is for a user: 401 without a token, 403 for a server key and the administrator', async () => {
    const { key } = await people.key();
    for (const [verb, path, body] of [
      ['GET', 'me'],
      ['PATCH', 'me', { name: 'x' }],
      ['GET', 'workspaces'],
      ['POST', 'workspaces', { name: 'x' }],
      ['POST', 'switch', { workspace: 'x' }],
      ['GET', 'workspaces/x/members'],
    ] as const) {
      assertUnauthenticated(await people.auth(verb, path, body));
      assertUnauthenticated(await people.auth(verb, path, body, { token: 'wrong' }));
      assertRefused(await people.auth(verb, path, body, { token: key }), 403);
      assertRefused(await people.auth(verb, path, body, { token: 'test-administrator-key' }), 403);
    }
  });
});
