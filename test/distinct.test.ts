import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startApp, type TestApp } from './harness.ts';
import { asAdmin, assertRefused, definition, makeProject, Records, type Row } from './support.ts';

let app: TestApp;
let things: Records;
let brands: Row[];

const fields = {
  text: { type: 'text' },
  indexed: { type: 'text', index: true },
  num: { type: 'number' },
  flag: { type: 'boolean' },
  time: { type: 'datetime', index: true },
  tags: { type: 'list', of: { type: 'text' } },
  sizes: { type: 'list', of: { type: 'number' } },
  days: { type: 'list', of: { type: 'datetime' } },
  brand: { type: 'relation', to: 'brands' },
  several: { type: 'relation', to: 'brands', kind: 'multiple' },
};

before(async () => {
  app = await startApp();
  const path = await makeProject(
    app,
    definition('brands', { name: { type: 'text' } }),
    definition('things', fields),
  );
  brands = await new Records(app, `${path}/brands`).createAll([{ name: 'x' }, { name: 'y' }, { name: 'z' }]);
  things = new Records(app, `${path}/things`);
  const [x, y] = brands.map(({ _id }) => _id);
  await things.createAll([
    { text: 'b', indexed: 'b', num: 10, flag: true, time: '2026-01-02', tags: ['q', 'p'], brand: y ?? null },
    {
      text: 'a',
      indexed: 'a',
      num: 9,
      flag: false,
      time: '2026-01-01',
      tags: ['p', 'p'],
      several: [y ?? '', x ?? ''],
    },
    { text: 'b', indexed: 'b', num: 10, flag: true, time: '2026-01-02', sizes: [10, 9], brand: x ?? null },
    { text: '😀', indexed: '😀', sizes: [9.5], days: ['2026-01-01', '2025-01-01'] },
    { text: '～', indexed: '～', brand: y ?? null },
    { text: '', indexed: '' },
    {},
  ]);
});
after(() => app.close());

const id = (position: number) => brands[position]?._id ?? '';

