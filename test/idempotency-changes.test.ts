import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Json } from '../src/model/json.ts';
import { adminKey, type Reply, startApp, type TestApp } from './harness.ts';
import { asAdmin, assertRefused, definition, makeProject, Records, resultOf } from './support.ts';

let app: TestApp;
let path: string;
let items: Records;
before(async () => {
  app = await startApp();
  const fields = { n: { type: 'number', min: 0 } };
  path = await makeProject(app, definition('items', fields), definition('batch', fields));
  items = new Records(app, `${path}/items`);
});
after(() => app.close());

const send = (verb: string, rest: string, key: string, body?: Json, headers: Record<string, string> = {}) =>
  app.call(verb, `${path}/${rest}`, { body, headers: { 'idempotency-key': key, ...headers } });

function assertReplayed(first: Reply, again: Reply): void {
  assert.deepEqual([again.status, again.text], [first.status, first.text]);
  assert.equal(again.headers.get('etag'), first.headers.get('etag'));
  assert.equal(first.headers.get('idempotency-replayed'), null);
  assert.equal(again.headers.get('idempotency-replayed'), 'true');
}

describe('Idempotency-Key on Update', () => {
  it('replays the first answer, whatever became of the record since', async () => {
    const { _id } = await items.create({ n: 1 });
    const first = await send('PATCH', `items/${_id}`, 'u1', { n: 2 });
    assert.equal(resultOf(first).n, 2);
    await items.update(_id, { n: 3 });
    assertReplayed(first, await send('PATCH', `items/${_id}`, 'u1', { n: 2 }));
    assert.equal((await items.view(_id)).n, 3);
    assertRefused(await send('PATCH', `items/${_id}`, 'u1', { n: 4 }), 409, 'Idempotency-Key');
    await items.remove(_id);
    assertReplayed(first, await send('PATCH', `items/${_id}`, 'u1', { n: 2 }));
  });

  it('is for one record; and with If-Match the retry of a change that was made is not a 412', async () => {
    const [one, two] = await items.createAll([{ n: 1 }, { n: 1 }]);
    const tag = (await items.call('GET', `/${one?._id}`)).headers.get('etag') ?? '';
    const first = await send('PATCH', `items/${one?._id}`, 'u2', { n: 5 }, { 'if-match': tag });
    assert.equal(first.status, 200);
    assertReplayed(first, await send('PATCH', `items/${one?._id}`, 'u2', { n: 5 }, { 'if-match': tag }));
    assert.equal(
      (await send('PATCH', `items/${two?._id}`, 'u2', { n: 5 })).headers.get('idempotency-replayed'),
      null,
    );
  });

  it('keeps no refusal', async () => {
    const { _id } = await items.create({ n: 1 });
    assertRefused(await send('PATCH', `items/${_id}`, 'u3', { n: -1 }), 400, 'n: must be at least 0');
    assert.equal((await send('PATCH', `items/${_id}`, 'u3', { n: 1 })).status, 200);
    assertRefused(await send('PATCH', `items/${_id}x`, 'u3', { n: 1 }), 404, 'There is no record');
    assertRefused(
      await send('PATCH', `items/${_id}`, '', { n: 1 }),
      400,
      'Idempotency-Key: must be 1 to 255',
    );
  });
});

describe('Idempotency-Key on Delete', () => {
  it('answers the deletion again, where without it there is a 404', async () => {
    const { _id } = await items.create({ n: 1 });
    const first = await send('DELETE', `items/${_id}`, 'd1');
    assert.deepEqual(resultOf(first), { _id });
    assertReplayed(first, await send('DELETE', `items/${_id}`, 'd1'));
    assertRefused(await send('DELETE', `items/${_id}`, 'd2'), 404);
  });
});

describe('answers that are kept', () => {
  it('go with their collection, and with no other, be it called batch', async () => {
    const manage = `/v1/_admin/projects/${path.slice(4)}/collections`;
    const batch = new Records(app, `${path}/batch`);
    const first = await send('POST', 'batch', 'c1', { n: 1 });
    const made = await batch.create({ n: 2 });
    const change = await send('PATCH', `batch/${made._id}`, 'c1', { n: 3 });
    await app.call('POST', manage, { token: adminKey, body: definition('x', { n: { type: 'number' } }) });
    const gone = resultOf(await send('POST', 'x', 'c1', { n: 1 }), 201);
    resultOf(await send('PATCH', `x/${gone._id}`, 'c1', { n: 2 }));
    assert.equal((await app.call('DELETE', `${manage}/x?confirm=destructive`, asAdmin)).status, 200);
    assertReplayed(first, await send('POST', 'batch', 'c1', { n: 1 }));
    assertReplayed(change, await send('PATCH', `batch/${made._id}`, 'c1', { n: 3 }));
    await app.call('POST', manage, { token: adminKey, body: definition('x', { n: { type: 'number' } }) });
    assertRefused(await send('PATCH', `x/${gone._id}`, 'c1', { n: 2 }), 404);
  });

  it('of a batch over collections stay when one of the project is deleted or renamed', async () => {
    const manage = `/v1/_admin/projects/${path.slice(4)}/collections`;
    const fields = { n: { type: 'number' } };
    for (const id of ['y', 'z']) await app.call('POST', manage, { ...asAdmin, body: definition(id, fields) });
    const create = (collection: string) => ({ method: 'create', collection, data: { n: 7 } });
    const both = { operations: [create('items'), create('y')] };
    const one = { operations: [create('items')] };
    const first = await send('POST', '_batch', 'b1', one);
    const second = await send('POST', '_batch', 'b2', both);
    assert.deepEqual([first.status, second.status], [200, 200], second.text);
    const total = await items.total();
    resultOf(await app.call('PUT', `${manage}/z`, { ...asAdmin, body: definition('zz', fields) }));
    assertReplayed(second, await send('POST', '_batch', 'b2', both));
    assert.equal((await app.call('DELETE', `${manage}/y?confirm=destructive`, asAdmin)).status, 200);
    assertReplayed(first, await send('POST', '_batch', 'b1', one));
    assertRefused(await send('POST', '_batch', 'b2', both), 404, "'y'");
    assert.equal(await items.total(), total);
  });
});
