import assert from 'node:assert/strict';
import { createServer, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { assets, page as html } from '../../console/dist/files.js';
import { skipWithout } from '../browser.ts';
import { adminKey, done, makeShop, startConsole } from './world.ts';

const world = await startConsole();
const skip = skipWithout(world?.browser);
before(async () => {
  if (world) await makeShop(world, 'shop', 200);
});
after(() => world?.close());

/** Kilobytes, gzipped. */
const firstLoad = 150;

it('the first load is small', () => {
  const seen = new Set<string>();
  const weigh = (name: string): number => {
    const file = assets[name];
    if (!file || seen.has(name)) return 0;
    seen.add(name);
    const text = new TextDecoder().decode(gunzipSync(Buffer.from(file.gzip, 'base64')));
    const needed = [...text.matchAll(/from\s*"\.\/([^"]+)"|import\s*"\.\/([^"]+)"/g)].map(
      ([, a, b]) => a ?? b ?? '',
    );
    return Buffer.byteLength(file.gzip, 'base64') + needed.reduce((sum, one) => sum + weigh(one), 0);
  };
  const names = [...html.matchAll(/_assets\/([^"]+)"/g)].map(([, name = '']) => name);
  const bytes = names.reduce((sum, name) => sum + weigh(name), 0);
  assert.ok(bytes > 10_000 && bytes < firstLoad * 1000, `${bytes} bytes`);
});

describe('the console', { skip }, () => {
  it('is served with its policy, kept for ever by name, and compressed for who takes that', async () => {
    assert.ok(world);
    const root = await fetch(`${world.base}/_console`, { redirect: 'manual' });
    assert.deepEqual([root.status, root.headers.get('location')], [308, '_console/']);
    const deep = await fetch(`${world.base}/_console/a/b/c?d=e`);
    assert.equal(deep.status, 200);
    assert.match(await deep.text(), /src="\.\.\/\.\.\/_assets\/main-/);
    assert.equal(deep.headers.get('cache-control'), 'no-cache');
    assert.equal(deep.headers.get('access-control-allow-origin'), null);
    const [name = ''] = Object.keys(assets);
    const taking = (encodings: string) =>
      fetch(`${world.base}/_console/_assets/${name}`, { headers: { 'accept-encoding': encodings } });
    for (const encodings of ['gzip;q=0', 'identity, gzip; q=0.0, br', 'x-gzipped'])
      assert.equal((await taking(encodings)).headers.get('content-encoding'), null, encodings);
    const plain = await taking('identity');
    assert.equal(plain.headers.get('content-encoding'), null);
    assert.equal(plain.headers.get('x-content-type-options'), 'nosniff');
    assert.match(plain.headers.get('cache-control') ?? '', /immutable/);
    const absent = await fetch(`${world.base}/_console/_assets/other.js`);
    assert.equal(absent.status, 404);
    assert.equal((await fetch(`${world.base}/_console/`, { method: 'POST' })).status, 405);
  });

  it('works behind a path prefix', async () => {
    assert.ok(world);
    const target = new URL(world.base);
    const proxy = createServer((request, response) => {
      const path = (request.url ?? '').replace(/^\/tools\/data/, '');
      const { method, headers } = request;
      const onward = send({ host: target.hostname, port: target.port, path, method, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      });
      request.pipe(onward);
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    const page = await world.open();
    const base = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    page.removeAllListeners('request');
    await page.goto(`${base}/tools/data/_console/shop`);
    await page.getByRole('button', { name: 'Use a key instead' }).click();
    await page.getByLabel("Administrator's key").fill(adminKey);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page
      .getByRole('table')
      .getByRole('link', { name: /Products/ })
      .click();
    await page.getByText('Product 00000', { exact: true }).waitFor();
    assert.equal(new URL(page.url()).pathname, '/tools/data/_console/shop/products');
    await page.reload();
    await page.getByText('Product 00000', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Export' }).click();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: 'Export as JSON', exact: true }).click(),
    ]);
    assert.match(download.url(), /\/tools\/data\/v1\/shop\/products\/export\?/);
    await download.path();
    await done(page);
    proxy.close();
    proxy.closeAllConnections();
  });
});
