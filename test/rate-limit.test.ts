import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { RateLimit } from '../src/access/rate-limit.ts';
import { adminKey, startApp, type TestApp } from './harness.ts';

const notes = { id: 'notes', fields: { title: { type: 'text' } }, api: { access: 'public' } };

describe('the rate limit of the record API', () => {
  let app: TestApp;
  let now = Date.parse('2026-01-01');
  before(async () => {
    app = await startApp({ now: () => now, rateLimit: new RateLimit(10, 20) });
    await app.project('p', notes);
  });
  after(() => app.close());

  const list = (peer: string, token?: string) => app.call('GET', '/v1/p/notes', { peer, token });
  const statuses = async (count: number, peer: string, token?: string) => {
    const replies = await Promise.all(Array.from({ length: count }, () => list(peer, token)));
    return replies.map(({ status }) => status);
  };

  it('lets so many through at once and refuses the next with 429 and Retry-After', async () => {
    assert.deepEqual(await statuses(20, '10.0.0.1'), Array(20).fill(200));
    const refused = await list('10.0.0.1');
    assert.equal(refused.status, 429);
    assert.equal(refused.headers.get('retry-after'), '1');
    assert.match(refused.body.error, /^Too many requests: try again in 1 seconds$/);
    assert.equal(refused.headers.get('access-control-allow-origin'), '*');
  });

  it('counts every caller apart: addresses, users, keys, the administrator', async () => {
    assert.equal((await list('10.0.0.2')).status, 200);
    assert.equal((await list('10.0.0.1', adminKey)).status, 200);
    const account = { email: 'a@example.com', password: 'long enough' };
    const user = await app.call('POST', '/v1/p/_auth/register', { body: account });
    assert.equal((await list('10.0.0.1', String(user.body.result.accessToken))).status, 200);
    assert.equal((await list('10.0.0.1')).status, 429);
  });

  it('fills up again with time', async () => {
    now += 500;
    assert.deepEqual(await statuses(6, '10.0.0.1'), [200, 200, 200, 200, 200, 429]);
  });

  it('a batch costs as many as it has operations, and leaves a debt when that is more than a bucket', async () => {
    const batch = (count: number) => {
      const body = { create: Array.from({ length: count }, () => ({ title: 'x' })) };
      return app.call('POST', '/v1/p/notes/batch', { body, peer: '10.0.0.3' });
    };
    assert.equal((await batch(50)).status, 200);
    const refused = await batch(1);
    assert.equal(refused.status, 429);
    assert.equal(refused.headers.get('retry-after'), '4');
    now += 4_000;
    assert.equal((await batch(1)).status, 200);
  });
});

describe('limits that were set', () => {
  it('perPage, operations of a batch', async () => {
    const app = await startApp({ limits: { records: { perPage: 10, batchOperations: 2 } } });
    await app.project('p', notes);
    assert.equal((await app.call('GET', '/v1/p/notes')).body.result.perPage, 10);
    assert.equal((await app.call('GET', '/v1/p/notes?perPage=11')).status, 400);
    const body = { create: [{}, {}, {}] };
    const refused = await app.call('POST', '/v1/p/notes/batch', { body });
    assert.equal(refused.status, 400);
    assert.match(refused.body.error, /at most 2 operations, not 3/);
    await app.close();
  });
});
