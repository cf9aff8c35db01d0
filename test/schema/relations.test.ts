import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { JsonObject } from '../../src/model/json.ts';
import { startApp, type TestApp } from '../harness.ts';
import { assertRefused, definition, type Row, resultOf, strangerId } from '../support.ts';
import { identities, listOf, relation, Schema, text } from './support.ts';

let app: TestApp;
before(async () => {
  app = await startApp();
});
after(() => app.close());

const single = relation('brands');
const multiple = relation('brands', { kind: 'multiple' });

async function shop(brand: JsonObject): Promise<{ schema: Schema; brands: Row[]; products: Row[] }> {
  const schema = await Schema.make(
    app,
    definition('brands', { name: text }),
    definition('makers', { name: text }),
    definition('products', { title: text, brand }),
  );
  const brands = await schema.records('brands').createAll([{ name: 'Acme' }, { name: 'Best' }]);
  await schema.records('makers').create({ name: 'Maker' });
  const [first, second] = brands.map(({ _id }) => _id);
  const many = brand.kind === 'multiple';
  const values = many ? [[first, second], [second], []] : [first, second, null];
  const products = await schema
    .records('products')
    .createAll(values.map((value, at) => ({ title: `t${at}`, brand: value as string })));
  return { schema, brands, products };
}

const names = (rows: readonly Row[] | undefined) => (rows ?? []).map(({ name }) => name).sort();

