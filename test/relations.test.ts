import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { JsonObject } from '../src/model/json.ts';
import { startApp, type TestApp } from './harness.ts';
import { everything, makeShop, relation, several } from './relation-world.ts';
import { asAdmin, assertRefused, definition, makeProject, Records, strangerId } from './support.ts';

let app: TestApp;
before(async () => {
  app = await startApp();
});
after(() => app.close());

const shop = (rel: JsonObject) => makeShop(app, rel);

describe('a related _id', () => {
  it('must exist, in Create and in Update', async () => {
    const [brands, products] = await shop(relation('brands'));
    const brand = await brands.create({ name: 'x' });
    const made = await products.create({ rel: brand._id });
    for (const rel of [strangerId, made._id, '', 'x', brand._id.toUpperCase()]) {
      assertRefused(await products.call('POST', '', { rel }), 400, 'rel:', 'brands');
      assertRefused(await products.call('PATCH', `/${made._id}`, { rel }), 400, 'rel:', 'brands');
    }
    await brands.remove(brand._id);
    assertRefused(await products.call('POST', '', { rel: brand._id }), 400, 'rel: there is no record');
    assert.equal(await products.total(), 1);
  });

  it('that an Update sends as it was is not looked up again', async () => {
    const hidden = definition('hidden', {}, { api: { access: 'user' } });
    const fields = { name: { type: 'text' }, one: relation('hidden'), many: several('hidden') };
    const path = await makeProject(app, hidden, definition('notes', fields));
    const secrets = new Records(app, `${path}/hidden`, asAdmin);
    const [a, b, c] = (await secrets.createAll([{}, {}, {}])).map(({ _id }) => _id) as [
      string,
      string,
      string,
    ];
    const made = await new Records(app, `${path}/notes`, asAdmin).create({ one: a, many: [a, b] });
    const notes = new Records(app, `${path}/notes`);
    const { _id, _createdAt, _updatedAt, ...whole } = made;
    assert.deepEqual((await notes.update(_id, { ...whole, name: 'x' })).many, [a, b]);
    const batch = { update: [{ _id, one: a, name: 'y' }] };
    assert.equal((await notes.call('POST', '/batch', batch)).status, 200);
    for (const change of [{ one: b }, { one: c }, { many: [b, a] }, { many: [a, b, c] }, { many: [a] }]) {
      assertRefused(await notes.call('PATCH', `/${_id}`, change), 400, 'there is no record');
    }
    assertRefused(await notes.call('POST', '', { one: a }), 400, 'one: there is no record');
    for (const id of [a, b])
      assertRefused(await notes.call('POST', '', { many: [a, b] }), 400, `many: there is no record '${id}'`);
    await notes.update(_id, { one: null, many: [] });
    assertRefused(await notes.call('PATCH', `/${_id}`, { one: a }), 400, 'one: there is no record');
  });

  it('must exist for each item of a multiple relation', async () => {
    const [brands, products] = await shop(several('brands'));
    const [x, y] = await brands.createAll([{}, {}]);
    const made = await products.create({ rel: [x?._id ?? '', y?._id ?? ''] });
    assert.deepEqual(made.rel, [x?._id, y?._id]);
    const rel = [x?._id ?? '', strangerId];
    assertRefused(await products.call('POST', '', { rel }), 400, 'rel', strangerId);
    assertRefused(await products.call('PATCH', `/${made._id}`, { rel }), 400, 'rel', strangerId);
    assert.deepEqual(await products.view(made._id), made);
    assert.deepEqual((await products.update(made._id, { rel: [y?._id ?? ''] })).rel, [y?._id]);
  });

  it('may not be in a multiple relation twice', async () => {
    const [brands, products] = await shop(several('brands'));
    const { _id } = await brands.create({});
    assertRefused(
      await products.call('POST', '', { rel: [_id, _id] }),
      400,
      'rel[1]: must not be there twice',
    );
  });

  it('that is missing is reported with the related records of every other field', async () => {
    const path = await makeProject(
      app,
      definition('people', { a: relation('people'), b: several('people') }),
    );
    const reply = await app.call('POST', `${path}/people`, { body: { a: strangerId, b: [strangerId] } });
    assertRefused(reply, 400, /^a: there is no record .*; b.*: there is no record/);
  });
});

