import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { JsonObject } from '../../src/model/json.ts';
import { startApp, type TestApp } from '../harness.ts';
import { assertRefused, definition, makeProject, Records, type Row, resultOf } from '../support.ts';

let app: TestApp;
let path: string;
let items: Records;
before(async () => {
  app = await startApp();
  path = await makeProject(app, definition('items', { text: { type: 'content' }, n: { type: 'number' } }));
  items = new Records(app, `${path}/items`);
});
after(() => app.close());

const many = (count: number): JsonObject[] => Array.from({ length: count }, (_, n) => ({ n }));
const asOperations = (data: readonly JsonObject[]): JsonObject => ({
  operations: data.map((one) => ({ method: 'create', collection: 'items', data: one })),
});
const mib = 1024 * 1024;

describe('the limits of a batch', () => {
  it('1,000 operations go through, in order, and can be updated and deleted as many at a time', async () => {
    const { created } = resultOf(await items.call('POST', '/batch', { create: many(1000) })) as {
      created: Row[];
    };
    assert.deepEqual(
      created.map(({ n }) => n),
      many(1000).map(({ n }) => n),
    );
    assert.equal(new Set(created.map(({ _id }) => _id)).size, 1000);
    assert.deepEqual((await items.list('perPage=1000')).found, created);
    const update = created.map(({ _id, n }) => ({ _id, n: -Number(n) }));
    const { updated } = resultOf(await items.call('POST', '/batch', { update })) as { updated: Row[] };
    assert.equal(updated.at(-1)?.n, -999);
    const ids = created.map(({ _id }) => _id);
    assert.deepEqual(resultOf(await items.call('POST', '/batch', { delete: ids })).deleted, ids);
    assert.equal(await items.total(), 0);
    const results = resultOf(
      await app.call('POST', `${path}/_batch`, { body: asOperations(many(1000)) }),
    ).results;
    assert.equal((results as Row[]).length, 1000);
    assert.equal(await items.total(), 1000);
  });

  it('1,001 are a 400 that says so, however they are spread', async () => {
    const before = await items.total();
    const ids = (await items.list('perPage=500')).found.map(({ _id }) => _id);
    const update = ids.slice(250).map((_id) => ({ _id, n: 5 }));
    for (const body of [
      { create: many(1001) },
      { create: many(501), update, delete: ids.slice(0, 250) },
      { delete: [...ids, ...ids, ...ids] },
    ]) {
      assertRefused(await items.call('POST', '/batch', body), 400, '1000');
    }
    assertRefused(await app.call('POST', `${path}/_batch`, { body: asOperations(many(1001)) }), 400, '1000');
    assert.equal(await items.total(), before);
    resultOf(await items.call('POST', '/batch', { create: many(500), update, delete: ids.slice(0, 250) }));
  });

  it('a body above the 1 MiB of other requests goes through, up to 16 MiB', async () => {
    const text = 'x'.repeat(1.9 * mib);
    assertRefused(await items.call('POST', '', { text }), 413);
    const { created } = resultOf(await items.call('POST', '/batch', { create: [{ text }] })) as {
      created: Row[];
    };
    assert.equal(created[0]?.text, text);
    resultOf(await app.call('POST', `${path}/_batch`, { body: asOperations([{ text }]) }));
    // To the byte.
    const full = Array.from({ length: 15 }, () => ({ text: 'y'.repeat(mib) }));
    const empty = JSON.stringify({ create: [...full, { text: '' }] }).length;
    const whole = { create: [...full, { text: 'y'.repeat(16 * mib - empty) }] };
    assert.equal(JSON.stringify(whole).length, 16 * mib);
    resultOf(await items.call('POST', '/batch', whole));
  });

  it('a body above 16 MiB is a 413 and does nothing', async () => {
    const before = await items.total();
    const create = Array.from({ length: 17 }, () => ({ text: 'z'.repeat(mib) }));
    assertRefused(await items.call('POST', '/batch', { create }), 413);
    assertRefused(await app.call('POST', `${path}/_batch`, { body: asOperations(create) }), 413);
    assert.equal(await items.total(), before);
  });

  it('large bodies are held for each caller as many as may be: more wait, and then it is a 429', async () => {
    const clients: { leave: () => void; status: Promise<number> }[] = [];
    const send = () => {
      const client = new AbortController();
      const sent = new ReadableStream({
        start: (body) => client.signal.addEventListener('abort', () => body.error(new Error('gone'))),
      });
      const init = { method: 'POST', body: sent, duplex: 'half', signal: client.signal };
      const request = new Request(`http://vitrine.test${items.path}/batch`, {
        ...init,
        headers: { 'content-type': 'application/json' },
      } as RequestInit);
      const status = Promise.resolve(app.fetch(request)).then((reply) => reply.status);
      clients.push({ leave: () => client.abort(), status });
      return status;
    };
    for (let n = 0; n < 8 + 64; n++) void send();
    assert.equal(await send(), 429);
    // A batch that is small needs no turn.
    resultOf(await items.call('POST', '/batch', { create: [{ text: 'small' }] }));
    for (const { leave } of clients) leave();
    const statuses = await Promise.all(clients.map(({ status }) => status));
    assert.ok(statuses.every((status) => status >= 400));
    resultOf(await items.call('POST', '/batch', { create: [{ text: 'x'.repeat(1.5 * mib) }] }));
  });

  it('the body is JSON, as everywhere', async () => {
    const send = (body: string, type = 'application/json') => {
      const init = { method: 'POST', body, headers: { 'content-type': type } };
      return app.fetch(new Request(`http://vitrine.test${items.path}/batch`, init));
    };
    assert.equal((await send('{"create":[')).status, 400);
    assert.equal((await send('{}', 'text/plain')).status, 415);
    assert.equal((await send(`{"create":[{"text":${'['.repeat(40)}${']'.repeat(40)}}]}`)).status, 400);
  });
});
