import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { RateLimit } from '../../src/access/rate-limit.ts';
import { adminKey, startApp, type TestApp } from '../harness.ts';
import { definition } from '../support.ts';

let app: TestApp;
before(async () => {
  const now = () => Date.parse('2026-01-01');
  app = await startApp({ now, rateLimit: new RateLimit(1, 1_000) });
  await app.project('shop', {
    ...definition('notes', { title: { type: 'text' } }),
    api: { access: 'public' },
  });
});
after(() => app.close());

const json = { 'content-type': 'application/json' };
const long = 'x'.repeat(1_100_000);

describe('a page of another origin', () => {
  it('can read every answer below a project, and that of a path that is nothing', async () => {
    const asks: [string, string, number, RequestInit?][] = [
      ['GET', '/v1/shop/notes', 200],
      ['HEAD', '/v1/shop/notes', 200],
      ['GET', '/v1/shop/notes?nonsense=1', 400],
      ['POST', '/v1/shop/notes', 400, { headers: json, body: '{' }],
      ['POST', '/v1/shop/notes', 413, { headers: json, body: JSON.stringify({ title: long }) }],
      ['POST', '/v1/shop/notes', 415, { body: 'x', headers: { 'content-type': 'text/plain' } }],
      ['GET', '/v1/shop/notes', 401, { headers: { authorization: 'Bearer no' } }],
      ['GET', '/v1/shop/none', 404],
      ['GET', '/v1/none/notes', 404],
      ['GET', '/v1/shop/notes/nobody', 404],
      ['PUT', '/v1/shop/notes', 405],
      ['DELETE', '/v1/shop/_batch', 405],
      ['GET', `/v1/shop/notes?search=${'x'.repeat(20_000)}`, 414],
      ['GET', '/v1/shop/_auth/me', 401],
      ['POST', '/v1/shop/_auth/nothing', 404],
      ['GET', '/nowhere', 404],
      ['GET', '/v1/shop/notes/a/b/c', 404],
    ];
    for (const [method, path, status, init] of asks) {
      const answer = await app.fetch(new Request(`http://vitrine.test${path}`, { method, ...init }));
      const what = `${method} ${path.slice(0, 60)}`;
      assert.equal(answer.status, status, what);
      assert.equal(answer.headers.get('access-control-allow-origin'), '*', what);
      const exposed = answer.headers.get('access-control-expose-headers')?.split(', ') ?? [];
      for (const name of ['allow', 'content-disposition', 'etag', 'retry-after', 'www-authenticate'])
        assert.ok(exposed.includes(name), `${what}: ${name}`);
    }
  });

  it('can read a 429', async () => {
    const many = { create: Array.from({ length: 900 }, () => ({})) };
    const send = () => app.call('POST', '/v1/shop/notes/batch', { body: many, peer: '10.9.9.9' });
    assert.equal((await send()).status, 200);
    const refused = await send();
    assert.equal(refused.status, 429);
    assert.equal(refused.headers.get('access-control-allow-origin'), '*');
    assert.notEqual(refused.headers.get('retry-after'), null);
  });

  it('can read nothing of management, the console and operations', async () => {
    const paths = [
      '/v1/_admin',
      '/v1/_admin/projects',
      '/v1/_admin/none',
      '/v1/%5Fadmin/projects',
      '/_console/x',
    ];
    for (const path of [...paths, '/metrics', '/healthz', '/readyz']) {
      for (const method of ['GET', 'POST', 'PUT', 'OPTIONS']) {
        const headers = { 'access-control-request-method': 'POST', origin: 'https://app.example' };
        const answer = await app.fetch(new Request(`http://vitrine.test${path}`, { method, headers }));
        const open = [...answer.headers.keys()].filter((name) => name.startsWith('access-control'));
        assert.deepEqual(open, [], `${method} ${path}: ${answer.status}`);
      }
    }
  });

  it('may send every verb, also where the answer will be that there is nothing', async () => {
    for (const path of ['/v1/shop/notes', '/v1/shop/_auth/login', '/nowhere', '/v1/shop/notes/a/b/c']) {
      const headers = { 'access-control-request-method': 'PUT', origin: 'https://app.example' };
      const answer = await app.fetch(
        new Request(`http://vitrine.test${path}`, { method: 'OPTIONS', headers }),
      );
      assert.equal(answer.status, 204, path);
      assert.match(answer.headers.get('access-control-allow-methods') ?? '', /PUT/);
      const allowed = answer.headers.get('access-control-allow-headers') ?? '';
      for (const name of ['authorization', 'content-type', 'idempotency-key', 'if-match', 'last-event-id'])
        assert.match(allowed, new RegExp(name));
    }
  });
});

describe('answers', () => {
  it('with tokens are in no cache', async () => {
    const account = { email: 'ann@example.com', password: 'long enough' };
    const user = await app.call('POST', '/v1/shop/_auth/register', { body: account });
    const { refreshToken } = user.body.result;
    const key = { body: { name: 'x' }, token: adminKey };
    for (const reply of [
      user,
      await app.call('POST', '/v1/shop/_auth/login', { body: account }),
      await app.call('POST', '/v1/shop/_auth/refresh', { body: { refreshToken: String(refreshToken) } }),
      await app.call('POST', '/v1/_admin/projects/shop/keys', key),
    ]) {
      assert.ok(reply.status < 300, reply.text);
      assert.equal(reply.headers.get('cache-control'), 'no-store');
    }
  });

  it('end their line', async () => {
    for (const path of ['/healthz', '/v1/shop/notes', '/v1/shop/none', '/v1/_admin/projects']) {
      assert.match((await app.call('GET', path)).text, /^\{.*\}\n$/);
    }
  });

  it('say in plain words what a path takes', async () => {
    const refused = await app.call('PUT', '/v1/shop/notes');
    assert.equal(refused.body.error, 'PUT does not work here, only GET and POST do');
    assert.equal(refused.headers.get('allow'), 'GET, POST, HEAD, OPTIONS');
    assert.match((await app.call('GET', '/v1/shop/_auth/x')).body.error, /\/v1\/shop\/_auth\/login/);
  });
});

describe('failed sign-ins', () => {
  it("of a project named administrator do not lock the administrator's", async () => {
    await app.project('administrator');
    const body = { email: 'root@example.com', password: 'wrong wrong' };
    for (let turn = 0; turn < 10; turn++) await app.call('POST', '/v1/administrator/_auth/login', { body });
    assert.equal((await app.call('POST', '/v1/administrator/_auth/login', { body })).status, 429);
    assert.equal((await app.call('POST', '/v1/_admin/login', { body })).status, 401);
  });
});
