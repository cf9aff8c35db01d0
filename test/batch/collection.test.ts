import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import type { Json } from '../../src/model/json.ts';
import { startApp, type TestApp } from '../harness.ts';
import { assertRefused, type Row, resultOf, strangerId } from '../support.ts';
import { makeWorld, type World } from './world.ts';

let app: TestApp;
let world: World;
let first: Row;
let second: Row;
before(async () => {
  app = await startApp();
});
after(() => app.close());
beforeEach(async () => {
  world = await makeWorld(app);
  [first, second] = (await world.products.createAll([
    { title: 'first', sku: 'A', price: 1 },
    { title: 'second', sku: 'B', price: 2 },
  ])) as [Row, Row];
});

interface Batched {
  readonly created: Row[];
  readonly updated: Row[];
  readonly deleted: string[];
}
const send = async (body: Json) => resultOf(await world.batch('products', body)) as unknown as Batched;
const refused = async (body: Json, status: number, ...parts: (string | RegExp)[]) =>
  assertRefused(await world.changesNothing(() => world.batch('products', body)), status, ...parts);

describe('the batch of a collection', () => {
  it('creates, updates and deletes in one request, and answers in the order sent', async () => {
    const answer = await send({
      create: [{ title: 'c0', price: 5 }, { title: 'c1' }, { title: 'c2', tags: ['x'] }],
      update: [{ _id: second._id, title: 'second, changed' }],
      delete: [first._id],
    });
    assert.deepEqual(Object.keys(answer), ['created', 'updated', 'deleted']);
    assert.deepEqual(
      answer.created.map(({ title }) => title),
      ['c0', 'c1', 'c2'],
    );
    for (const row of [...answer.created, ...answer.updated])
      assert.deepEqual(await world.products.view(row._id), row);
    assert.equal(answer.updated[0]?.title, 'second, changed');
    assert.equal(answer.updated[0]?.price, 2, 'fields that were not sent stay');
    assert.ok((answer.updated[0]?._updatedAt ?? '') > second._updatedAt);
    assert.deepEqual(answer.deleted, [first._id]);
    assertRefused(await world.products.call('GET', `/${first._id}`), 404);
    const titles = await world.products.values('title');
    assert.deepEqual(titles, ['second, changed', 'c0', 'c1', 'c2'], 'creation order is the order sent');
    assert.equal(await world.products.total('search=c1'), 1);
  });

  it('keeps the order of updates and deletions, whatever that of the records', async () => {
    const { updated } = await send({
      update: [
        { _id: second._id, price: 9 },
        { _id: first._id, price: 8 },
      ],
    });
    assert.deepEqual(
      updated.map(({ _id, price }) => [_id, price]),
      [
        [second._id, 9],
        [first._id, 8],
      ],
    );
    assert.deepEqual((await send({ delete: [second._id, first._id] })).deleted, [second._id, first._id]);
  });

  it('takes any of the three, and none', async () => {
    const nothing = { created: [], updated: [], deleted: [] };
    assert.deepEqual(await send({}), nothing);
    assert.deepEqual(await send({ create: [], update: [], delete: [] }), nothing);
    assert.equal((await send({ create: [{ title: 'x' }] })).created.length, 1);
    assert.deepEqual((await send({ delete: [first._id] })).deleted, [first._id]);
    assert.equal((await send({ update: [{ _id: second._id }] })).updated[0]?.title, 'second');
  });

  it('updates one record twice, each on top of the other', async () => {
    const { updated } = await send({
      update: [
        { _id: first._id, price: 5 },
        { _id: first._id, title: 'twice' },
      ],
    });
    assert.deepEqual([updated[1]?.price, updated[1]?.title], [5, 'twice']);
    assert.ok((updated[1]?._updatedAt ?? '') > (updated[0]?._updatedAt ?? ''));
    assert.deepEqual(await world.products.view(first._id), updated[1]);
  });

  it('creates before it updates and updates before it deletes', async () => {
    const { created, updated } = await send({
      delete: [second._id],
      update: [{ _id: second._id, title: 'about to go' }],
      create: [{ title: 'new' }],
    });
    assert.equal(updated[0]?.title, 'about to go');
    assert.deepEqual(await world.products.values('_id'), [first._id, created[0]?._id]);
    await refused(
      { create: [{ title: 'x', sku: 'A' }], delete: [first._id] },
      409,
      'create[0].sku: "A" is already taken',
    );
    resultOf(await world.batch('products', { update: [{ _id: first._id, sku: null }], delete: [first._id] }));
  });

  it('a body of another shape is a 400 that says where', async () => {
    const shapes: readonly (readonly [Json, ...string[]])[] = [
      [{ creat: [] }, 'creat:', "did you mean 'create'"],
      [{ create: {} }, 'create: must be an array'],
      [{ update: 'x', delete: 5 }, 'update: must be an array', 'delete: must be an array'],
      [
        { create: [1, null, [], 'x'] },
        'create[0]: must be an object',
        'create[1]:',
        'create[2]:',
        'create[3]:',
      ],
      [{ update: [{ title: 'x' }] }, 'update[0]._id:'],
      [{ update: [{ _id: 5 }, []] }, 'update[0]._id:', 'update[1]: must be an object'],
      [{ delete: [first._id, 5, {}, null] }, 'delete[1]:', 'delete[2]:', 'delete[3]:'],
      [{ operations: [] }, 'operations:'],
    ];
    for (const [body, ...parts] of shapes) await refused(body, 400, ...parts);
    for (const body of [[], 'x', null, 5]) await refused(body, 400);
  });

  it('reports every fault of every operation at once, each with its place', async () => {
    await refused(
      {
        create: [
          { title: 'good' },
          { price: -1 },
          { title: 'x', nonsense: 1 },
          { title: 'y'.repeat(41), price: 'z' },
        ],
        update: [
          { _id: first._id, title: null },
          { _id: second._id, tags: ['ok', 5] },
          { _id: first._id, prise: 1 },
        ],
        delete: [first._id],
      },
      400,
      'create[1].title: is required',
      'create[1].price: must be at least 0',
      'create[2].nonsense: is not a field',
      'create[3].title: must be',
      'create[3].price: must be a number',
      'update[0].title: is required',
      'update[1].tags[1]: must be',
      "update[2].prise: is not a field of this collection, did you mean 'price'",
      /^create\[1\]\..*; .*update\[2\]\.[^;]*$/,
    );
  });

  it('refuses what the service sets, in every operation', async () => {
    for (const name of ['_id', '_createdAt', '_updatedAt', '_owner', '_workspace']) {
      await refused(
        { create: [{ title: 'x' }, { title: 'x', [name]: first._id }] },
        400,
        `create[1].${name}:`,
      );
      if (name !== '_id')
        await refused({ update: [{ _id: first._id, [name]: null }] }, 400, `update[0].${name}:`);
    }
  });

  it('a record that is not there is a 404 that names the operation', async () => {
    const good = { create: [{ title: 'x' }] };
    await refused(
      { ...good, update: [{ _id: first._id }, { _id: strangerId }] },
      404,
      'update[1]',
      strangerId,
    );
    await refused({ ...good, delete: [first._id, strangerId] }, 404, 'delete[1]', strangerId);
    await refused({ ...good, delete: [first._id, first._id] }, 404, 'delete[1]', first._id);
    await refused({ delete: ['nonsense'] }, 404, 'delete[0]');
    const brand = await world.brands.create({ name: 'a' });
    await refused({ delete: [brand._id] }, 404, 'delete[0]');
  });

  it('a value that is taken is a 409 that names the operation and the field', async () => {
    await refused(
      { create: [{ title: 'x' }, { title: 'y', sku: 'A' }] },
      409,
      'create[1].sku: "A" is already taken',
    );
    await refused({ create: ['C', 'D', 'C'].map((sku) => ({ title: 'x', sku })) }, 409, 'create[2].sku: "C"');
    await refused({ update: [{ _id: second._id, sku: 'A' }] }, 409, 'update[0].sku: "A"');
    await refused(
      { create: [{ title: 'x', sku: 'E' }], update: [{ _id: first._id, sku: 'E' }] },
      409,
      'update[0].sku',
    );
  });

  it('frees a unique value for the operations behind', async () => {
    const { updated } = await send({
      update: [
        { _id: first._id, sku: null },
        { _id: second._id, sku: 'A' },
        { _id: first._id, sku: 'B' },
      ],
    });
    assert.deepEqual(
      updated.map(({ sku }) => sku),
      [null, 'A', 'B'],
    );
  });

  it('a deletion that a relation restricts is a 409 that names the operation', async () => {
    await world.orders.create({ product: second._id });
    await refused({ delete: [first._id, second._id] }, 409, 'delete[1]', 'orders.product');
  });

  it('takes along what cascades, and clears what does not', async () => {
    await world.reviews.createAll([{ product: first._id }, { product: second._id }]);
    await world.products.update(second._id, { similar: [first._id, second._id] });
    await send({ create: [{ title: 'x' }], delete: [first._id] });
    assert.deepEqual(await world.reviews.values('product'), [second._id]);
    assert.deepEqual((await world.products.view(second._id)).similar, [second._id]);
    const reviews = await world.reviews.values('_id');
    const reply = await world.operations([
      { method: 'delete', collection: 'products', id: second._id },
      { method: 'delete', collection: 'reviews', id: reviews[0] ?? '' },
    ]);
    assertRefused(reply, 404, 'operations[1]');
    assert.equal(await world.reviews.total(), 1);
  });

  it('is a POST without parameters', async () => {
    for (const verb of ['GET', 'PATCH', 'PUT', 'DELETE']) {
      const reply = await app.call(verb, `${world.path}/products/batch`);
      assertRefused(reply, 405);
      assert.match(reply.headers.get('allow') ?? '', /POST/);
    }
    assertRefused(
      await app.call('POST', `${world.path}/products/batch?dryRun=true`, { body: {} }),
      400,
      'dryRun',
    );
    assertRefused(await app.call('POST', `${world.path}/none/batch`, { body: {} }), 404, 'none');
    assertRefused(await app.call('POST', `${world.path}/products/batch`), 400);
  });
});
