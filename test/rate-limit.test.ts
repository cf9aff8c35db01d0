import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { RateLimit } from '../src/access/rate-limit.ts';
import type { JsonObject } from '../src/model/json.ts';
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
    assert.match(refused.body.error, /^Too many requests: try again in 1 second$/);
    assert.equal(refused.headers.get('access-control-allow-origin'), '*');
  });

  it('counts every caller apart: addresses, users, keys, the administrator', async () => {
    assert.equal((await list('10.0.0.2')).status, 200);
    const account = { email: 'a@example.com', password: 'long enough' };
    const user = await app.call('POST', '/v1/p/_auth/register', { body: account });
    for (const token of [adminKey, String(user.body.result.accessToken)]) {
      assert.equal((await list('10.0.0.1', token)).status, 429); // whose it is is not known yet
      assert.equal((await list('10.0.0.2', token)).status, 200);
      assert.equal((await list('10.0.0.1', token)).status, 200);
    }
    assert.equal((await list('10.0.0.1')).status, 429);
  });

  it('forgets after a minute whose a token is', async () => {
    now += 61_000;
    assert.deepEqual(await statuses(20, '10.0.0.1'), Array(20).fill(200));
    assert.equal((await list('10.0.0.1', adminKey)).status, 429);
  });

  it('a refused token costs its address one', async () => {
    const bad = () => app.call('GET', '/v1/p/notes', { peer: '10.0.0.4', headers: { authorization: 'x' } });
    const forged = () => list('10.0.0.4', 'forged');
    for (let turn = 0; turn < 10; turn++) {
      assert.deepEqual([(await bad()).status, (await forged()).status], [401, 401]);
    }
    assert.deepEqual([(await bad()).status, (await forged()).status], [429, 429]);
    assert.equal((await list('10.0.0.4')).status, 429);
  });

  it('a token that was good and is not any more costs its address one, whoever paid for the request', async () => {
    const body = { name: 'short-lived' };
    const key = await app.call('POST', '/v1/_admin/projects/p/keys', { body, token: adminKey });
    const { key: token, _id } = key.body.result as { key: string; _id: string };
    assert.equal((await list('10.0.0.5', token)).status, 200);
    await app.call('DELETE', `/v1/_admin/projects/p/keys/${_id}`, { token: adminKey });
    assert.equal((await list('10.0.0.5', token)).status, 401);
    assert.deepEqual(await statuses(19, '10.0.0.5'), [...Array(18).fill(200), 429]);
  });

  it('knows a token however its header is spelled', async () => {
    const body = { email: 'b@example.com', password: 'long enough' };
    const user = await app.call('POST', '/v1/p/_auth/register', { body });
    const spelled = (nth: number) => {
      const authorization = `${nth % 2 ? 'bearer' : 'BEARER'}${' '.repeat(nth + 1)}${user.body.result.accessToken}`;
      return app.call('GET', '/v1/p/notes', { peer: '10.0.0.17', headers: { authorization } });
    };
    const found = [];
    for (let nth = 0; nth < 22; nth++) found.push((await spelled(nth)).status);
    assert.deepEqual(found, [...Array(21).fill(200), 429]); // the first was paid for by its address
    assert.deepEqual(await statuses(20, '10.0.0.17'), [...Array(19).fill(200), 429]);
  });

  it('is spent before the body is read: what is no batch costs one too', async () => {
    const empty = (body: JsonObject) => app.call('POST', '/v1/p/notes/batch', { body, peer: '10.0.0.6' });
    for (let turn = 0; turn < 10; turn++) {
      assert.equal((await empty({})).status, 200);
      assert.equal((await empty({ nonsense: 1 })).status, 400);
    }
    assert.equal((await empty({})).status, 429);
  });

  it('nothing of a batch is done for which too few are left', async () => {
    const batch = (count: number) => {
      const body = { create: Array.from({ length: count }, () => ({ title: 'counted' })) };
      return app.call('POST', '/v1/p/notes/batch', { body, peer: '10.0.0.7' });
    };
    assert.equal((await batch(15)).status, 200);
    assert.equal((await batch(15)).status, 429);
    const found = await app.call('GET', '/v1/p/notes?title=counted', { peer: '10.0.0.8' });
    assert.equal(found.body.result.total, 15);
  });

  it('fills up again with time', async () => {
    assert.deepEqual(await statuses(20, '10.0.0.9'), Array(20).fill(200));
    now += 500;
    assert.deepEqual(await statuses(6, '10.0.0.9'), [200, 200, 200, 200, 200, 429]);
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
    const app = await startApp({
      limits: { records: { perPage: 10, batchOperations: 2, batchWork: 100_000 } },
    });
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
