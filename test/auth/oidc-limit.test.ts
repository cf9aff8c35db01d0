import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { startApp, type TestApp } from '../harness.ts';
import { asAdmin, assertRefused, resultOf } from '../support.ts';
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

it('an address begins sixty sign-ins with a provider at once, and then one a second', async () => {
  const here = '2001:db8::1';
  // What leads nowhere is not counted.
  assert.equal((await start(here, 'https://evil.example/')).status, 400);
  for (let nth = 0; nth < 60; nth++) assert.equal((await start(here)).status, 302);
  const refused = await start('2001:db8::2'); // of the same network
  assertRefused(refused, 429, 'try again in 1 second');
  assert.equal(refused.headers.get('retry-after'), '1');
  assert.equal((await start('10.0.0.1')).status, 302);
  clock.move(second);
  assert.deepEqual([(await start(here)).status, (await start(here)).status], [302, 429]);
});
