import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import type { Json } from '../../src/model/json.ts';
import { startApp, type TestApp } from '../harness.ts';
import { assertRefused, type Row, resultOf, strangerId } from '../support.ts';
import { makeWorld, type World } from './world.ts';

let app: TestApp;
let world: World;
let brand: Row;
let product: Row;
before(async () => {
  app = await startApp();
});
after(() => app.close());
beforeEach(async () => {
  world = await makeWorld(app);
  brand = await world.brands.create({ name: 'brand' });
  product = await world.products.create({ title: 'product', sku: 'A', brand: brand._id });
});

const refused = async (operations: Json, status: number, ...parts: (string | RegExp)[]) =>
  assertRefused(await world.changesNothing(() => world.operations(operations)), status, ...parts);
const create = (collection: string, data: Record<string, Json>) =>
  ({ method: 'create', collection, data }) as const;
const update = (collection: string, id: string, data: Record<string, Json>) =>
  ({ method: 'update', collection, id, data }) as const;
const remove = (collection: string, id: string) => ({ method: 'delete', collection, id }) as const;

describe('the batch of a project', () => {
  it('writes across collections, and answers each operation in its place', async () => {
    const results = await world.results([
      create('products', { title: 'new', price: 3 }),
      update('brands', brand._id, { name: 'renamed' }),
      create('reviews', { product: product._id, text: 'fine' }),
      remove('products', product._id),
      create('brands', { name: 'brand' }),
    ]);
    assert.equal(results.length, 5);
    assert.deepEqual(results[3], { _id: product._id });
    assert.equal(results[0]?.title, 'new');
    assert.deepEqual(await world.brands.view(brand._id), results[1]);
    assert.deepEqual(await world.brands.view(results[4]?._id ?? ''), results[4]);
    // The review went with its product, which was deleted after it was made.
    assert.equal(results[2]?.text, 'fine');
    assert.equal(await world.reviews.total(), 0);
    assert.deepEqual(await world.products.values('title'), ['new']);
  });

  it('runs the operations in the order sent', async () => {
    const [, again] = await world.results([
      remove('products', product._id),
      create('products', { title: 'again', sku: 'A' }),
    ]);
    assert.equal(again?.sku, 'A');
    await refused(
      [create('products', { title: 'x', sku: 'A' }), remove('products', again?._id ?? '')],
      409,
      'operations[0].sku',
    );
    const results = await world.results([
      update('products', again?._id ?? '', { price: 1 }),
      update('products', again?._id ?? '', { tags: ['x'] }),
      remove('products', again?._id ?? ''),
    ]);
    assert.deepEqual([results[1]?.price, results[1]?.tags], [1, ['x']]);
  });

  it('sees what the operations before did: nothing is there after its deletion', async () => {
    await refused(
      [remove('products', product._id), update('products', product._id, { price: 1 })],
      404,
      'operations[1]',
    );
    await refused([remove('products', product._id), remove('products', product._id)], 404, 'operations[1]');
    await refused(
      [remove('products', product._id), create('reviews', { product: product._id })],
      400,
      'operations[1].product',
    );
    await refused(
      [create('orders', { product: product._id }), remove('products', product._id)],
      409,
      'operations[1]',
      'orders.product',
    );
    const order = await world.orders.create({ product: product._id });
    await refused([remove('products', product._id), remove('orders', order._id)], 409, 'operations[0]');
    await world.results([remove('orders', order._id), remove('products', product._id)]);
  });

  it('of nothing is nothing', async () => {
    assert.deepEqual(await world.results([]), []);
  });

  it('a body of another shape is a 400 that says where', async () => {
    const good = create('brands', { name: 'x' });
    const shapes: readonly (readonly [Json, ...string[]])[] = [
      [{}, 'operations: must be an array'],
      [null, 'operations: must be an array'],
      [[good, 5], 'operations[1]: must be an object'],
      [
        [good, { method: 'upsert', collection: 'brands', data: {} }],
        'operations[1].method: must be one of create, update, delete',
      ],
      [[{ collection: 'brands', data: {} }], 'operations[0].method:'],
      [
        [{ method: 'create', data: {} }, { method: 'delete' }],
        'operations[0].collection:',
        'operations[1].collection:',
      ],
      [[{ method: 'create', collection: 5, data: {} }], 'operations[0].collection:'],
      [[{ method: 'create', collection: 'brands' }], 'operations[0].data: must be an object'],
      [[{ method: 'create', collection: 'brands', data: [] }], 'operations[0].data: must be an object'],
      [[{ method: 'update', collection: 'brands', data: {} }], 'operations[0].id:'],
      [[{ method: 'update', collection: 'brands', id: brand._id }], 'operations[0].data:'],
      [
        [
          { method: 'delete', collection: 'brands' },
          { method: 'delete', collection: 'brands', id: 7 },
        ],
        'operations[0].id:',
        'operations[1].id:',
      ],
      [[{ ...good, id: strangerId }], 'operations[0].id:'],
      [[{ ...remove('brands', brand._id), data: {} }], 'operations[0].data:'],
      [[{ ...good, dta: {} }], 'operations[0].dta:', "did you mean 'data'"],
    ];
    for (const [operations, ...parts] of shapes) await refused(operations, 400, ...parts);
    const extra = await app.call('POST', `${world.path}/_batch`, { body: { operations: [], oprations: [] } });
    assertRefused(extra, 400, 'oprations:');
    assertRefused(
      await app.call('POST', `${world.path}/_batch`, { body: {} }),
      400,
      'operations: must be an array',
    );
  });

  it('reports every fault of every operation at once, each with its place', async () => {
    await refused(
      [
        create('brands', { name: 'fine' }),
        create('brands', {}),
        update('products', product._id, { price: -1, titel: 'x' }),
        remove('brands', brand._id),
        create('reviews', { text: 5 }),
      ],
      400,
      'operations[1].name: is required',
      'operations[2].price: must be at least 0',
      "operations[2].titel: is not a field of this collection, did you mean 'title'",
      'operations[4].text:',
      'operations[4].product: is required',
    );
  });

  it('a collection or record that is not there is a 404 that names the operation', async () => {
    const good = create('brands', { name: 'x' });
    await refused([good, create('none', {})], 404, 'operations[1]', 'none');
    await refused([good, create('_users', {})], 404, 'operations[1]');
    await refused([good, update('brands', strangerId, {})], 404, 'operations[1]', strangerId);
    await refused([good, remove('brands', product._id)], 404, 'operations[1]', product._id);
  });

  it("a record of the same batch can't be updated or deleted: it has no id yet", async () => {
    for (const id of ['operations[0]', { $ref: 'operations[0]' }]) {
      const second = { method: 'update', collection: 'brands', id, data: { name: 'y' } };
      const reply = await world.changesNothing(() =>
        world.operations([create('brands', { name: 'x' }), second]),
      );
      assert.ok(reply.status === 400 || reply.status === 404, reply.text);
      assert.ok(reply.body.error.startsWith('operations[1]'), reply.text);
    }
  });

  it('is a POST without parameters, of a project that is there', async () => {
    for (const verb of ['GET', 'PATCH', 'PUT', 'DELETE']) {
      const reply = await app.call(verb, `${world.path}/_batch`);
      assertRefused(reply, 405);
      assert.match(reply.headers.get('allow') ?? '', /POST/);
    }
    assertRefused(await app.call('POST', `${world.path}/_batch?x=1`, { body: { operations: [] } }), 400, 'x');
    assertRefused(await app.call('POST', '/v1/none/_batch', { body: { operations: [] } }), 404, 'none');
  });
});

