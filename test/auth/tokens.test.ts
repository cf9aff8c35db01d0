import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { startApp, type TestApp } from '../harness.ts';
import { assertRefused, resultOf } from '../support.ts';
import {
  assertUnauthenticated,
  Clock,
  day,
  makePeople,
  minute,
  type People,
  password,
  type SignedIn,
  second,
  signedIn,
} from './people.ts';

const clock = new Clock();
let app: TestApp;
let people: People;
before(async () => {
  app = await startApp({ now: clock.now });
  people = await makePeople(app);
  await people.register('ann');
});
after(() => app.close());

const live = async ({ accessToken }: SignedIn) => (await people.me(accessToken)).status === 200;

function assertTokens(tokens: SignedIn, user: object): void {
  assert.deepEqual(Object.keys(tokens).sort(), [
    'accessToken',
    'expiresIn',
    'refreshToken',
    'tokenType',
    'user',
  ]);
  assert.deepEqual(tokens.user, user);
  assert.equal(tokens.tokenType, 'Bearer');
  assert.equal(tokens.expiresIn, 15 * 60);
  assert.equal(decodeProtectedHeader(tokens.accessToken).alg, 'HS256');
  const { exp = 0 } = decodeJwt(tokens.accessToken);
  assert.equal(exp, clock.now() / second + tokens.expiresIn);
  assert.ok(tokens.refreshToken.length >= 40, 'a refresh token is long');
  assert.doesNotMatch(JSON.stringify(decodeJwt(tokens.accessToken)), /example\.com|argon/);
}

describe('signing in', () => {
  it('register, login, refresh and switch answer the same shape, me the user alone', async () => {
    const zoe = signedInAt(
      await people.auth('POST', 'register', { email: people.email('zoe'), password }),
      201,
    );
    const user = {
      _id: zoe.user._id,
      email: 'zoe@example.com',
      name: '',
      workspace: null,
      verified: false,
      profile: {},
    };
    assertTokens(zoe, user);
    const login = await people.login('zoe');
    assertTokens(login, user);
    assertTokens(signedIn(await people.refresh(login.refreshToken)), user);
    assert.deepEqual(resultOf(await people.me(login.accessToken)), user);
    const workspace = await people.workspace(login, 'North');
    assertTokens(await people.switch(login, workspace), { ...user, workspace });
    assertTokens(await people.login('zoe'), { ...user, workspace });
    assert.deepEqual(resultOf(await people.auth('POST', 'logout', { refreshToken: login.refreshToken })), {});
  });

  it('gives every sign-in tokens of its own', async () => {
    const [one, two] = [await people.login('ann'), await people.login('ann')];
    assert.notEqual(one.refreshToken, two.refreshToken);
    assert.notEqual(one.accessToken, two.accessToken);
    resultOf(await people.auth('POST', 'logout', { refreshToken: one.refreshToken }));
    assert.ok(!(await live(one)));
    assert.ok(await live(two));
  });

  it('logging out ends the session at once: access token, refresh token, and those it was exchanged for', async () => {
    const first = await people.login('ann');
    const next = signedIn(await people.refresh(first.refreshToken));
    resultOf(await people.auth('POST', 'logout', { refreshToken: first.refreshToken }));
    for (const { accessToken, refreshToken } of [first, next]) {
      assertUnauthenticated(await people.me(accessToken));
      assertUnauthenticated(await people.refresh(refreshToken));
    }
  });

  it('answers a body that is not right with what is wrong', async () => {
    const bad: [string, string, object, number][] = [
      ['POST', 'login', {}, 400],
      ['POST', 'login', { email: 'ann@example.com', password, more: 1 }, 400],
      ['POST', 'refresh', {}, 400],
      ['POST', 'refresh', { refreshToken: 5 }, 400],
      ['POST', 'refresh', { refreshToken: 'none' }, 401],
      ['POST', 'logout', {}, 400],
      ['POST', 'register', { email: 'not an address', password }, 400],
      ['POST', 'register', { password }, 400],
      ['POST', 'register', { email: 'x@example.com' }, 400],
      ['POST', 'register', { email: 'x@example.com', password, workspace: 'x' }, 400],
      ['POST', 'register', { email: 'x@example.com', password, disabled: false }, 400],
    ];
    for (const [verb, path, body, status] of bad) {
      assertRefused(await people.auth(verb, path, body as Record<string, string>), status);
    }
    assertRefused(await people.auth('GET', 'login'), 405);
    assertRefused(await people.auth('POST', 'nothing', {}), 404);
    assertRefused(
      await app.call('POST', '/v1/none/_auth/login', { body: { email: 'a@b.de', password } }),
      404,
    );
  });
});

