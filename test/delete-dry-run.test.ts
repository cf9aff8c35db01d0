import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { JsonObject } from '../src/model/json.ts';
import { startApp, type TestApp } from './harness.ts';
import { asAdmin, assertRefused, definition, makeProject, Records, resultOf } from './support.ts';

const to = (target: string, onDelete: string, more: JsonObject = {}) => ({
  type: 'relation',
  to: target,
  onDelete,
  ...more,
});
const many = { kind: 'multiple' };

let app: TestApp;
let path: string;
before(async () => {
  app = await startApp();
  path = await makeProject(
    app,
    definition('brands', {}),
    definition('products', { brand: to('brands', 'cascade'), parent: to('products', 'cascade') }),
    definition('reviews', { product: to('products', 'cascade') }),
    definition('lists', {
      products: to('products', 'clear', { ...many, minItems: 2 }),
      brand: to('brands', 'clear'),
    }),
    definition('orders', { product: to('products', 'restrict'), brand: to('brands', 'clear') }),
    definition('needs', { brand: to('brands', 'clear', { required: true }) }),
  );
});
after(() => app.close());

const records = (id: string) => new Records(app, `${path}/${id}`, asAdmin);
const dryRun = async (id: string, record: string) =>
  resultOf(await records(id).call('DELETE', `/${record}?dryRun=true`));

describe('DELETE with dryRun=true', () => {
  it('tells by collection what would be deleted, cleared, and what forbids it, and does nothing', async () => {
    const brand = (await records('brands').create({}))._id;
    const none = { deletes: {}, clears: {}, restricts: {} };
    assert.deepEqual(await dryRun('brands', brand), none);
    const first = (await records('products').create({ brand }))._id;
    const child = (await records('products').create({ parent: first }))._id;
    const other = (await records('products').create({}))._id;
    await records('products').update(first, { parent: child });
    await records('reviews').createAll([
      { product: first },
      { product: child },
      { product: child },
      { product: other },
    ]);
    await records('lists').createAll([
      { products: [first, other], brand },
      { products: [child, first] },
      { brand },
    ]);
    await records('orders').createAll([{ product: first, brand }, { brand }, { product: other }]);
    await records('needs').createAll([{ brand }, { brand }]);
    assert.deepEqual(await dryRun('brands', brand), {
      deletes: { products: 2, reviews: 3 },
      clears: { lists: 2, orders: 1 },
      restricts: { lists: 1, orders: 1, needs: 2 },
    });
    assert.deepEqual(await dryRun('products', other), {
      deletes: { reviews: 1 },
      clears: {},
      restricts: { lists: 1, orders: 1 },
    });
    assert.equal(await records('products').total(), 3);
    assertRefused(await records('brands').call('DELETE', `/${brand}`), 409);
  });

  it('tells what then happens', async () => {
    const brand = (await records('brands').create({}))._id;
    const products = await records('products').createAll([{ brand }, { brand }]);
    await records('reviews').createAll(products.map(({ _id }) => ({ product: _id })));
    const { _id: order } = await records('orders').create({ brand });
    assert.deepEqual(await dryRun('brands', brand), {
      deletes: { products: 2, reviews: 2 },
      clears: { orders: 1 },
      restricts: {},
    });
    const before = await records('reviews').total();
    await records('brands').remove(brand);
    assert.equal(await records('reviews').total(), before - 2);
    assert.equal((await records('orders').view(order)).brand, null);
  });

  it('counts each record once, however many they are and to however many of the others they refer', async () => {
    const brand = (await records('brands').create({}))._id;
    const made = await records('products').createAll([{ brand }, { brand }, {}, {}]);
    const [first = '', second = '', ...others] = made.map(({ _id }) => _id);
    const lists = [
      [first, second, others[0] ?? ''],
      [first, second, ...others],
    ];
    for (const products of lists) {
      const create = Array.from({ length: 600 }, () => ({ products }));
      resultOf(await records('lists').call('POST', '/batch', { create }));
    }
    const create = Array.from({ length: 1000 }, () => ({ brand }));
    resultOf(await records('orders').call('POST', '/batch', { create }));
    await records('orders').create({ brand });
    assert.deepEqual(await dryRun('brands', brand), {
      deletes: { products: 2 },
      clears: { lists: 600, orders: 1001 },
      restricts: { lists: 600 },
    });
  });

  it('is for server keys and the administrator', async () => {
    const brand = (await records('brands').create({}))._id;
    const nobody = new Records(app, `${path}/brands`);
    assertRefused(await nobody.call('DELETE', `/${brand}?dryRun=true`), 403, 'dryRun is for server keys');
    assertRefused(
      await records('brands').call('DELETE', `/${brand}?dryRun=yes`),
      400,
      'dryRun: must be true or false',
    );
    assertRefused(
      await records('brands').call('DELETE', `/${brand}?dryrun=true`),
      400,
      "did you mean 'dryRun'?",
    );
    assertRefused(await records('brands').call('DELETE', '/nobody?dryRun=true'), 404);
    const key = await app.call('POST', `/v1/_admin/projects/${path.slice(4)}/keys`, {
      ...asAdmin,
      body: { name: 'k' },
    });
    const token = String(key.body.result.key);
    assert.equal((await app.call('DELETE', `${path}/brands/${brand}?dryRun=true`, { token })).status, 200);
    assert.equal((await nobody.call('DELETE', `/${brand}?dryRun=false`)).status, 200);
  });
});
