import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { totpCode } from '../../src/access/totp.ts';
import type { JsonObject } from '../../src/model/json.ts';
import { type Reply, startApp, type TestApp } from '../harness.ts';
import { asAdmin, assertRefused, type Listed, resultOf } from '../support.ts';
import { Interruptions } from './interruptions.ts';
import { Browser, client, RealProvider, redirect } from './oidc-world.ts';
import { assertUnauthenticated, Clock, minute, People, password, signedIn } from './people.ts';

const clock = new Clock();
const interruptions = new Interruptions();
const here = 'http://127.0.0.1';
let app: TestApp;
let one: RealProvider;
let two: RealProvider;
let people: People;

const callbackOf = (provider: string) => `${here}/v1/app/_auth/oidc/${provider}/callback`;

before(async () => {
  app = await startApp({ now: clock.now, wrap: interruptions.wrap });
  one = await RealProvider.start(() => [callbackOf('one')]);
  two = await RealProvider.start(() => [callbackOf('two')]);
  const body = { id: 'app', auth: { providers: providers(), redirects: [redirect] } };
  resultOf(await app.call('POST', '/v1/_admin/projects', { ...asAdmin, body }), 201);
  people = new People(app, 'app');
});
after(async () => {
  await Promise.all([one.stop(), two.stop()]);
  await app.close();
});

const providers = (): JsonObject[] => [
  { id: 'one', name: 'The One', issuer: one.issuer, clientId: client.id, clientSecret: client.secret },
  { id: 'two', issuer: two.issuer, clientId: client.id, clientSecret: client.secret },
];

interface Secret {
  readonly verifier: string;
  readonly challenge: string;
}

function secret(): Secret {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
}

const startOf = (provider: string, query: Record<string, string>) =>
  `${here}/v1/app/_auth/oidc/${provider}?${new URLSearchParams(query)}`;

const exchange = (code: string, verifier: string) => people.auth('POST', 'exchange', { code, verifier });

/** Asks for the address that links another one. */
async function link(body: JsonObject, { token }: { token: string }): Promise<Reply> {
  const response = await app.fetch(
    new Request(`${here}/v1/app/_auth/oidc/one`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  );
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: JSON.parse(text) };
}

/** All of a sign-in, up to what `exchange` answers. */
async function signIn(provider: RealProvider, login: string, start?: string): Promise<Reply> {
  const { verifier, challenge } = secret();
  const address = start ?? startOf(provider === one ? 'one' : 'two', { redirect, challenge });
  const { url, text } = await new Browser(app).signIn(address, login);
  assert.equal(url.searchParams.get('error'), null, `${url} ${text}`);
  return exchange(url.searchParams.get('code') ?? '', verifier);
}