function signedInAt(reply: Parameters<typeof resultOf>[0], status: number): SignedIn {
  return resultOf(reply, status) as unknown as SignedIn;
}

describe('a refresh token', () => {
  it('is spent by use: the new one works, and the session goes on', async () => {
    let tokens = await people.login('ann');
    for (let turn = 0; turn < 3; turn++) {
      const next = signedIn(await people.refresh(tokens.refreshToken));
      assert.notEqual(next.refreshToken, tokens.refreshToken);
      assert.ok(await live(next));
      clock.move(minute);
      tokens = next;
    }
  });

  it('used again after the grace revokes the whole family, access tokens too, and no other', async () => {
    const first = await people.login('ann');
    const other = await people.login('ann');
    const next = signedIn(await people.refresh(first.refreshToken));
    const third = signedIn(await people.refresh(next.refreshToken));
    clock.move(10 * second + 1);
    assert.ok(await live(third));
    assertUnauthenticated(await people.refresh(first.refreshToken));
    for (const tokens of [first, next, third]) {
      assertUnauthenticated(await people.me(tokens.accessToken));
      assertUnauthenticated(await people.refresh(tokens.refreshToken));
    }
    assert.ok(await live(other));
    signedIn(await people.refresh(other.refreshToken));
  });

  it('used again within the grace gives tokens of the same family', async () => {
    const first = await people.login('ann');
    const next = signedIn(await people.refresh(first.refreshToken));
    clock.move(9 * second);
    const again = signedIn(await people.refresh(first.refreshToken));
    assert.ok((await live(next)) && (await live(again)) && (await live(first)));
    const later = signedIn(await people.refresh(next.refreshToken));
    resultOf(await people.auth('POST', 'logout', { refreshToken: again.refreshToken }));
    assert.ok(!(await live(later)), 'the family is one');
  });

  it('the grace counts from the first use, however often it is used within', async () => {
    const first = await people.login('ann');
    const next = signedIn(await people.refresh(first.refreshToken));
    for (const wait of [4, 4]) {
      clock.move(wait * second);
      signedIn(await people.refresh(first.refreshToken));
    }
    clock.move(3 * second);
    assertUnauthenticated(await people.refresh(first.refreshToken));
    assert.ok(!(await live(next)));
  });

  it('two tabs that refresh at the same moment both go on', async () => {
    const first = await people.login('ann');
    const replies = await Promise.all([1, 2].map(() => people.refresh(first.refreshToken)));
    const [one, two] = replies.map(signedIn);
    assert.ok(one && two);
    assert.notEqual(one.refreshToken, two.refreshToken);
    clock.move(minute);
    for (const tab of [one, two]) {
      assert.ok(await live(tab));
      assert.ok(await live(signedIn(await people.refresh(tab.refreshToken))));
    }
  });

  it('expires after 30 days; every exchange starts them anew', async () => {
    const first = await people.login('ann');
    clock.move(30 * day - second);
    const next = signedIn(await people.refresh(first.refreshToken));
    clock.move(30 * day - second);
    const third = signedIn(await people.refresh(next.refreshToken));
    clock.move(30 * day);
    assertUnauthenticated(await people.refresh(third.refreshToken));
  });

  it("is none of another project's", async () => {
    await app.project('elsewhere');
    const { refreshToken } = await people.login('ann');
    const body = { refreshToken };
    assertUnauthenticated(await app.call('POST', '/v1/elsewhere/_auth/refresh', { body }));
    resultOf(await app.call('POST', '/v1/elsewhere/_auth/logout', { body }));
    signedIn(await people.refresh(refreshToken));
  });
});

describe('an access token', () => {
  it('expires after 15 minutes, also where it was in use all the time', async () => {
    const tokens = await people.login('ann');
    clock.move(15 * minute - second);
    assert.ok(await live(tokens));
    clock.move(second);
    assertUnauthenticated(await people.me(tokens.accessToken));
    assertUnauthenticated(await people.records('GET', 'public', undefined, { token: tokens.accessToken }));
    assert.ok(await live(signedIn(await people.refresh(tokens.refreshToken))));
  });

  it('is good over a restart, and so are refresh tokens and keys', async () => {
    const tokens = await people.login('ann');
    const { key } = await people.key();
    await app.reopen();
    assert.ok(await live(tokens));
    signedIn(await people.refresh(tokens.refreshToken));
    resultOf(await people.records('GET', 'user', undefined, { token: key }));
  });
});
