import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { BrowserContext, Page, Request } from 'playwright-core';
import type { createClient } from '../../client/client.ts';
import { skipWithout, startBrowser } from '../browser.ts';
import { intercept } from '../intercept.ts';
import { startFeed } from './feed-server.ts';
import { type RealServer, startRealServer } from './real-server.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const browser = await startBrowser();

/** What the page of this test has at hand. */
declare const vitrine: { createClient: typeof createClient };
declare const v: ReturnType<typeof createClient>;

/** The client as a browser gets it: bundled, from another origin than the API's. */
function bundle(): string {
  const words = ['build', '--format=esm', '--target=browser', join(root, 'client/client.ts')];
  const { status, stdout, stderr } = spawnSync(join(root, 'node_modules/.bin/bun'), words, {
    encoding: 'utf8',
  });
  assert.equal(status, 0, stderr);
  return stdout;
}

describe('the client in a browser', { skip: skipWithout(browser), timeout: 280_000 }, () => {
  let server: RealServer;
  let origin: string;
  let close: () => void;
  let context: BrowserContext;
  before(async () => {
    server = await startRealServer();
    const code = bundle();
    const page = `<!doctype html><script type="module">
      import * as vitrine from './client.js';
      window.vitrine = vitrine;
      window.v = vitrine.createClient(${JSON.stringify(server.url)}, { project: 'shop', storage: localStorage });
    </script>`;
    const pages = createServer((request, response) => {
      const isCode = request.url === '/client.js';
      response.setHeader('content-type', isCode ? 'text/javascript' : 'text/html');
      response.end(isCode ? code : page);
    });
    await new Promise<void>((resolve) => pages.listen(0, '127.0.0.1', resolve));
    origin = `http://127.0.0.1:${(pages.address() as AddressInfo).port}`;
    close = () => pages.close();
    context = (await browser?.newContext({ locale: 'en-US' })) as BrowserContext;
    context.setDefaultTimeout(90_000);
  });
  after(async () => {
    await browser?.close();
    close?.();
    await server?.stop();
  });

  async function open(): Promise<Page> {
    const page = await context.newPage();
    await page.goto(origin);
    await page.waitForFunction(() => 'v' in globalThis);
    return page;
  }
  /** Makes the access token look as if it ended now. */
  const expire = (page: Page) =>
    page.evaluate(() => {
      const [key = ''] = Object.keys(localStorage);
      const kept = JSON.parse(localStorage.getItem(key) ?? '');
      localStorage.setItem(key, JSON.stringify({ ...kept, expiresAt: Date.now() }));
      return { key, refreshToken: kept.refreshToken as string };
    });
  const listNotes = (page: Page) => page.evaluate(async () => (await v.collection('notes').list()).total);

  it('sees what was refused, over origins', async () => {
    const page = await open();
    const seen = await page.evaluate(() =>
      v
        .collection('products')
        .create({ title: '', price: -1 })
        .catch(({ status, fields }) => ({ status, fields: Object.keys(fields).sort() })),
    );
    assert.deepEqual(seen, { status: 400, fields: ['price', 'title'] });
    await page.close();
  });

  it('refreshes once when ten tabs need it at the same moment, again and again', async () => {
    const tabs = await Promise.all(Array.from({ length: 10 }, open));
    const [first] = tabs;
    assert.ok(first);
    await first.evaluate(() => v.auth.register({ email: 'tabs@example.com', password: 'correct horse' }));
    const isRefresh = (request: Request) =>
      request.method() === 'POST' && request.url().endsWith('/_auth/refresh');
    /** Without those that a tab gave up after three seconds, to ask once more. */
    let refreshes = 0;
    const sent = new Map<Request, number>();
    context.on('request', (request) => {
      if (!isRefresh(request)) return;
      refreshes += 1;
      sent.set(request, performance.now());
    });
    context.on('requestfailed', (request) => {
      const at = sent.get(request);
      if (at !== undefined && performance.now() - at > 2_500) refreshes -= 1;
    });
    for (let round = 1; round <= 5; round++) {
      await expire(first);
      assert.deepEqual(
        await Promise.all(tabs.map(listNotes)),
        tabs.map(() => 0),
      );
      assert.equal(refreshes, round);
    }
    // Without locks several may come at once; the server takes them for what they are.
    for (const tab of tabs)
      await tab.evaluate(() => Object.defineProperty(navigator, 'locks', { value: undefined }));
    await expire(first);
    assert.deepEqual(
      await Promise.all(tabs.map(listNotes)),
      tabs.map(() => 0),
    );
    assert.equal(await first.evaluate(async () => (await v.auth.me()).email), 'tabs@example.com');
    await Promise.all(tabs.map((tab) => tab.close()));
  });

  it('is not held up for ever by a tab that hangs in the middle of a refresh', async () => {
    const [stuck, page] = [await open(), await open()];
    await page.evaluate(() => v.auth.register({ email: 'stuck@example.com', password: 'correct horse' }));
    const { key, refreshToken } = await expire(page);
    await stuck.evaluate((name) => {
      navigator.locks.request(name, () => new Promise(() => {}));
    }, `${key} ${refreshToken}`);
    const start = performance.now();
    assert.equal(await listNotes(page), 0);
    const seconds = (performance.now() - start) / 1000;
    assert.ok(seconds > 5 && seconds < 60, `${seconds} seconds`);
    await Promise.all([stuck.close(), page.close()]);
  });

  it('hears from other tabs who signs in and out', async () => {
    const [one, other] = [await open(), await open()];
    await other.evaluate(() => {
      const heard: (string | null)[] = [];
      Object.assign(globalThis, { heard });
      v.auth.onChange((user) => heard.push(user?.email ?? null));
    });
    await one.evaluate(async () => {
      await v.auth.register({ email: 'told@example.com', password: 'correct horse' });
    });
    await expire(one);
    await listNotes(one); // new tokens, of which nobody needs to hear
    await one.evaluate(async () => {
      await v.auth.logout();
    });
    await other.waitForFunction(() => (globalThis as unknown as { heard: unknown[] }).heard.at(-1) === null);
    const heard = await other.evaluate(() => (globalThis as unknown as { heard: unknown[] }).heard);
    assert.deepEqual(heard, ['told@example.com', null]);
    await assert.rejects(listNotes(other), /signed-in/);
    await Promise.all([one.close(), other.close()]);
  });

  it('creates one record where the answer is lost on its way', async () => {
    const page = await open();
    let lost = 0;
    await intercept(page, '**/v1/shop/products', async (route) => {
      if (route.request().method() !== 'POST' || lost >= 2) return route.continue();
      lost += 1;
      await route.fetch(); // the server does it …
      return route.abort('connectionreset'); // … and nobody hears of it
    });
    const total = await page.evaluate(async () => {
      const products = v.collection('products');
      await products.create({ title: 'only once' });
      return (await products.list({ where: { title: 'only once' } })).total;
    });
    assert.deepEqual([total, lost], [1, 2]);
    await page.close();
  });

  it('follows the changes over a connection that breaks', async () => {
    const feed = await startFeed();
    const page = await open();
    await page.evaluate((url) => {
      const seen: string[] = [];
      Object.assign(globalThis, { seen });
      const client = vitrine.createClient(url, { project: 'p', token: 't' });
      const follow = async () => {
        for await (const { kind, _id } of client.collection('things').changes()) seen.push(`${kind} ${_id}`);
      };
      void follow();
    }, feed.url);
    const seen = (count: number) =>
      page
        .waitForFunction((most) => (globalThis as unknown as { seen: string[] }).seen.length >= most, count)
        .then(() => page.evaluate(() => (globalThis as unknown as { seen: string[] }).seen));
    while (feed.open.size === 0) await new Promise((resolve) => setTimeout(resolve, 10));
    feed.add('create', 'a');
    assert.deepEqual(await seen(1), ['create a']);
    feed.cut();
    feed.add('update', 'a');
    feed.add('delete', 'a');
    assert.deepEqual(await seen(3), ['create a', 'update a', 'delete a']);
    await page.close();
    await feed.close();
  });

  it('follows the changes of a server, as the user who is signed in', async () => {
    const page = await open();
    await page.evaluate(async () => {
      const seen: string[] = [];
      Object.assign(globalThis, { seen });
      await v.auth.register({ email: 'follower@example.com', password: 'correct horse' });
      const notes = v.collection('notes');
      const after = await notes.position();
      const follow = async () => {
        for await (const { kind, record } of notes.changes({ after })) seen.push(`${kind} ${record?.text}`);
      };
      void follow();
    });
    const others = server.admin.records('shop').collection('notes');
    await others.create({ text: "somebody else's" });
    await page.evaluate(() =>
      v
        .collection('notes')
        .create({ text: 'mine' })
        .then(() => undefined),
    );
    await page.waitForFunction(() => (globalThis as unknown as { seen: string[] }).seen.length > 0);
    const seen = await page.evaluate(() => (globalThis as unknown as { seen: string[] }).seen);
    assert.deepEqual(seen, ['create mine']);
    await page.evaluate(() => v.auth.logout());
    await page.close();
  });

  it('walks, streams an export and is aborted', async () => {
    const page = await open();
    const seen = await page.evaluate(async () => {
      const countries = v.collection('countries');
      await countries.batch((b) => {
        for (let index = 0; index < 300; index++) b.create({ name: `c${index}` });
      });
      let walked = 0;
      for await (const _ of countries.all({ perPage: 50 })) walked += 1;
      const text = await (await countries.export('csv', { fields: ['name'] })).text();
      const stop = new AbortController();
      const call = countries.list({ signal: stop.signal }).catch((error) => error.name);
      stop.abort();
      return { walked, lines: text.trim().split('\n').length, aborted: await call };
    });
    assert.deepEqual(seen, { walked: 300, lines: 301, aborted: 'AbortError' });
    await page.close();
  });
});
