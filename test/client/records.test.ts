import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { related, VitrineError } from '../../client/client.ts';
import { seed } from '../seed.ts';
import type { shop } from './shop.ts';
import { type Shop, startWorld, type World } from './world.ts';

describe('records through the client', () => {
  let world: World;
  let v: Shop;
  before(async () => {
    world = await startWorld();
    v = world.client();
  });
  after(() => world.app.close());

  it('creates, views, updates and deletes', async () => {
    const made = await v.products.create({ title: 'Lamp', price: 10, tags: ['a,b', 'c\\'] });
    assert.equal(made.status, 'draft');
    assert.deepEqual(await v.products.view(made._id), made);
    const changed = await v.products.update(made._id, { price: 12 });
    assert.equal(changed.price, 12);
    assert.deepEqual(await v.products.delete(made._id), { _id: made._id });
    await assert.rejects(v.products.view(made._id), { name: 'VitrineError', status: 404 });
  });

  it('tells what is wrong with which field', async () => {
    const error = await v.products.create({ title: '', price: -1 }).catch((reason) => reason);
    assert.ok(error instanceof VitrineError);
    assert.equal(error.status, 400);
    assert.deepEqual(Object.keys(error.fields).sort(), ['price', 'title']);
    assert.match(error.fields.price ?? '', /at least 0/);
  });

  it('changes a record only where it is unchanged, whether it came from a view or from a list', async () => {
    const made = await v.products.create({ title: 'Chair' });
    const { found } = await v.products.list({ where: { _id: made._id } });
    const [listed] = found;
    assert.ok(listed);
    const first = await v.products.update(made._id, { price: 1 }, { ifUnchanged: listed });
    for (const stale of [made, listed]) {
      const again = v.products.update(made._id, { price: 2 }, { ifUnchanged: stale });
      await assert.rejects(again, { name: 'VitrineError', status: 412 });
    }
    await v.products.delete(made._id, { ifUnchanged: first });
  });

  it('does so through a proxy too that weakens tags, and not at all through one that takes them away', async () => {
    const through = (change: (tag: string) => string | undefined) =>
      world.client({
        async fetch(url, init) {
          const response = await world.fetch(url, init);
          const tag = change(response.headers.get('etag') ?? '');
          const headers = new Headers(response.headers);
          headers.delete('etag');
          if (tag) headers.set('etag', tag);
          return new Response(response.body, { status: response.status, headers });
        },
      });
    const weak = through((tag) => tag && `W/${tag}`);
    const made = await weak.products.create({ title: 'Stool' });
    const changed = await weak.products.update(made._id, { price: 1 }, { ifUnchanged: made });
    await assert.rejects(weak.products.update(made._id, { price: 2 }, { ifUnchanged: made }), {
      status: 412,
    });
    const none = through(() => undefined);
    const refused = none.products.update(made._id, { price: 2 }, { ifUnchanged: changed });
    await assert.rejects(refused, /ETag/);
  });

  it('takes no order and nothing to include for what they are', async () => {
    await v.products.create({ title: 'Shelf' });
    const { found } = await v.products.list({ sort: [], include: [], search: 'Shelf' });
    assert.equal(found.length, 1);
  });

  it('filters by every operator, whatever the value', async () => {
    const titles = [
      'plain',
      'a,b',
      'ends in \\',
      'back\\,slash',
      '=equal',
      'a&b=c?#%',
      'Ünïcödé 漢字',
      '>x',
      '100%',
    ];
    const prices = [1, 2, 3, 4, 5, 6, 7, 8, 9];
    for (const [index, title] of titles.entries())
      await v.products.create({ title, price: prices[index] ?? 0, tags: ['filters', title] });
    const only = { tags: 'filters' };
    const found = async (where: Parameters<Shop['products']['list']>[0]) =>
      (await v.products.list({ ...where, sort: 'price', fields: ['title'] })).found.map(({ title }) => title);
    for (const title of titles) {
      assert.deepEqual(await found({ where: { ...only, title } }), [title]);
      assert.deepEqual(await found({ where: { tags: title } }), [title]);
      const others = titles.filter((one) => one !== title);
      assert.deepEqual(await found({ where: { ...only, title: { '!=': title } } }), others);
      assert.deepEqual(await found({ where: { ...only, title: { '!=': others } } }), [title]);
    }
    assert.deepEqual(await found({ where: { ...only, title: titles } }), titles);
    for (const [operator, count] of [
      ['>', 5],
      ['>=', 6],
      ['<', 3],
      ['<=', 4],
      ['!=', 8],
      ['=', 1],
    ] as const)
      assert.equal((await found({ where: { ...only, price: { [operator]: 4 } } })).length, count, operator);
    const now = new Date(Date.now() + 1000);
    assert.equal(
      (await found({ where: { ...only, _createdAt: { '<': now, '>': '2020-01-01' } } })).length,
      9,
    );
    await assert.rejects(v.products.list({ where: { tags: [] } }), TypeError);
  });

  it(`finds exactly what has a value, of whatever characters (seed ${seed})`, async () => {
    const nasty = fc.string({
      unit: fc.constantFrom(...',\\=&%!<>+ #?;\'"/:.äß漢🙂\n\tab', '%2C', '!=', '>='),
      minLength: 1,
      maxLength: 6,
    });
    const property = fc.asyncProperty(
      fc.uniqueArray(nasty, { minLength: 2, maxLength: 6 }),
      async (values) => {
        const run = `run ${Math.random()}`;
        const [wanted, others] = [values.slice(0, 2), values.slice(2)];
        await v.products.batch((b) => {
          for (const value of values)
            b.create({ title: value, sku: null, contact: null, tags: [value], body: run });
        });
        const titles = async (where: NonNullable<Parameters<Shop['products']['list']>[0]>['where']) =>
          (await v.products.list({ where: { ...where, body: run } })).found.map(({ title }) => title);
        assert.deepEqual(await titles({ title: wanted }), wanted);
        assert.deepEqual(await titles({ tags: wanted }), wanted);
        assert.deepEqual(await titles({ title: { '!=': wanted } }), others);
        assert.deepEqual(await titles({ tags: { '!=': wanted } }), others);
        for (const value of values)
          assert.deepEqual(await titles({ title: value, tags: [value, null] }), [value]);
      },
    );
    await fc.assert(property, { seed, numRuns: 40 });
  });

  it('tells what a deletion would take along, to those who may know', async () => {
    const brand = await v.brands.create({ name: 'To go' });
    await v.products.create({ title: 'One of its products', brands: [brand._id] });
    const told = await world.admin.records<typeof shop>('shop').brands.deletion(brand._id);
    assert.equal(told.clears.products, 1);
    assert.equal((await v.brands.view(brand._id)).name, 'To go');
  });

  it('walks through all, by record and by page, and stops when asked to', async () => {
    for (let index = 0; index < 25; index++)
      await v.countries.create({ name: `c${String(index).padStart(2, '0')}` });
    const names: string[] = [];
    for await (const { name } of v.countries.all({ perPage: 10, sort: '-name', fields: ['name'] }))
      names.push(name);
    assert.equal(names.length, 25);
    assert.equal(names[0], 'c24');
    const sizes: number[] = [];
    for await (const page of v.countries.all({ perPage: 10 }).pages()) sizes.push(page.found.length);
    assert.deepEqual(sizes, [10, 10, 5]);
    for await (const country of v.countries.all({ perPage: 1 })) {
      assert.ok(country);
      break;
    }
  });

  it('finds the related record of a record', async () => {
    const {
      found: [country],
    } = await v.countries.list({ perPage: 1 });
    assert.ok(country);
    const brand = await v.brands.create({ name: 'Philips', country: country._id });
    const product = await v.products.create({ title: 'Bulb', brand: brand._id, brands: [brand._id] });
    const page = await v.products.list({
      where: { _id: product._id },
      include: ['brand', 'brand.country', 'brands'],
    });
    assert.equal(related(page, product, 'brand')?.name, 'Philips');
    assert.deepEqual(
      related(page, product, 'brands').map(({ name }) => name),
      ['Philips'],
    );
    assert.equal(related(page, brand, 'brand.country')?.name, country.name);
  });

  it('reads distinct values', async () => {
    const { title, price } = await v.products.distinct(['title', 'price'], {
      where: { tags: 'filters', price: { '<=': 2 } },
    });
    assert.deepEqual(
      [title, price],
      [
        ['a,b', 'plain'],
        [1, 2],
      ],
    );
  });

  it('sends a batch of one collection, and one across', async () => {
    const { created, updated, deleted } = await v.countries.batch((b) => {
      b.create({ name: 'Peru' });
      b.create({ name: 'Chile' });
    });
    assert.deepEqual(
      created.map(({ name }) => name),
      ['Peru', 'Chile'],
    );
    assert.deepEqual([updated, deleted], [[], []]);
    const [country, brand, gone] = await v.batch((b) => {
      const made = b.countries.create({ name: 'Cuba' });
      b.brands.create({ name: 'Cohiba', country: made });
      b.collection('countries').delete(created[0]?._id ?? '');
    });
    assert.equal(brand?.country, country?._id);
    assert.deepEqual(gone, { _id: created[0]?._id });
    const error = await v.countries.batch((b) => b.create({ name: '' })).catch((reason) => reason);
    assert.deepEqual(Object.keys(error.fields), ['create[0].name']);
  });

  it('waits for what a batch is filled with', async () => {
    const { created } = await v.countries.batch(async (b) => {
      const { found } = await v.countries.list({ where: { name: 'Chile' } });
      b.create({ name: `New ${found[0]?.name}` });
    });
    assert.deepEqual(
      created.map(({ name }) => name),
      ['New Chile'],
    );
    const results = await v.batch(async (b) =>
      b.countries.delete((await v.countries.view(created[0]?._id ?? ''))._id),
    );
    assert.equal(results.length, 1);
  });

  it('ends a walk with its signal, also where the next records are at hand', async () => {
    const stop = new AbortController();
    const walks = [{ perPage: 1000 }, { perPage: 1 }].map((options) =>
      v.countries.all({ ...options, signal: stop.signal }),
    );
    const [records, pages] = [walks[0]?.[Symbol.asyncIterator](), walks[1]?.pages()[Symbol.asyncIterator]()];
    assert.ok((await records?.next())?.value && (await pages?.next())?.value);
    await new Promise((resolve) => setTimeout(resolve, 50)); // for the page that is fetched ahead
    stop.abort(new Error('enough'));
    for (const walk of [records, pages]) await assert.rejects(walk?.next() ?? assert.fail(), /enough/);
  });

  it('streams an export', async () => {
    const response = await v.countries.export('ndjson', { where: { name: 'Cuba' }, fields: ['name'] });
    const lines = (await response.text()).trim().split('\n');
    assert.deepEqual(
      lines.map((line) => JSON.parse(line).name),
      ['Cuba'],
    );
    const marked = await v.countries.export('csv', { bom: true });
    assert.deepEqual([...new Uint8Array(await marked.arrayBuffer()).subarray(0, 3)], [0xef, 0xbb, 0xbf]);
    await assert.rejects(v.countries.export('csv', { search: '\0' }), VitrineError);
  });

  it('takes collections that are in no type, and is no promise', async () => {
    assert.equal(await (async () => v)(), v);
    assert.equal(String(v), '[object Object]');
    assert.ok(JSON.stringify(v));
    assert.equal(v.collection('products'), v.products);
    await assert.rejects(v.collection('nowhere').list(), { status: 404 });
    const { keys } = world.admin.project('shop');
    const { key } = await keys.create({ name: 'test' });
    const note = await v.as(key).notes.create({ text: 'with a key' });
    await assert.rejects(v.notes.view(note._id), { status: 401 });
    const { found } = await world.admin
      .records('shop')
      .collection('notes')
      .list({ where: { _id: note._id } });
    assert.equal(found[0]?.text, 'with a key');
  });
});
