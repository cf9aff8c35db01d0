import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { projectTypes } from '../../src/describe/types.ts';
import { readCollection } from '../../src/model/read-collection.ts';
import { skipWithout, startBrowser } from '../browser.ts';
import { adminKey, startApp, type TestApp } from '../harness.ts';
import { intercept } from '../intercept.ts';
import { compile, root } from './compile.ts';
import { shop } from './shop.ts';

/** The first is in every example. */
const options = ["it's ROOT, and BASE", '<b>'];
const browser = await startBrowser();
const axe = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

const decoded = (one = '') => one.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)));

/** The app behind a path prefix, as behind a proxy. */
function serve(app: TestApp): Promise<Server> {
  const server = createServer((request, response) => {
    void (async () => {
      const parts: Buffer[] = [];
      for await (const part of request) parts.push(part as Buffer);
      const answer = await app.fetch(
        new Request(`http://vitrine.test${request.url?.replace('/prefix', '')}`, {
          method: request.method ?? 'GET',
          headers: request.headers as Record<string, string>,
          ...(parts.length > 0 && { body: Buffer.concat(parts) }),
        }),
      );
      response.writeHead(answer.status, Object.fromEntries(answer.headers));
      response.end(Buffer.from(await answer.arrayBuffer()));
    })();
  });
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));
}