describe('signing in with a provider', () => {
  it('makes an account the first time, and finds it again', async () => {
    one.people.set('ann', { email: 'Ann@Example.com', email_verified: true, name: 'Ann' });
    const first = signedIn(await signIn(one, 'ann'));
    assert.deepEqual(
      [first.user.email, first.user.name, (first.user as unknown as JsonObject).verified],
      ['ann@example.com', 'Ann', true],
    );
    one.people.set('ann', { email: 'moved@example.com', email_verified: true, name: 'Other' });
    const again = signedIn(await signIn(one, 'ann'));
    assert.equal(again.user._id, first.user._id); // an identity is never an address
    assert.equal(again.user.email, 'ann@example.com');
    assertUnauthenticated(await people.tryLogin('ann', ''.padEnd(8)));
    assertUnauthenticated(await people.tryLogin('ann', 'a password that nobody has'));
    const list = resultOf(await people.auth('GET', 'providers')) as unknown as Listed;
    assert.deepEqual(list.found as unknown, [
      { id: 'one', name: 'The One' },
      { id: 'two', name: 'two' },
    ]);
  });

  it('gives a code that works once, for a minute, and with its verifier alone', async () => {
    one.people.set('bea', { email: 'bea@example.com', email_verified: true, name: 'Bea' });
    const browser = new Browser(app);
    const arrive = async ({ challenge }: Secret) => {
      const { url } = await browser.signIn(startOf('one', { redirect, challenge }), 'bea');
      assert.equal(url.searchParams.get('from'), 'here');
      return url.searchParams.get('code') ?? '';
    };
    const mine = secret();
    const stolen = await arrive(mine);
    assertUnauthenticated(await exchange(stolen, secret().verifier));
    assertUnauthenticated(await exchange(stolen, mine.verifier)); // whoever tried has spent it
    const good = await arrive(mine);
    const replies = await Promise.all([exchange(good, mine.verifier), exchange(good, mine.verifier)]);
    assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 401]);
    const late = await arrive(mine);
    clock.move(minute);
    assertUnauthenticated(await exchange(late, mine.verifier));
    for (const token of [late, good]) assertUnauthenticated(await people.me(token));
  });

  it('comes back to an exact address alone', async () => {
    const { challenge } = secret();
    for (const to of [
      '',
      'https://evil.example/',
      `${redirect}&more=1`,
      `${redirect}#x`,
      'http://127.0.0.1:4000/signed-in',
      'http://127.0.0.1:4000/signed-in?from=here/../..',
      'HTTP://127.0.0.1:4000/signed-in?from=here',
    ]) {
      const response = await app.fetch(new Request(startOf('one', { redirect: to, challenge })));
      assert.equal(response.status, 400, to);
      assert.equal(response.headers.get('location'), null);
      assert.match(response.headers.get('content-type') ?? '', /^text\/html/);
      assert.doesNotMatch(await response.text(), /evil/);
    }
    const short = await app.fetch(new Request(startOf('one', { redirect, challenge: 'x' })));
    assert.equal(short.headers.get('location'), `${redirect}&error=invalid_challenge`);
    assert.equal((await app.fetch(new Request(startOf('none', { redirect, challenge })))).status, 404);
  });

  it('knows no state that it did not give out, of another provider, or twice', async () => {
    const { challenge } = secret();
    const response = await app.fetch(new Request(startOf('one', { redirect, challenge })));
    const to = new URL(response.headers.get('location') ?? '');
    assert.equal(response.headers.get('set-cookie'), null);
    for (const name of ['state', 'nonce', 'code_challenge']) assert.ok(to.searchParams.get(name), name);
    assert.equal(to.searchParams.get('code_challenge_method'), 'S256');
    assert.equal(to.searchParams.get('redirect_uri'), callbackOf('one'));
    const state = to.searchParams.get('state') ?? '';
    const back = (provider: string, query: Record<string, string>) =>
      app.fetch(new Request(`${callbackOf(provider)}?${new URLSearchParams(query)}`));
    assert.equal((await back('one', { code: 'x', state: 'made up' })).status, 400);
    assert.equal((await back('two', { code: 'x', state })).status, 400); // it is spent by that
    assert.equal((await back('one', { code: 'x', state })).status, 400);
    const next = new URL(
      (await app.fetch(new Request(startOf('one', { redirect, challenge })))).headers.get('location') ?? '',
    );
    const denied = { error: '<script>', state: next.searchParams.get('state') ?? '' };
    assert.equal((await back('one', denied)).headers.get('location'), `${redirect}&error=provider_error`);
    const late = await app.fetch(new Request(startOf('one', { redirect, challenge })));
    clock.move(10 * minute);
    const old = new URL(late.headers.get('location') ?? '').searchParams.get('state') ?? '';
    assert.equal((await back('one', { error: 'access_denied', state: old })).status, 400);
  });

  it('goes on when the provider has other keys, and says so when it is gone', async () => {
    one.people.set('cid', { email: 'cid@example.com', email_verified: true, name: 'Cid' });
    const { user } = signedIn(await signIn(one, 'cid'));
    await one.rotateKeys();
    assert.equal(signedIn(await signIn(one, 'cid')).user._id, user._id);
    const gone = await RealProvider.start(() => []);
    await gone.stop();
    const provider = { id: 'gone', issuer: gone.issuer, clientId: 'x', clientSecret: 'x' };
    const path = '/v1/_admin/projects/lost';
    const auth = { providers: [provider], redirects: [redirect] };
    resultOf(await app.call('POST', '/v1/_admin/projects', { ...asAdmin, body: { id: 'lost', auth } }), 201);
    const start = `${here}/v1/lost/_auth/oidc/gone?${new URLSearchParams({ redirect, ...secret() })}`;
    const response = await app.fetch(new Request(start.replace(/&verifier=[^&]*/, '')));
    assert.equal(response.headers.get('location'), `${redirect}&error=provider_unavailable`);
    app.errors.length = 0;
    resultOf(await app.call('DELETE', `${path}?confirm=destructive`, asAdmin));
  });

  it('needs the address of the server, which no Host can set', async () => {
    const { challenge } = secret();
    const start = startOf('one', { redirect, challenge }).replace('127.0.0.1', 'evil.example');
    assert.equal((await app.fetch(new Request(start))).status, 501);
  });
});