describe('onDelete clear', () => {
  it('is what a relation does unless it is told otherwise: it unsets the field, and counts as a change', async () => {
    const [brands, products] = await shop(relation('brands'));
    const [x, y] = await brands.createAll([{}, {}]);
    const [p, q] = await products.createAll([
      { rel: x?._id ?? '', name: 'p' },
      { rel: y?._id ?? '', name: 'q' },
    ]);
    await brands.remove(x?._id ?? '');
    const now = await products.view(p?._id ?? '');
    assert.deepEqual(now, { ...p, rel: null, _updatedAt: now._updatedAt });
    assert.ok(now._updatedAt > (p?._updatedAt ?? ''));
    assert.deepEqual(await products.view(q?._id ?? ''), q);
    assert.equal(await products.total(`rel=${x?._id}`), 0);
    assert.deepEqual(await products.distinct('fields=rel'), { rel: [y?._id] });
    assert.deepEqual(await products.values('name', `rel!=${y?._id}`), ['p']);
  });

  it('takes the one _id out of a multiple relation and keeps the order of the others', async () => {
    const [brands, products] = await shop(several('brands', { minItems: 2 }));
    const [x, y, z] = (await brands.createAll([{}, {}, {}])).map(({ _id }) => _id);
    const made = await products.create({ rel: [z ?? '', x ?? '', y ?? ''] });
    await brands.remove(x ?? '');
    const now = await products.view(made._id);
    assert.deepEqual(now.rel, [z, y]);
    assert.ok(now._updatedAt > made._updatedAt);
    assert.deepEqual([await products.total(`rel=${x}`), await products.total(`rel=${y}`)], [0, 1]);
  });

  for (const [what, rel] of [
    ['a required relation', relation('brands', { required: true })],
    ['the last of a required multiple relation', several('brands', { required: true })],
  ] as const) {
    it(`of ${what} is a 409 that changes nothing`, async () => {
      const [brands, products] = await shop(rel);
      const brand = await brands.create({ name: 'x' });
      await products.create({ rel: 'kind' in rel ? [brand._id] : brand._id });
      const before = [await everything(brands), await everything(products)];
      assertRefused(await brands.call('DELETE', `/${brand._id}`), 409, 'products.rel');
      assert.deepEqual([await everything(brands), await everything(products)], before);
    });
  }

  it('below minItems is a 409 that changes nothing', async () => {
    const [brands, products] = await shop(several('brands', { minItems: 2 }));
    const [x, y, z] = (await brands.createAll([{}, {}, {}])).map(({ _id }) => _id);
    await products.create({ rel: [x ?? '', y ?? '', z ?? ''] });
    await products.create({ rel: [x ?? '', y ?? ''] });
    const before = [await everything(brands), await everything(products)];
    assertRefused(await brands.call('DELETE', `/${x}`), 409, 'products.rel', 'at least 2');
    assert.deepEqual([await everything(brands), await everything(products)], before);
    await brands.remove(z ?? '');
  });

  it('clears every field of a record that refers to the deleted one, also the record itself', async () => {
    const fields = {
      a: relation('people'),
      b: relation('people'),
      c: several('people'),
      name: { type: 'text' },
    };
    const people = new Records(app, `${await makeProject(app, definition('people', fields))}/people`);
    const { _id } = await people.create({ name: 'x' });
    await people.update(_id, { a: _id });
    const other = await people.create({ a: _id, b: _id, c: [_id], name: 'y' });
    await people.remove(_id);
    const { a, b, c, name } = await people.view(other._id);
    assert.deepEqual([a, b, c, name], [null, null, [], 'y']);
    assert.equal(await people.total(), 1);
  });

  it('clears several thousand records, whose search and totals stay right', async () => {
    const [brands, products] = await shop(relation('brands'));
    const { _id } = await brands.create({});
    const many = Array.from({ length: 3000 }, (_, n) => products.create({ rel: _id, name: `product ${n}` }));
    await Promise.all(many);
    assert.equal(await products.total(`rel=${_id}&perPage=1`), 3000);
    await brands.remove(_id);
    assert.equal(await products.total(`rel=${_id}&perPage=1`), 0);
    assert.equal(await products.total(`rel!=${strangerId}&perPage=1`), 3000);
    assert.equal(await products.total('search=product&perPage=1'), 3000);
    assert.equal(await products.total(), 3000);
  });
});

describe('onDelete restrict', () => {
  for (const [kind, rel] of Object.entries({ single: relation('brands'), multiple: several('brands') })) {
    it(`is a 409 while a ${kind} relation refers to the record, and says nothing of who`, async () => {
      const [brands, products] = await shop({ ...rel, onDelete: 'restrict' });
      const brand = await brands.create({});
      const made = await products.create({ rel: kind === 'single' ? brand._id : [brand._id] });
      const reply = await brands.call('DELETE', `/${brand._id}`);
      assertRefused(reply, 409, 'products.rel');
      assert.ok(!reply.text.includes(made._id));
      assert.deepEqual(await brands.view(brand._id), brand);
      await products.update(made._id, { rel: null });
      await brands.remove(brand._id);
    });
  }

  it('does not keep a record that refers to itself alone', async () => {
    const boss = relation('people', { onDelete: 'restrict' });
    const people = new Records(app, `${await makeProject(app, definition('people', { boss }))}/people`);
    const { _id } = await people.create({});
    await people.update(_id, { boss: _id });
    await people.remove(_id);
    assert.equal(await people.total(), 0);
  });
});