describe('a relation', () => {
  it('from single to multiple keeps its value, and filters, include and deletion follow', async () => {
    const { schema, brands } = await shop(single);
    const [first, second] = brands.map(({ _id }) => _id);
    const products = schema.records('products');
    const before = await identities(products);
    const plan = await schema.plan('products', definition('products', { title: text, brand: multiple }));
    assert.equal(plan.steps[0]?.kind, 'changeType');
    assert.equal(plan.steps[0]?.records, 2);
    assert.equal(plan.destructive, false);
    await schema.change('products', { title: text, brand: multiple });
    assert.deepEqual(await products.values('brand'), [[first], [second], []]);
    assert.deepEqual(await identities(products), before);
    assert.deepEqual(await products.values('title', `brand=${second}`), ['t1']);
    assert.deepEqual(names((await products.list('include=brand'))._include.brand), ['Acme', 'Best']);
    assert.deepEqual(
      new Set((await products.distinct('fields=brand')).brand as string[]),
      new Set(brands.map(({ _id }) => _id)),
    );
    await schema.records('brands').remove(String(first));
    assert.deepEqual(await products.values('brand'), [[], [second], []]);
  });

  it('from multiple to single loses values, and says so', async () => {
    const { schema } = await shop(multiple);
    const body = definition('products', { title: text, brand: single });
    await schema.refused('products', body, 409, 'brand', '2 records', 'lost', 'confirm=destructive');
    assert.equal((await schema.plan('products', body)).destructive, true);
    resultOf(await schema.put('products', body, 'confirm=destructive'));
    assert.deepEqual(await schema.records('products').values('brand'), [null, null, null]);
  });

  it('to another collection loses values: no record there is meant by them', async () => {
    const { schema, brands } = await shop(single);
    const products = schema.records('products');
    const body = definition('products', { title: text, brand: relation('makers') });
    await schema.refused('products', body, 409, 'brand', '2 records', 'makers', 'confirm=destructive');
    resultOf(await schema.put('products', body, 'confirm=destructive'));
    assert.deepEqual(await products.values('brand'), [null, null, null]);
    await schema.records('brands').remove(String(brands[0]?._id));
    const [maker] = (await schema.records('makers').list()).found;
    const [product] = (await products.list()).found;
    await products.update(String(product?._id), { brand: String(maker?._id) });
    assert.deepEqual(names((await products.list('include=brand'))._include.brand), ['Maker']);
    assertRefused(
      await products.call('PATCH', `/${product?._id}`, { brand: String(brands[1]?._id) }),
      400,
      'brand',
    );
  });

  it('to text becomes the _id, which deletion then leaves alone; multiple becomes a list', async () => {
    const one = await shop(single);
    const ids = one.brands.map(({ _id }) => _id);
    await one.schema.change('products', { title: text, brand: text });
    await one.schema.records('brands').remove(String(ids[0]));
    assert.deepEqual(await one.schema.records('products').values('brand'), [...ids, null]);
    assert.deepEqual(await one.schema.records('products').values('title', `search=${ids[0]}`), ['t0']);
    const many = await shop(multiple);
    await many.schema.change('products', { title: text, brand: listOf('text') });
    const [first, second] = many.brands.map(({ _id }) => _id);
    await many.schema.records('brands').remove(String(second));
    assert.deepEqual(await many.schema.records('products').values('brand'), [[first, second], [second], []]);
  });

  it('changes what deletion does, at once', async () => {
    const { schema, brands, products } = await shop(single);
    const [first, second] = brands.map(({ _id }) => String(_id));
    const rows = schema.records('products');
    const before = await identities(rows);
    await schema.change('products', { title: text, brand: { ...single, onDelete: 'restrict' } });
    assertRefused(await schema.records('brands').call('DELETE', `/${first}`), 409);
    await schema.change('products', { title: text, brand: { ...single, onDelete: 'cascade' } });
    assert.deepEqual(await identities(rows), before);
    await schema.records('brands').remove(String(first));
    assert.deepEqual(await rows.values('title'), ['t1', 't2']);
    await schema.change('products', { title: text, brand: { ...single, onDelete: 'clear' } });
    await schema.records('brands').remove(String(second));
    assert.deepEqual(await rows.values('brand'), [null, null]);
    assert.equal((await rows.list()).total, products.length - 1);
  });

  it('keeps restricting and cascading after other fields changed', async () => {
    for (const onDelete of ['restrict', 'cascade', 'clear']) {
      const { schema, brands } = await shop({ ...multiple, onDelete });
      const [, second] = brands.map(({ _id }) => String(_id));
      await schema.change('products', { title: text, brand: { ...multiple, onDelete }, extra: text });
      await schema.change('brands', { name: text, extra: text });
      const reply = await schema.records('brands').call('DELETE', `/${second}`);
      assert.equal(reply.status, onDelete === 'restrict' ? 409 : 200, reply.text);
      const left = { restrict: ['t0', 't1', 't2'], cascade: ['t2'], clear: ['t0', 't1', 't2'] }[onDelete];
      assert.deepEqual(await schema.records('products').values('title'), left);
      assert.equal(
        await schema.records('products').total(`brand=${second}`),
        onDelete === 'restrict' ? 2 : 0,
      );
    }
  });

  it('that is removed no longer holds a record back', async () => {
    const { schema, brands } = await shop({ ...single, onDelete: 'restrict' });
    resultOf(await schema.put('products', definition('products', { title: text }), 'confirm=destructive'));
    await schema.records('brands').remove(String(brands[0]?._id));
    assert.equal(await schema.records('products').total(), 3);
  });

  it('that is added needs a collection, and records that its default names', async () => {
    const { schema } = await shop(single);
    await schema.refused('products', definition('products', { maker: relation('nowhere') }), 400, 'maker.to');
    const maker = relation('makers', { default: strangerId });
    const reply = await schema.put('products', definition('products', { title: text, brand: single, maker }));
    const { found } = await schema.records('products').list();
    assert.deepEqual(
      found.filter((row) => row.maker === strangerId),
      [],
      'records relate to one that does not exist',
    );
    assert.ok([400, 409].includes(reply.status), reply.text);
  });

  it('takes no default', async () => {
    const { schema } = await shop(single);
    const [maker] = (await schema.records('makers').list()).found;
    for (const value of [String(maker?._id), null, []]) {
      const made = relation('makers', { default: value });
      const body = definition('products', { title: text, brand: single, made });
      await schema.refused('products', body, 400, 'fields.made.default: is not possible for a relation');
    }
  });

  it('gets maxItems and minItems checked', async () => {
    const { schema, products } = await shop(multiple);
    const body = (more: JsonObject) =>
      definition('products', { title: text, brand: { ...multiple, ...more } });
    await schema.refused('products', body({ maxItems: 1 }), 409, /\b1 record\b/, String(products[0]?._id));
    await schema.refused('products', body({ required: true }), 409, /\b1 record\b/, String(products[2]?._id));
    resultOf(await schema.put('products', body({ maxItems: 2 })));
  });
});

