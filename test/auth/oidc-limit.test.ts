import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { startApp, type TestApp } from '../harness.ts';
import { asAdmin, resultOf } from '../support.ts';
import { client, RealProvider, redirect } from './oidc-world.ts';
import { Clock, second } from './people.ts';

const clock = new Clock();
let app: TestApp;
let provider: RealProvider;
before(async () => {
  app = await startApp({ now: clock.now, publicUrl: 'http://127.0.0.1' });
  provider = await RealProvider.start(() => []);
  const { issuer } = provider;
  const providers = [{ id: 'one', issuer, clientId: client.id, clientSecret: client.secret }];
  const body = { id: 'app', auth: { providers, redirects: [redirect] } };
  resultOf(await app.call('POST', '/v1/_admin/projects', { ...asAdmin, body }), 201);
});
after(async () => {
  await provider.stop();
  await app.close();
});

const start = (peer: string, to = redirect) => {
  const query = new URLSearchParams({ redirect: to, challenge: 'x'.repeat(43) });
  return app.call('GET', `/v1/app/_auth/oidc/one?${query}`, { peer });
};

/** Where the browser is sent: to the provider, or back with an error. */
async function wayOf(peer: string): Promise<string> {
  const { status, headers } = await start(peer);
  assert.equal(status, 302);
  const location = headers.get('location') ?? '';
  return location.startsWith(provider.issuer)
    ? 'the provider'
    : (new URL(location).searchParams.get('error') ?? location);
}

it('an address begins sixty sign-ins with a provider at once, and then one a second', async () => {
  const here = '2001:db8::1';
  // What leads nowhere is not counted.
  assert.equal((await start(here, 'https://evil.example/')).status, 400);
  for (let nth = 0; nth < 60; nth++) assert.equal(await wayOf(here), 'the provider');
  assert.equal(await wayOf('2001:db8::2'), 'temporarily_unavailable', 'of the same network');
  assert.equal(await wayOf('10.0.0.1'), 'the provider');
  clock.move(second);
  assert.deepEqual([await wayOf(here), await wayOf(here)], ['the provider', 'temporarily_unavailable']);
});
