import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startApp, type TestApp } from '../harness.ts';
import { testEngine } from '../storage.ts';
import { asAdmin, assertRefused, Records } from '../support.ts';
import { parseMetrics, sumOf } from './exposition.ts';

/** Fewer where each asks a database for its project. */
const oddPaths = testEngine === 'sqlite' ? 10_000 : 1_000;

let app: TestApp;

before(async () => {
  app = await startApp();
  await app.project('shop', {
    id: 'products',
    fields: { title: { type: 'text' } },
    api: { access: 'public' },
  });
});
after(() => app.close());

async function scrape() {
  const reply = await app.call('GET', '/metrics', asAdmin);
  assert.equal(reply.status, 200, reply.text);
  assert.equal(reply.headers.get('content-type'), 'text/plain; version=0.0.4; charset=utf-8');
  return parseMetrics(reply.text);
}

const series = (metrics: Awaited<ReturnType<typeof scrape>>) =>
  [...metrics.values()].flatMap(({ samples }) =>
    samples.map(({ name, labels }) => `${name} ${JSON.stringify([...labels])}`),
  );

describe('/metrics', () => {
  it('is for the administrator', async () => {
    assertRefused(await app.call('GET', '/metrics'), 401, '--metrics-key');
    assertRefused(await app.call('GET', '/metrics', { token: 'stranger' }), 401);
    const key = await app.call('POST', '/v1/_admin/projects/shop/keys', { ...asAdmin, body: { name: 'k' } });
    assertRefused(await app.call('GET', '/metrics', { token: String(key.body.result.key) }), 403);
    assertRefused(await app.call('GET', '/metrics?x=1', asAdmin), 400);
    assert.equal((await app.call('GET', '/metrics')).headers.get('access-control-allow-origin'), null);
  });

  it('has every series from the start, and none that callers can add', async () => {
    const first = series(await scrape());
    for (const operation of ['viewAll', 'view', 'create', 'batch', 'changes', 'auth', 'admin', 'other'])
      for (const status of ['2xx', '3xx', '4xx', '5xx'])
        assert.ok(
          first.includes(`vitrine_requests_total [["operation","${operation}"],["status","${status}"]]`),
        );
    const before = sumOf(await scrape(), 'vitrine_requests_total', { status: '4xx' });
    for (let number = 0; number < oddPaths; number += 1) {
      const path = ['/', '/v1/', '/v1/shop/', '/v1/shop/products/', '/v1/shop/_auth/'][number % 5];
      await app.call(number % 7 === 0 ? 'PUT' : 'GET', `${path}odd-${number}/${number % 3 ? 'x' : ''}`);
    }
    const metrics = await scrape();
    assert.deepEqual(series(metrics), first);
    assert.equal(sumOf(metrics, 'vitrine_requests_total', { status: '4xx' }), before + oddPaths);
  });

  it('counts requests by what they are for, bytes, sign-ins and commits', async () => {
    const names: [string, Record<string, string>][] = [
      ['vitrine_requests_total', { operation: 'create', status: '2xx' }],
      ['vitrine_request_seconds_count', { operation: 'create' }],
      ['vitrine_requests_total', { operation: 'viewAll', status: '2xx' }],
      ['vitrine_requests_total', { operation: 'view', status: '4xx' }],
      ['vitrine_requests_total', { operation: 'distinct', status: '2xx' }],
      ['vitrine_requests_total', { operation: 'auth', status: '4xx' }],
      ['vitrine_sign_ins_total', { realm: 'users', outcome: 'failed' }],
    ];
    const before = await scrape();
    const products = new Records(app, '/v1/shop/products');
    for (let count = 0; count < 3; count += 1) await products.create({ title: `T${count}` });
    await products.list();
    await products.call('GET', '/01890000-0000-7000-8000-000000000000');
    await products.call('GET', '/distinct?field=title');
    const body = { email: 'nobody@example.com', password: 'whatever it is' };
    await app.call('POST', '/v1/shop/_auth/login', { body });
    const now = await scrape();
    const grown = names.map(([name, labels]) => sumOf(now, name, labels) - sumOf(before, name, labels));
    assert.deepEqual(grown, [3, 3, 1, 1, 1, 1, 1]);
    for (const name of [
      ...['vitrine_received_bytes_total', 'vitrine_sent_bytes_total'],
      ...['vitrine_commit_seconds_count', 'vitrine_commit_writes_sum'],
    ])
      assert.ok(sumOf(now, name) > sumOf(before, name), name);
    assert.equal(sumOf(now, 'vitrine_requests_in_flight'), 1);
  });

  it('tells how many streams are open, and that the feed keeps up', async () => {
    const url = 'http://vitrine.test/v1/shop/products/_changes?after=now';
    const stream = await app.fetch(new Request(url, { headers: { accept: 'text/event-stream' } }));
    assert.equal(stream.status, 200);
    assert.equal(sumOf(await scrape(), 'vitrine_streams_open'), 1);
    const before = sumOf(await scrape(), 'vitrine_sent_bytes_total');
    await new Records(app, '/v1/shop/products').create({ title: 'Followed'.repeat(1_000) });
    const reader = stream.body?.pipeThrough(new TextDecoderStream()).getReader();
    // Until it is read nobody may know that there is something to read, which is no lag either.
    for (let told = ''; !told.includes('Followed'); ) told += (await reader?.read())?.value ?? assert.fail();
    let lag = Number.POSITIVE_INFINITY;
    for (let tries = 0; tries < 2_400 && lag > 0; tries += 1) {
      await new Promise((resolve) => setTimeout(resolve, 25));
      lag = sumOf(await scrape(), 'vitrine_feed_lag_seconds');
    }
    assert.equal(lag, 0);
    const sent = sumOf(await scrape(), 'vitrine_sent_bytes_total') - before;
    assert.ok(sent > 2 * 8_000, `${sent} bytes: the answer, and the event`);
    await reader?.cancel();
    for (let tries = 0; tries < 2_400 && sumOf(await scrape(), 'vitrine_streams_open') > 0; tries += 1)
      await new Promise((resolve) => setTimeout(resolve, 25));
    assert.equal(sumOf(await scrape(), 'vitrine_streams_open'), 0);
  });
});
