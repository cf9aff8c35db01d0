import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import type { Json, JsonObject } from '../../src/model/json.ts';
import { startApp, type TestApp } from '../harness.ts';
import { assertRefused, type Row, resultOf } from '../support.ts';
import { makeWorld, type World } from './world.ts';

let app: TestApp;
let world: World;
let old: Row;
before(async () => {
  app = await startApp();
});
after(() => app.close());
beforeEach(async () => {
  world = await makeWorld(app);
  old = await world.products.create({ title: 'old' });
});

const ref = (place: Json): JsonObject => ({ $ref: place });
const create = (collection: string, data: JsonObject) => ({ method: 'create', collection, data }) as const;
const refused = async (send: () => ReturnType<World['batch']>, ...parts: (string | RegExp)[]) =>
  assertRefused(await world.changesNothing(send), 400, ...parts);

describe('$ref in the batch of a project', () => {
  it('is the record made earlier: in a single and a multiple relation, in chains', async () => {
    const [brand, first, second, review, reply] = await world.results([
      create('brands', { name: 'b' }),
      create('products', { title: 'first', brand: ref('operations[0]') }),
      create('products', {
        title: 'second',
        brand: ref('operations[0]'),
        similar: [ref('operations[1]'), old._id],
      }),
      create('reviews', { product: ref('operations[2]') }),
      create('reviews', { product: ref('operations[1]'), previous: ref('operations[3]') }),
    ]);
    assert.equal(first?.brand, brand?._id);
    assert.deepEqual(second?.similar, [first?._id, old._id]);
    assert.equal(review?.product, second?._id);
    assert.deepEqual([reply?.product, reply?.previous], [first?._id, review?._id]);
    for (const row of [first, second]) assert.deepEqual(await world.products.view(row?._id ?? ''), row);
    const { _include } = await world.reviews.list('include=product.brand,previous');
    assert.deepEqual(_include['product.brand'], [brand]);
    assert.deepEqual(await world.products.values('title', `brand=${brand?._id}`), ['first', 'second']);
  });

  it('works in updates, and lets a deletion behind it cascade', async () => {
    const [made, changed, review] = await world.results([
      create('products', { title: 'new' }),
      { method: 'update', collection: 'products', id: old._id, data: { similar: [ref('operations[0]')] } },
      create('reviews', { product: ref('operations[0]') }),
    ]);
    assert.deepEqual(changed?.similar, [made?._id]);
    assert.equal(review?.product, made?._id);
    await world.products.remove(made?._id ?? '');
    assert.equal(await world.reviews.total(), 0);
    assert.deepEqual((await world.products.view(old._id)).similar, []);
  });

  it('to an operation that comes later, to itself, or to none is a 400 with its place', async () => {
    const brand = create('brands', { name: 'b' });
    for (const place of [
      'operations[2]',
      'operations[1]',
      'operations[9]',
      'operations[-1]',
      'operations[00]',
    ]) {
      const operations = [
        brand,
        create('products', { title: 'x', brand: ref(place) }),
        create('brands', { name: 'c' }),
      ];
      await refused(() => world.operations(operations), 'operations[1].brand: ', '$ref');
    }
    for (const place of ['create[0]', 'operations', '', '0', ' operations[0]', 'constructor', '__proto__']) {
      const operations = [brand, create('products', { title: 'x', similar: [old._id, ref(place)] })];
      await refused(() => world.operations(operations), 'operations[1].similar[1]: ', '$ref');
    }
    const bare = [brand, create('products', { title: 'x', similar: ref('operations[0]') })];
    await refused(
      () => world.operations(bare),
      'operations[1].similar: must be an array of _ids, not an object',
    );
  });

  it('must be a text, and alone in its object', async () => {
    const brand = create('brands', { name: 'b' });
    for (const wrong of [
      ref(0),
      ref(null),
      ref(['operations[0]']),
      ref({ $ref: 'operations[0]' }),
      { ...ref('operations[0]'), more: 1 },
      {},
    ]) {
      await refused(
        () => world.operations([brand, create('products', { title: 'x', brand: wrong })]),
        'operations[1].brand',
      );
    }
  });

  it('to an update or a deletion is a 400: only creations have a new record', async () => {
    const others = [
      { method: 'update', collection: 'products', id: old._id, data: {} },
      { method: 'delete', collection: 'products', id: old._id },
    ];
    for (const other of others) {
      const operations = [other, create('reviews', { product: ref('operations[0]') })];
      await refused(() => world.operations(operations), 'operations[1].product: ', '$ref');
    }
  });

  it('to a record of another collection than the relation wants is a 400', async () => {
    const operations = [
      create('products', { title: 'x' }),
      create('products', { title: 'y', brand: ref('operations[0]') }),
    ];
    await refused(() => world.operations(operations), 'operations[1].brand: ', 'brands');
  });

  it('is not needed for a record that was there, and one deleted earlier in the batch is a 400', async () => {
    const brand = await world.brands.create({ name: 'gone' });
    const operations = [
      { method: 'delete', collection: 'brands', id: brand._id },
      create('products', { title: 'x', brand: brand._id }),
    ];
    await refused(() => world.operations(operations), 'operations[1].brand: ');
  });

  it('in a field that is no relation is a 400', async () => {
    const brand = create('brands', { name: 'b' });
    const places: readonly (readonly [JsonObject, string])[] = [
      [{ title: ref('operations[0]') }, 'operations[1].title:'],
      [{ title: 'x', price: ref('operations[0]') }, 'operations[1].price:'],
      [{ title: 'x', tags: [ref('operations[0]')] }, 'operations[1].tags[0]:'],
      [{ title: 'x', brand: [ref('operations[0]')] }, 'operations[1].brand'],
      [{ title: 'x', similar: ref('operations[0]') }, 'operations[1].similar'],
      [{ title: 'x', nonsense: ref('operations[0]') }, 'operations[1].nonsense:'],
    ];
    for (const [data, place] of places)
      await refused(() => world.operations([brand, create('products', data)]), place);
  });

  it('the same record twice in a multiple relation is a 400, as with its _id', async () => {
    const twice = [ref('operations[0]'), ref('operations[0]')];
    const operations = [
      create('products', { title: 'x' }),
      create('products', { title: 'y', similar: twice }),
    ];
    await refused(() => world.operations(operations), 'operations[1].similar');
  });

  it('that is wrong is reported with all that is wrong beside it', async () => {
    const data = {
      price: -1,
      brand: ref('operations[7]'),
      similar: [ref('operations[8]'), ref('operations[9]')],
    };
    await refused(
      () => world.operations([create('products', data), create('brands', {})]),
      'operations[0].brand:',
      'operations[1].name: is required',
      'operations[0].price: must be at least 0',
      'operations[0].title: is required',
      'operations[0].similar[0]:',
      'operations[0].similar[1]:',
    );
  });

  it('is nothing outside a batch', async () => {
    const reply = await world.products.call('POST', '', { title: 'x', brand: ref('operations[0]') });
    assertRefused(reply, 400, 'brand:');
  });
});