describe('the docs page', () => {
  let app: TestApp;
  let server: Server;
  let address: string;
  before(async () => {
    app = await startApp();
    await app.project('shop', ...shop, {
      id: 'odd',
      name: '<script>alert(1)</script>',
      fields: { a: { type: 'text', label: '"><img src=x onerror=alert(1)>', options } },
      api: { access: 'public' },
    });
    server = await serve(app);
    address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/prefix/v1/shop/_docs`;
  });
  after(async () => {
    await browser?.close();
    server.close();
    await app.close();
  });

  it('is a page under the strict policy, with nothing inline', async () => {
    const { status, headers, text } = await app.call('GET', '/v1/shop/_docs');
    assert.equal(status, 200);
    assert.equal(headers.get('content-type'), 'text/html; charset=utf-8');
    assert.equal(
      headers.get('content-security-policy'),
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
    assert.equal(headers.get('x-content-type-options'), 'nosniff');
    assert.equal(headers.get('referrer-policy'), 'no-referrer');
    assert.equal(headers.get('vary'), 'Authorization');
    assert.doesNotMatch(text, /<style|<script>|<img|<[^>]*\s(?:style|on\w+)=/);
    const etag = headers.get('etag') ?? '';
    const again = await app.call('GET', '/v1/shop/_docs', { headers: { 'if-none-match': etag } });
    assert.equal(again.status, 304);
    for (const [path, type] of [
      ['/_docs/style.css', 'text/css'],
      ['/_docs/script.js', 'text/javascript'],
    ] as const) {
      const reply = await app.call('GET', path);
      assert.deepEqual([reply.status, reply.headers.get('content-type')], [200, `${type}; charset=utf-8`]);
    }
  });

  it('shows a caller what they can use, with rules and examples of this project', async () => {
    const nobody = (await app.call('GET', '/v1/shop/_docs')).text;
    const all = (await app.call('GET', '/v1/shop/_docs', { token: adminKey })).text;
    for (const part of [
      'id="products.viewAll"',
      'at most 200 characters',
      'price&#62;=12.5',
      'client.products.list',
    ])
      assert.ok(nobody.includes(part), part);
    assert.ok(!nobody.includes('products.create') && !nobody.includes('notes'));
    for (const part of [
      'id="products.create"',
      'id="notes.viewAll"',
      'client.products.create({ title: ',
      'id="_auth.login"',
    ])
      assert.ok(all.includes(part), part);
    assert.match(all, /id="_auth.register"[\s\S]*id="_auth.providers"/, 'what most begin with comes first');
  });

  it('has a place of its own for each collection, whatever it is called', async () => {
    const api = { access: 'public' };
    await app.project('named', ...['content', 'guide'].map((id) => ({ id, api })));
    const { text } = await app.call('GET', '/v1/named/_docs');
    const ids = [...text.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);
    assert.deepEqual(ids.toSorted(), [...new Set(ids)].toSorted());
  });

  it('has examples that work', async () => {
    const { text } = await app.call('GET', '/v1/shop/_docs', { token: adminKey });
    const forms = text
      .split('<form class="send"')
      .slice(1)
      .map((form) => {
        const [, verb = '', path] = /data-verb="(\w+)">[\s\S]*?value="([^"]*)"/.exec(form) ?? [];
        return [verb, path, /<textarea[^>]*>([^<]*)</.exec(form)?.[1]] as const;
      });
    assert.ok(forms.length > 30, `${forms.length} forms`);
    for (const [verb, path, body] of forms) {
      if (path?.startsWith('/_auth')) continue;
      const sent = verb === 'POST' || verb === 'PATCH' ? { body: JSON.parse(decoded(body)) } : {};
      const reply = await app.call(verb, `/v1/shop${decoded(path)}`, { token: adminKey, ...sent });
      const unknown = reply.status === 404 && reply.body.error.startsWith('There is no record');
      assert.ok(reply.status < 300 || unknown, `${verb} ${path} ${body}: ${reply.text}`);
    }
  });

  it('has examples of accounts that work, with the profile of this project', async () => {
    const profile = {
      city: { type: 'text', required: true, minLength: 2 },
      born: { type: 'datetime' },
      plan: { type: 'text', options: ['free', 'pro'], default: 'free', write: 'server' },
    };
    const people = { id: 'people', auth: { profile } };
    await app.call('POST', '/v1/_admin/projects', { token: adminKey, body: people });
    for (const project of ['shop', 'people']) {
      const { text } = await app.call('GET', `/v1/${project}/_docs`);
      const bodyOf = (id: string) => {
        const [, operation = ''] = text.split(`id="${id}"`);
        return JSON.parse(decoded(/<textarea[^>]*>([^<]*)</.exec(operation)?.[1]));
      };
      const made = await app.call('POST', `/v1/${project}/_auth/register`, {
        body: bodyOf('_auth.register'),
      });
      assert.equal(made.status, 201, made.text);
      const token = String(made.body.result.accessToken);
      const body = bodyOf('_auth.updateMe');
      const changed = await app.call('PATCH', `/v1/${project}/_auth/me`, { token, body });
      assert.equal(changed.status, 200, changed.text);
      assert.ok(decoded(text).includes(`client.auth.register({ email: 'ann@example.com'`));
      const told = 'password (8 to 256 characters), name (optional, at most 200 characters), profile';
      assert.ok(text.includes(told));
    }
  });

  it('has code for fetch that asks for what the form does', async () => {
    const { text } = await app.call('GET', '/v1/shop/_docs', { token: adminKey });
    const codes = [...text.matchAll(/<summary>fetch<\/summary><pre[^>]*><code>([\s\S]*?)<\/code>/g)];
    assert.ok(codes.length > 30, `${codes.length} examples`);
    for (const [, code = ''] of codes) {
      const asked: string[] = [];
      const fetch = async (url: string) => {
        asked.push(url);
        return new Response(url.includes('/export?') ? '_id\r\n' : '{}');
      };
      const run = new Function(
        'fetch',
        'token',
        `return (async () => { ${decoded(code.replaceAll(/<[^>]*>/g, ''))} })()`,
      );
      await run(fetch, 't');
      assert.match(asked[0] ?? '', /^https:\/\/vitrine\.example\/v1\/shop\//);
    }
    const odd = codes
      .map(([, code = '']) => decoded(code.replaceAll(/<[^>]*>/g, '')))
      .find((code) => code.includes('/odd?'));
    const query = new URL(/fetch\('([^']*)'/.exec(odd ?? '')?.[1] ?? '').searchParams;
    assert.equal(query.get('a'), "it's ROOT\\, and BASE");
  });

  it('has code for the client that compiles', { timeout: 280_000 }, async () => {
    const { text } = await app.call('GET', '/v1/shop/_docs', { token: adminKey });
    const codes = [...text.matchAll(/<summary>client<\/summary><pre[^>]*><code>([\s\S]*?)<\/code>/g)].map(
      ([, code = '']) =>
        decoded(code.replaceAll(/<[^>]*>/g, ''))
          .split('\n')
          .slice(3)
          .join('\n'),
    );
    const operations = text.match(/class="operation"/g)?.length ?? 0;
    const without = ['_auth.refresh', '_auth.signInCallback']; // what the client does by itself, and what a browser is sent to
    assert.equal(codes.length, operations - without.length);
    const definitions = shop.map((one) => readCollection(one, new Set(shop.map(({ id }) => String(id)))));
    const odd = readCollection({ id: 'odd', fields: { a: { type: 'text', options } } }, new Set());
    compile({
      'types.ts': projectTypes('shop', [...definitions, odd]),
      'use.ts': `import { createClient } from '${root}client/client.ts';
import type { Shop } from './types.ts';
${codes.map((code, at) => `export async function use${at}() {\n${code}\n}`).join('\n')}
`,
    });
  });

  it('loads more with a token, sends, and is searched', {
    skip: skipWithout(browser),
    timeout: 280_000,
  }, async () => {
    const page = await browser?.newPage({ locale: 'en-US' });
    if (!page) return;
    const troubles: string[] = [];
    page.on('pageerror', (error) => troubles.push(String(error)));
    page.on('console', (message) => troubles.push(message.text()));
    await page.goto(address);
    assert.equal(await page.locator('#_guide .base').textContent(), address.replace('/_docs', ''));
    assert.equal(await page.locator('[id="products.create"]').count(), 0);
    await page.fill('.token input', adminKey);
    await page.click('.token button');
    await page.locator('[id="products.create"]').waitFor();
    const form = page.locator('[id="products.create"] form.send');
    await form.locator('button').click();
    await form.locator('output p', { hasText: '201' }).waitFor();
    await page.reload();
    await page.locator('[id="products.create"]').waitFor();
    await page.fill('.search input', 'products.delete');
    await page.locator('.operation:visible').nth(1).waitFor({ state: 'detached' });
    assert.equal(await page.locator('.operation:visible').count(), 1);
    await page.click('.drop');
    await page.locator('[id="products.create"]').waitFor({ state: 'detached' });
    assert.deepEqual(troubles, []);
    await page.close();
  });

  it('is what nobody in particular sees where the token has ended, and shows large answers', {
    skip: skipWithout(browser),
    timeout: 280_000,
  }, async () => {
    const page = await browser?.newPage({ locale: 'en-US' });
    if (!page) return;
    await page.goto(address);
    await page.fill('.token input', 'ended');
    await page.click('.token button');
    await page.locator('.token output.bad').waitFor();
    await page.reload();
    await page.locator('.token output.bad').waitFor();
    assert.equal(await page.locator('#_guide .base').textContent(), address.replace('/_docs', ''));
    await page.click('.drop');
    await page.locator('.token output.bad').waitFor({ state: 'detached' });
    const large = JSON.stringify({ ok: true, result: { text: 'x'.repeat(300_000) } });
    await intercept(page, '**/v1/shop/products?*', (route) => route.fulfill({ json: JSON.parse(large) }));
    const form = page.locator('[id="products.viewAll"] form.send');
    await form.locator('button').click();
    await form.locator('output p', { hasText: '200' }).waitFor();
    await form.locator('output pre', { hasText: 'xxxx' }).waitFor();
    await page.close();
  });

  it('is accessible, light and dark, wide and narrow', {
    skip: skipWithout(browser),
    timeout: 280_000,
  }, async () => {
    for (const [colorScheme, width] of [
      ['light', 1280],
      ['dark', 390],
    ] as const) {
      const page = await browser?.newPage({ colorScheme, viewport: { width, height: 900 }, locale: 'en-US' });
      if (!page) return;
      await page.goto(address);
      const session = await page.context().newCDPSession(page);
      await session.send('Runtime.evaluate', { expression: axe });
      const { result } = await session.send('Runtime.evaluate', {
        expression:
          'axe.run().then(({ violations }) => JSON.stringify(violations.map(({ id, nodes }) => [id, nodes[0].html])))',
        awaitPromise: true,
      });
      assert.equal(result.value, '[]', colorScheme);
      assert.ok(
        await page.evaluate('document.documentElement.scrollWidth <= innerWidth'),
        'no scrolling sideways',
      );
      await page.close();
    }
  });

  it('is read without a script', { skip: skipWithout(browser), timeout: 280_000 }, async () => {
    const context = await browser?.newContext({ javaScriptEnabled: false, locale: 'en-US' });
    const page = await context?.newPage();
    if (!page) return;
    await page.goto(address);
    assert.ok(await page.locator('[id="products.viewAll"] pre').first().isVisible());
    assert.equal(await page.locator('form:visible').count(), 0);
    await context?.close();
  });
});