describe('a collection that is renamed', () => {
  it('keeps its records, and the relations of others and of itself follow', async () => {
    const parent = relation('brands', { onDelete: 'cascade' });
    const schema = await Schema.make(
      app,
      definition('brands', { name: text, parent }, { name: 'Brands' }),
      definition('products', { title: text, brand: multiple, first: { ...single, onDelete: 'restrict' } }),
    );
    const acme = await schema.records('brands').create({ name: 'Acme' });
    await schema.records('brands').create({ name: 'Child', parent: acme._id });
    await schema.records('products').create({ title: 'one', brand: [acme._id] });
    const before = await identities(schema.records('brands'));
    const fields = { name: text, parent: { ...parent, to: 'labels' } };
    const body = definition('labels', fields, { name: 'Brands' });
    const plan = await schema.plan('brands', body);
    assert.deepEqual(plan.destructive, false);
    assert.deepEqual(
      plan.steps.map(({ kind, from, to }) => ({ kind, from, to })),
      [{ kind: 'renameCollection', from: 'brands', to: 'labels' }],
    );
    const changed = resultOf(await schema.put('brands', body));
    assert.equal(changed.id, 'labels');
    assert.deepEqual(changed.fields, (await schema.view('labels')).fields);
    const products = (await schema.view('products')).fields as Record<string, JsonObject>;
    assert.deepEqual([products.brand?.to, products.first?.to], ['labels', 'labels']);
    assert.equal(((await schema.view('labels')).fields as Record<string, JsonObject>).parent?.to, 'labels');
    assertRefused(await schema.records('brands').call('GET', ''), 404, 'brands');
    assertRefused(await schema.put('brands', definition('brands', {})), 404, 'brands');
    await app.reopen();
    const labels = schema.records('labels');
    assert.deepEqual(await identities(labels), before);
    assert.equal(await labels.total('search=child'), 1);
    const listed = await schema.records('products').list('include=brand,brand.parent');
    assert.deepEqual(names(listed._include.brand), ['Acme']);
    await labels.remove(acme._id);
    assert.equal(await labels.total(), 0);
    assert.deepEqual(await schema.records('products').values('brand'), [[]]);
  });

  it('may change its fields at once, and its old name is free', async () => {
    const { schema, brands } = await shop({ ...single, onDelete: 'restrict' });
    const fields = { title: { ...text, renamedFrom: 'name' }, extra: { ...text, default: 'x' } };
    resultOf(await schema.put('brands', definition('labels', fields)));
    const labels = schema.records('labels');
    assert.deepEqual(await labels.values('title'), ['Acme', 'Best']);
    assert.deepEqual(await labels.values('extra'), ['x', 'x']);
    assertRefused(await labels.call('DELETE', `/${brands[0]?._id}`), 409);
    const free = await app.call('POST', schema.path, {
      token: 'test-administrator-key',
      body: definition('brands', { name: text }),
    });
    resultOf(free, 201);
    assert.equal(await schema.records('brands').total(), 0);
    assert.equal((await schema.records('products').list('include=brand'))._include.brand?.length, 2);
    await schema.refused('labels', definition('brands', fields), 409, 'brands');
    await schema.refused('labels', definition('Bad Name', {}), 400, 'id');
  });
});