describe('$ref in the batch of a collection', () => {
  it('is create[n], for later creations and for updates', async () => {
    const body = {
      create: [
        { title: 'a' },
        { title: 'b', similar: [ref('create[0]'), old._id] },
        { title: 'c', similar: [ref('create[1]'), ref('create[0]')] },
      ],
      update: [{ _id: old._id, similar: [ref('create[2]')] }],
    };
    const result = resultOf(await world.batch('products', body)) as unknown as {
      created: Row[];
      updated: Row[];
    };
    const [a, b, c] = result.created.map(({ _id }) => _id);
    assert.deepEqual(
      result.created.map(({ similar }) => similar),
      [[], [a, old._id], [b, a]],
    );
    assert.deepEqual(result.updated[0]?.similar, [c]);
    assert.deepEqual(await world.products.values('title', `similar=${a}`), ['b', 'c']);
  });

  it('to anything else is a 400 with its place', async () => {
    for (const place of ['create[1]', 'create[2]', 'operations[0]', 'update[0]', 'create', 'create[0].x']) {
      const body = { create: [{ title: 'a' }, { title: 'b', similar: [ref(place)] }, { title: 'c' }] };
      await refused(() => world.batch('products', body), 'create[1].similar[0]: ', '$ref');
    }
    const update = [{ _id: old._id, similar: [ref('create[0]')] }];
    await refused(() => world.batch('products', { update }), 'update[0].similar[0]: ', '$ref');
  });
});
