import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, it } from 'node:test';
import { skipWithout, startBrowser } from '../browser.ts';
import { type RealServer, startRealServer } from '../client/real-server.ts';
import { client, RealProvider } from './oidc-world.ts';

const browser = await startBrowser();

/** An app of one page: it makes up a verifier, goes to the provider, and comes back with a code. */
const page = (server: string) => `<!doctype html><title>App</title><p id="who"></p><script type="module">
const base64 = (bytes) => btoa(String.fromCharCode(...bytes)).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
const auth = '${server}/v1/shop/_auth';
const code = new URLSearchParams(location.search).get('code');
if (code === null) {
  const verifier = base64(crypto.getRandomValues(new Uint8Array(32)));
  sessionStorage.setItem('verifier', verifier);
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier));
  const query = new URLSearchParams({ redirect: location.href, challenge: base64(new Uint8Array(hash)) });
  location.href = auth + '/oidc/one?' + query;
} else {
  const body = JSON.stringify({ code, verifier: sessionStorage.getItem('verifier') });
  const headers = { 'content-type': 'application/json' };
  const { result, error } = await (await fetch(auth + '/exchange', { method: 'POST', headers, body })).json();
  document.querySelector('#who').textContent = error ?? result.user.email;
}
</script>`;

let server: RealServer;
let provider: RealProvider;
const app = createServer((_request, response) => {
  response.setHeader('content-type', 'text/html');
  response.end(page(server.url));
});

before(async () => {
  server = await startRealServer();
  provider = await RealProvider.start(() => [`${server.url}/v1/shop/_auth/oidc/one/callback`]);
  await new Promise<void>((resolve) => app.listen(0, '127.0.0.1', resolve));
});
after(async () => {
  await browser?.close();
  app.closeAllConnections();
  app.close();
  await provider.stop();
  await server.stop();
});

it('a page of an app signs in with a provider, in a real browser', {
  skip: skipWithout(browser),
  timeout: 600_000,
}, async () => {
  const address = `http://127.0.0.1:${(app.address() as AddressInfo).port}/signed-in`;
  const { issuer } = provider;
  provider.people.set('ann', { email: 'ann@example.com', email_verified: true, name: 'Ann' });
  const providers = [{ id: 'one', issuer, clientId: client.id, clientSecret: client.secret }];
  await server.admin.projects.update('shop', { auth: { providers, redirects: [address] } });
  const context = await browser?.newContext();
  const tab = await context?.newPage();
  assert.ok(context && tab);
  tab.setDefaultTimeout(60_000);
  await tab.goto(address);
  await tab.fill('input[name=login]', 'ann');
  await tab.fill('input[name=password]', 'x');
  // The second form is that of the page behind the first one, where the provider asks whether the app may know.
  const submit = (prompt: string) =>
    tab.click(`form:has(input[name=prompt][value=${prompt}]) button[type=submit]`);
  await submit('login');
  await submit('consent');
  await tab.waitForSelector('#who:not(:empty)');
  assert.equal(await tab.textContent('#who'), 'ann@example.com');
  const cookies = (await context.cookies(server.url)).filter(
    ({ name }) => !/^_(session|interaction|grant)/.test(name),
  );
  assert.deepEqual(cookies, []); // Vitrine sets none; those of the provider are of the same host
  await context.close();
});
