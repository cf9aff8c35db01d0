import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Json, JsonObject } from '../src/model/json.ts';
import { startApp, type TestApp } from './harness.ts';
import { everything, makeShop, relation, several } from './relation-world.ts';
import { assertRefused, definition, makeProject, Records, type Row } from './support.ts';

let app: TestApp;
before(async () => {
  app = await startApp();
});
after(() => app.close());

const shop = (rel: JsonObject) => makeShop(app, rel);

describe('onDelete cascade', () => {
  it('deletes the referring records with it, and theirs, and no others', async () => {
    const cascade = { onDelete: 'cascade' };
    const name = { type: 'text' };
    const path = await makeProject(
      app,
      definition('a', { name }),
      definition('b', { name, a: relation('a', cascade) }),
      definition('c', { name, b: several('b', cascade) }),
    );
    const [as, bs, cs] = ['a', 'b', 'c'].map((id) => new Records(app, `${path}/${id}`)) as [
      Records,
      Records,
      Records,
    ];
    const [a1, a2] = (await as.createAll([{}, {}])).map(({ _id }) => _id);
    const [b1, b2] = (await bs.createAll([{ a: a1 ?? '', name: 'gone' }, { a: a2 ?? '' }])).map(
      ({ _id }) => _id,
    );
    const [, , c3] = await cs.createAll([
      { b: [b1 ?? ''], name: 'gone' },
      { b: [b1 ?? '', b2 ?? ''] },
      { b: [b2 ?? ''] },
    ]);
    await as.remove(a1 ?? '');
    assert.deepEqual([await as.total(), await bs.total(), await cs.total()], [1, 1, 1]);
    assert.deepEqual(await everything(cs), [c3]);
    assert.deepEqual([await bs.total('search=gone'), await cs.total('search=gone')], [0, 0]);
    assert.deepEqual([await cs.total(`b=${b1}`), await bs.total(`a=${a1}`)], [0, 0]);
    assert.deepEqual(await cs.distinct('fields=b'), { b: [b2] });
  });

  it('goes round cycles once, and along chains to the end', async () => {
    const next = relation('nodes', { onDelete: 'cascade' });
    const nodes = new Records(app, `${await makeProject(app, definition('nodes', { next }))}/nodes`);
    const ring: Row[] = [];
    for (let count = 0; count < 50; count++)
      ring.push(await nodes.create({ next: ring.at(-1)?._id ?? null }));
    await nodes.update(ring[0]?._id ?? '', { next: ring.at(-1)?._id ?? null });
    const own = await nodes.create({});
    await nodes.update(own._id, { next: own._id });
    await nodes.remove(ring[20]?._id ?? '');
    assert.equal(await nodes.total(), 1);
    await nodes.remove(own._id);
    assert.equal(await nodes.total(), 0);
  });

  it('takes several thousand records along', async () => {
    const [brands, products] = await shop(relation('brands', { onDelete: 'cascade' }));
    const [x, y] = (await brands.createAll([{}, {}])).map(({ _id }) => _id);
    const many = Array.from({ length: 3000 }, (_, n) =>
      products.create({ rel: (n % 3 ? x : y) ?? '', name: 'p' }),
    );
    await Promise.all(many);
    await brands.remove(x ?? '');
    const totals = await Promise.all(
      ['', `rel=${x}`, `rel=${y}&perPage=1`, 'search=p&perPage=1'].map((query) => products.total(query)),
    );
    assert.deepEqual(totals, [1000, 0, 1000, 1000]);
  });
});

describe('a cascade', () => {
  /** Deleting an `a` takes its `b`s along; what refers to a `b` does what `onDelete` says. */
  async function threeLevels(field: JsonObject): Promise<[Records, Records, Records, Row]> {
    const path = await makeProject(
      app,
      definition('a', { x: { type: 'text' } }),
      definition('b', { a: relation('a', { onDelete: 'cascade' }) }),
      definition('c', { b: relation('b', field), a: relation('a', { onDelete: 'cascade' }) }),
    );
    const [as, bs, cs] = ['a', 'b', 'c'].map((id) => new Records(app, `${path}/${id}`)) as [
      Records,
      Records,
      Records,
    ];
    return [as, bs, cs, await as.create({})];
  }
  const refer = async (bs: Records, cs: Records, a: Row, more: Record<string, Json> = {}) => {
    const b = await bs.create({ a: a._id });
    return cs.create({ b: b._id, ...more });
  };

  for (const field of [{ onDelete: 'restrict' }, { required: true }]) {
    it(`that meets ${JSON.stringify(field)} further down is a 409 that undoes everything`, async () => {
      const [as, bs, cs, a] = await threeLevels(field);
      await bs.create({ a: a._id });
      await refer(bs, cs, a);
      const all = () => Promise.all([as, bs, cs].map(everything));
      const before = await all();
      assertRefused(await as.call('DELETE', `/${a._id}`), 409, 'c.b');
      assert.deepEqual(await all(), before);
      assert.deepEqual([await as.total(), await bs.total(`a=${a._id}`), await cs.total()], [1, 2, 1]);
    });
  }

  it('is not restricted by a record that it takes along itself', async () => {
    const [as, bs, cs, a] = await threeLevels({ onDelete: 'restrict' });
    await refer(bs, cs, a, { a: a._id });
    await as.remove(a._id);
    assert.deepEqual([await as.total(), await bs.total(), await cs.total()], [0, 0, 0]);
  });

  it('clears what refers to the records it takes along', async () => {
    const [as, bs, cs, a] = await threeLevels({});
    const c = await refer(bs, cs, a);
    await as.remove(a._id);
    const now = await cs.view(c._id);
    assert.equal(now.b, null);
    assert.ok(now._updatedAt > c._updatedAt);
    assert.equal(await bs.total(), 0);
  });
});