describe('batches and other writes at the same moment', () => {
  it('a batch that is refused takes nobody else along', async () => {
    const bad = [create('products', { title: 'bad' }), create('products', { title: 'bad', sku: 'A' })];
    const sent = Array.from({ length: 30 }, (_, at) => {
      if (at % 3 === 0) return world.operations(bad);
      if (at % 3 === 1) return world.products.call('POST', '', { title: `good ${at}`, sku: `S${at}` });
      return world.batch('products', { create: [{ title: `good ${at}` }, { title: `good ${at}, too` }] });
    });
    const replies = await Promise.all(sent);
    assert.deepEqual(
      replies.map(({ status }) => status),
      replies.map((_, at) => [409, 201, 200][at % 3]),
    );
    assert.equal(await world.products.total(), 1 + 10 + 20);
    assert.equal(await world.products.total('search=bad'), 0);
    assert.equal(await world.products.total('search=good'), 30);
    const listed = (await world.products.list('perPage=1000')).found;
    assert.equal(listed.length, 31);
    resultOf(await world.products.call('POST', '', { title: 'after' }), 201);
    assert.equal(await world.products.total(), 32);
  });

  it('of batches that want the same unique value exactly one gets it', async () => {
    const sent = Array.from({ length: 10 }, (_, at) =>
      world.operations([
        create('brands', { name: `b${at}` }),
        create('products', { title: 'x', sku: 'one' }),
      ]),
    );
    const statuses = (await Promise.all(sent)).map(({ status }) => status);
    assert.deepEqual(statuses.toSorted(), [200, ...Array.from({ length: 9 }, () => 409)]);
    assert.equal(await world.brands.total(), 2);
  });
});