describe('an account of a provider and one of here', () => {
  it('with one address are one where both are verified, whoever the provider is', async () => {
    const dan = await people.register('dan');
    resultOf(await people.manage('PATCH', `/users/${dan.user._id}`, { verified: true }));
    for (const provider of [one, two]) {
      provider.people.set('dan', { email: 'dan@example.com', email_verified: true, name: 'Dan' });
      assert.equal(signedIn(await signIn(provider, 'dan')).user._id, dan.user._id);
    }
    const token = { token: dan.accessToken };
    const { total } = resultOf(await people.auth('GET', 'identities', undefined, token));
    assert.equal(total, 2);
  });

  it('are not joined where somebody else may have registered with the address before', async () => {
    const attacker = await people.register('victim'); // with a password that they know
    one.people.set('victim', { email: 'victim@example.com', email_verified: true, name: 'V' });
    assertRefused(await signIn(one, 'victim'), 409, 'not verified');
    const token = { token: attacker.accessToken };
    assert.equal(resultOf(await people.auth('GET', 'identities', undefined, token)).total, 0);
  });

  it('are not joined where the provider has not verified the address', async () => {
    const eve = await people.register('eve');
    resultOf(await people.manage('PATCH', `/users/${eve.user._id}`, { verified: true }));
    for (const email_verified of [false, 'true', 1, null] as unknown as boolean[]) {
      one.people.set('eve', { email: 'eve@example.com', email_verified, name: 'E' });
      assertRefused(await signIn(one, 'eve'), 409, 'provider has not verified');
    }
  });

  it('are not made where registration is closed, and a disabled one does not sign in', async () => {
    const project = '/v1/_admin/projects/app';
    const set = (registration: string) =>
      app.call('PATCH', project, { ...asAdmin, body: { auth: { registration } } });
    one.people.set('fay', { email: 'fay@example.com', email_verified: true, name: 'Fay' });
    resultOf(await set('closed'));
    assertRefused(await signIn(one, 'fay'), 403);
    resultOf(await set('open'));
    const { user } = signedIn(await signIn(one, 'fay'));
    resultOf(await people.manage('PATCH', `/users/${user._id}`, { disabled: true }));
    assertUnauthenticated(await signIn(one, 'fay'));
    two.people.set('fay', { email: user.email, email_verified: true, name: 'Fay' });
    const elsewhere = await signIn(two, 'fay'); // which would be joined
    assertUnauthenticated(elsewhere);
    assertRefused(elsewhere, 401, "can't sign in");
  });

  it('are linked by whoever is signed in, and unlinked, but for the last way in', async () => {
    const gus = await people.register('gus');
    const token = { token: gus.accessToken };
    one.people.set('other-gus', { email: 'g@other.example', email_verified: false, name: 'G' });
    const mine = secret();
    const asked = await link({ redirect, challenge: mine.challenge }, token);
    const { url } = resultOf(asked);
    const came = await new Browser(app).signIn(String(url), 'other-gus');
    const code = came.url.searchParams.get('code') ?? '';
    // Whoever is led to the address of somebody else links nothing: they have not got the verifier.
    const before = resultOf(await people.auth('GET', 'identities', undefined, token));
    assert.equal(before.total, 0);
    const linked = signedIn(await exchange(code, mine.verifier));
    assert.equal(linked.user._id, gus.user._id);
    assert.equal(signedIn(await signIn(one, 'other-gus')).user._id, gus.user._id);
    const { found } = resultOf(await people.auth('GET', 'identities', undefined, token)) as unknown as Listed;
    const [identity] = found;
    assert.deepEqual([identity?.provider, identity?.email], ['one', 'g@other.example']);
    const other = await people.register('hal');
    const path = `identities/${identity?._id}`;
    assertRefused(await people.auth('DELETE', path, undefined, { token: other.accessToken }), 404);
    resultOf(await people.auth('DELETE', path, undefined, token));
    one.people.set('ida', { email: 'ida@example.com', email_verified: true, name: 'Ida' });
    const ida = signedIn(await signIn(one, 'ida'));
    const own = { token: ida.accessToken };
    const last = (resultOf(await people.auth('GET', 'identities', undefined, own)) as unknown as Listed)
      .found[0];
    assertRefused(await people.auth('DELETE', `identities/${last?._id}`, undefined, own), 409);
    for (const body of [
      { redirect: 'https://evil.example', challenge: mine.challenge },
      { redirect, challenge: 'x' },
    ]) {
      assertRefused(await link(body, token), 400);
    }
    // Somebody who signed out meanwhile links nothing.
    const again = resultOf(await link({ redirect, challenge: mine.challenge }, token));
    const later = await new Browser(app).signIn(String(again.url), 'other-gus');
    resultOf(await people.auth('POST', 'logout', { refreshToken: gus.refreshToken }));
    assertUnauthenticated(await exchange(later.url.searchParams.get('code') ?? '', mine.verifier));
  });

  it('stay where the other way in is a provider that the project has no more', async () => {
    const person = { email: 'uma@example.com', email_verified: true, name: 'Uma' };
    one.people.set('uma', person);
    two.people.set('uma', person);
    signedIn(await signIn(two, 'uma'));
    const own = { token: signedIn(await signIn(one, 'uma')).accessToken };
    const { found } = resultOf(await people.auth('GET', 'identities', undefined, own)) as unknown as Listed;
    assert.deepEqual(found.map(({ provider }) => provider).toSorted(), ['one', 'two']);
    const remove = (provider: string) => {
      const id = found.find((identity) => identity.provider === provider)?._id;
      return people.auth('DELETE', `identities/${id}`, undefined, own);
    };
    const change = (known: JsonObject[]) => people.manage('PATCH', '', { auth: { providers: known } });
    const [first = {}, second = {}] = providers();
    resultOf(await change([first]));
    assertRefused(await remove('one'), 409, 'only way');
    resultOf(await change([first, { ...second, id: 'other-name' }]));
    resultOf(await remove('one'));
    resultOf(await change([first, second]));
    assertRefused(await remove('two'), 409, 'only way');
  });

  it('are not linked by whoever loses the sign-in in the very moment', async () => {
    const pia = await people.register('pia');
    one.people.set('thief', { email: 'thief@example.com', email_verified: true, name: 'T' });
    const mine = secret();
    const { url } = resultOf(await link({ redirect, challenge: mine.challenge }, { token: pia.accessToken }));
    const came = await new Browser(app).signIn(String(url), 'thief');
    const body = { password: 'another horse' };
    interruptions.before('addIdentity', async () =>
      resultOf(await people.manage('PATCH', `/users/${pia.user._id}`, body)),
    );
    assertUnauthenticated(await exchange(came.url.searchParams.get('code') ?? '', mine.verifier));
    const { accessToken } = signedIn(
      await people.auth('POST', 'login', { email: people.email('pia'), ...body }),
    );
    const { total } = resultOf(await people.auth('GET', 'identities', undefined, { token: accessToken }));
    assert.equal(total, 0);
  });

  it('sign nobody in who came by one that was unlinked meanwhile, before a second factor too', async () => {
    const person = { email: 'noa@example.com', email_verified: true, name: 'Noa' };
    const { user, accessToken } = await people.register('noa');
    resultOf(await people.manage('PATCH', `/users/${user._id}`, { verified: true }));
    const token = { token: accessToken };
    const unlink = async () => {
      const { found } = resultOf(
        await people.auth('GET', 'identities', undefined, token),
      ) as unknown as Listed;
      const id = found.find(({ provider }) => provider === 'one')?._id;
      resultOf(await people.auth('DELETE', `identities/${id}`, undefined, token));
    };
    for (const provider of [one, two]) {
      provider.people.set('noa', person);
      signedIn(await signIn(provider, 'noa'));
    }
    interruptions.before('openSession', unlink);
    assertUnauthenticated(await signIn(one, 'noa'));
    const own = resultOf(await people.auth('POST', 'totp', undefined, token));
    const half = async (provider: RealProvider) =>
      String(resultOf(await signIn(provider, 'noa')).factorToken);
    const code = (steps: number) => totpCode(String(own.secret), Math.floor(clock.now() / 30_000) + steps);
    resultOf(await people.auth('POST', 'totp/confirm', { code: code(-1) }, token));
    const factorToken = await half(one);
    await unlink();
    assertUnauthenticated(await people.auth('POST', 'login/totp', { factorToken, code: code(0) }));
    const other = { factorToken: await half(two), code: code(1) };
    signedIn(await people.auth('POST', 'login/totp', other));
  });

  it('are linked by whoever knows the password or has just signed in, not by who found a session open', async () => {
    const lea = await people.register('lea');
    const token = { token: lea.accessToken };
    const { challenge } = secret();
    clock.move(5 * minute + 1);
    assertRefused(await link({ redirect, challenge }, token), 403, 'currentPassword');
    for (const [currentPassword, why] of [
      ['not the password', 'is not your password'],
      ['x'.repeat(257), 'must be at most 256'],
    ] as const) {
      const reply = await link({ redirect, challenge, currentPassword }, token);
      assertRefused(reply, 400, `currentPassword: ${why}`);
    }
    resultOf(await link({ redirect, challenge, currentPassword: password }, token));
    resultOf(await link({ redirect, challenge }, { token: (await people.login('lea')).accessToken }));
    // Without a password a link would be a new sign-in, and that the proof for everything else.
    two.people.set('max', { email: 'max@example.com', email_verified: true, name: 'Max' });
    const max = signedIn(await signIn(two, 'max'));
    resultOf(await link({ redirect, challenge }, { token: max.accessToken }));
    clock.move(5 * minute + 1);
    assertRefused(await link({ redirect, challenge }, { token: max.accessToken }), 403, 'sign in again');
  });

  it('without a password a sign-in of the last five minutes is the proof', async () => {
    two.people.set('jim', { email: 'jim@example.com', email_verified: true, name: 'Jim' });
    const jim = signedIn(await signIn(two, 'jim'));
    clock.move(5 * minute + 1);
    const set = (token: string) => people.auth('PATCH', 'me', { password }, { token });
    assertRefused(await set(jim.accessToken), 403, 'sign in again');
    // Another workspace is no other sign-in.
    const workspace = await people.workspace(jim, 'North');
    assertRefused(await set((await people.switch(jim, workspace)).accessToken), 403);
    resultOf(await set(signedIn(await signIn(two, 'jim')).accessToken));
    await people.login('jim');
  });
});