describe('Distinct', () => {
  it('maps each requested field to its unique values, sorted, without the unset', async () => {
    const texts = ['', 'a', 'b', '～', '😀'];
    assert.deepEqual(await things.distinct('fields=text,num'), { text: texts, num: [9, 10] });
    assert.deepEqual(await things.distinct('fields=indexed'), { indexed: texts });
    assert.deepEqual(await things.distinct('fields=flag'), { flag: [false, true] });
    const time = ['2026-01-01T00:00:00.000Z', '2026-01-02T00:00:00.000Z'];
    assert.deepEqual(await things.distinct('fields=time'), { time });
    assert.deepEqual(await things.distinct('fields=brand'), { brand: [id(0), id(1)] });
  });

  it('gives the elements of lists and multiple relations', async () => {
    assert.deepEqual(await things.distinct('fields=tags,sizes'), { tags: ['p', 'q'], sizes: [9, 9.5, 10] });
    const days = ['2025-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z'];
    assert.deepEqual(await things.distinct('fields=days'), { days });
    assert.deepEqual(await things.distinct('fields=several'), { several: [id(0), id(1)] });
  });

  it('gives of several fields at once what each has by itself, whatever narrows them down', async () => {
    const names = Object.keys(fields);
    for (const where of ['', 'num=10', 'num=9', `brand=${id(1)}`, 'tags=p', 'search=b', 'num=11']) {
      const alone = await Promise.all(names.map((name) => things.distinct(`fields=${name}&${where}`)));
      const together = await things.distinct(`fields=${names}&${where}`);
      assert.deepEqual(together, Object.assign({}, ...alone), where);
    }
    const { tags, text } = await things.distinct('fields=text,tags,indexed&num=10');
    assert.deepEqual([text, tags], [['b'], ['p', 'q']]);
  });

  it('takes field in the singular for one name', async () => {
    assert.deepEqual(await things.distinct('field=num'), { num: [9, 10] });
    assertRefused(await things.call('GET', '/distinct?field=num&fields=text'), 400, 'field');
    assertRefused(await things.call('GET', '/distinct?field=num,text'), 400, 'field');
  });

  it('applies filters and search', async () => {
    assert.deepEqual(await things.distinct('fields=text,tags&num=10'), { text: ['b'], tags: ['p', 'q'] });
    assert.deepEqual(await things.distinct('fields=num,indexed&text!=b'), {
      num: [9],
      indexed: ['', 'a', '～', '😀'],
    });
    assert.deepEqual(await things.distinct('fields=text,tags&search=q'), { text: ['b'], tags: ['p', 'q'] });
    assert.deepEqual(await things.distinct(`fields=sizes&brand=${id(0)}`), { sizes: [9, 10] });
    assert.deepEqual(await things.distinct('fields=text&num>100'), { text: [] });
    assert.deepEqual(await things.distinct('fields=text&text=a,b'), { text: ['a', 'b'] });
  });

  it('follows every write at once', async () => {
    const made = await things.create({ text: 'new', indexed: 'new', tags: ['new'] });
    const has = async () => {
      const { text, indexed, tags } = await things.distinct('fields=text,indexed,tags');
      return [text, indexed, tags].map((values) => (values as string[]).includes('new'));
    };
    assert.deepEqual(await has(), [true, true, true]);
    await things.update(made._id, { text: 'b', tags: ['p'] });
    assert.deepEqual(await has(), [false, true, false]);
    await things.remove(made._id);
    assert.deepEqual(await has(), [false, false, false]);
  });

  it('needs the names of fields that exist', async () => {
    assertRefused(await things.call('GET', '/distinct'), 400, 'fields: is required');
    assertRefused(await things.call('GET', '/distinct?fields='), 400, 'fields:');
    assertRefused(await things.call('GET', '/distinct?fields=num,txt'), 400, "'txt'", "did you mean 'text'");
    assertRefused(await things.call('GET', '/distinct?field=constructor'), 400, "'constructor'");
    assertRefused(await things.call('GET', '/distinct?fields=num&sort=num'), 400, 'sort');
  });

  it('tells of ten unknown names at most what they may have meant', async () => {
    const names = (count: number) => Array.from({ length: count }, (_, at) => `indexet${at}`).join(',');
    const many = await things.call('GET', `/distinct?fields=${names(1_000)}`);
    assertRefused(many, 400, 'fields: must be at most 10 names, not 1000');
    const listed = await things.call('GET', `?fields=${names(15)}`);
    assert.equal(listed.text.split('did you mean').length - 1, 10, listed.text);
  });

  it('is of the fields of the definition, and says so where another is named', async () => {
    const reply = await things.call('GET', '/distinct?fields=_createdAt');
    assertRefused(reply, 400, "'_createdAt' is not for distinct");
    assert.doesNotMatch(reply.text, /did you mean/);
  });

  it('of more than 10,000 values is a 400 that says so, and of 10,000 is not', async () => {
    const many = Array.from({ length: 10_000 }, (_, n) => n);
    const row = await things.create({ sizes: many, text: 'many' });
    const { sizes } = await things.distinct('fields=sizes&text=many');
    assert.deepEqual(sizes, many);
    const more = await things.create({ sizes: [10_000], text: 'many' });
    assertRefused(await things.call('GET', '/distinct?fields=sizes'), 400, 'sizes:', /10,?000/);
    assertRefused(await things.call('GET', '/distinct?fields=num,sizes&text=many'), 400, 'sizes:');
    assert.deepEqual(await things.distinct('fields=num'), { num: [9, 10] });
    await things.remove(row._id);
    await things.remove(more._id);
  });
});

describe('the settings of Distinct', () => {
  const settings = (distinct: Record<string, string | boolean | string[]>) =>
    makeProject(
      app,
      definition(
        'set',
        { a: { type: 'text' }, b: { type: 'text' } },
        {
          api: { access: 'public', methods: { distinct } },
        },
      ),
    );

  it('restrict it to a list of fields: any other is a 403', async () => {
    const set = new Records(app, `${await settings({ fields: ['a'] })}/set`);
    await set.create({ a: 'x', b: 'secret' });
    assert.deepEqual(await set.distinct('fields=a'), { a: ['x'] });
    for (const query of ['fields=b', 'field=b', 'fields=a,b']) {
      const reply = await set.call('GET', `/distinct?${query}`);
      assertRefused(reply, 403, 'b');
      assert.doesNotMatch(reply.text, /secret/);
    }
  });

  it('restrict it to no field at all with an empty list', async () => {
    const set = new Records(app, `${await settings({ fields: [] })}/set`);
    assertRefused(await set.call('GET', '/distinct?fields=a'), 403);
  });

  it('switch it off: 404', async () => {
    const path = await settings({ enabled: false });
    const set = new Records(app, `${path}/set`);
    assertRefused(await set.call('GET', '/distinct?fields=a'), 404, 'distinct');
    assert.equal(await set.total(), 0);
    assert.equal((await app.call('GET', `${path}/set/distinct?fields=a`, asAdmin)).status, 200);
  });

  it('give it a level of its own', async () => {
    const set = new Records(app, `${await settings({ access: 'user' })}/set`);
    assertRefused(await set.call('GET', '/distinct?fields=a'), 401);
    assert.equal(await set.total(), 0);
  });
});