describe('the settings of providers', () => {
  const path = '/v1/_admin/projects/app';
  const patch = (auth: JsonObject) => app.call('PATCH', path, { ...asAdmin, body: { auth } });

  it('never tell a secret, keep it where none is given, and send it to no other issuer', async () => {
    const told = await app.call('GET', path, asAdmin);
    assert.ok(!told.text.includes(client.secret));
    const { providers } = resultOf(told).auth as { providers: JsonObject[] };
    assert.equal((await patch({ providers: providers as never })).text.includes(client.secret), false);
    one.people.set('kim', { email: 'kim@example.com', email_verified: true, name: 'Kim' });
    signedIn(await signIn(one, 'kim'));
    const moved = providers.map((provider) => ({ ...provider, issuer: 'https://evil.example' }));
    assertRefused(await patch({ providers: moved as never }), 400, 'providers[0].clientSecret: is required');
  });

  it('that make no sense are refused', async () => {
    const good = { id: 'x', issuer: 'https://id.example', clientId: 'a', clientSecret: 'b' };
    for (const change of [
      { issuer: 'http://id.example' },
      { issuer: 'https://id.example?x=1' },
      { issuer: 'file:///etc/passwd' },
      { id: 'X Y' },
      { clientId: '' },
      { more: 1 },
    ]) {
      assertRefused(await patch({ providers: [{ ...good, ...change }] }), 400, 'auth.providers[0]');
    }
    assertRefused(await patch({ providers: [good, good] }), 400, 'twice');
    for (const to of ['javascript:alert(1)', 'http://app.example/', 'https://a.example/#x', '/x', 5]) {
      assertRefused(await patch({ redirects: [to] }), 400, 'auth.redirects[0]');
    }
    resultOf(await patch({ redirects: [redirect, 'https://a.example/x', 'com.example.app:/done'] }));
  });
});
