import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { JsonObject } from '../src/model/json.ts';
import { bestOf } from './best-of.ts';
import { startApp, type TestApp } from './harness.ts';
import { asAdmin, assertRefused, definition, makeProject, Records, resultOf } from './support.ts';

const texts = (prefix: string, count: number) => Array.from({ length: count }, (_, n) => `${prefix}${n}`);

let app: TestApp;
before(async () => {
  app = await startApp();
});
after(() => app.close());

/** Milliseconds to replace every element of a list of so many, at best of a few tries. */
async function timeToReplace(records: Records, count: number): Promise<number> {
  const { _id } = await records.create({ words: texts('a', count) });
  const times: number[] = [];
  for (const prefix of ['b', 'c', 'd']) {
    const start = performance.now();
    await records.update(_id, { words: texts(prefix, count) });
    times.push(performance.now() - start);
  }
  assert.deepEqual((await records.view(_id)).words, texts('d', count));
  assert.equal(await records.total(`words=d${count - 1}`), 1);
  assert.equal(await records.total(`words=a0,b0,c0`), 0);
  await records.remove(_id);
  return Math.min(...times);
}

describe('a list of 10,000 elements', () => {
  const lists = {
    'with a bounded length': { type: 'list', of: { type: 'text', maxLength: 40 } },
    'of any texts': { type: 'list', of: { type: 'text' } },
  };
  for (const [name, words] of Object.entries(lists)) {
    it(`${name}: replacing all of it takes time in proportion to its length`, async () => {
      const path = await makeProject(app, definition('notes', { words }));
      const records = new Records(app, `${path}/notes`, asAdmin);
      await timeToReplace(records, 100);
      // Four times the elements: a step that compares each with each would take sixteen times as long.
      const times = await bestOf(async () => {
        const small = await timeToReplace(records, 2_500);
        return (await timeToReplace(records, 10_000)) / (small + 12);
      }, 8);
      assert.ok(times < 8, `${times.toFixed(1)} times as long for 10,000 as for 2,500`);
    });
  }
});

describe('what one request may write', () => {
  let few: TestApp;
  let project: string;
  let records: Records;
  before(async () => {
    few = await startApp({ limits: { records: { perPage: 100, batchOperations: 100, batchWork: 65_000 } } });
    const fields = {
      words: { type: 'list', of: { type: 'text' } },
      numbers: { type: 'list', of: { type: 'number' } },
      title: { type: 'text' },
    };
    project = await makeProject(few, definition('notes', fields));
    records = new Records(few, `${project}/notes`, asAdmin);
  });
  after(() => few.close());

  const lists = (words: number, numbers: number) => ({
    words: texts('w', words),
    numbers: Array.from({ length: numbers }, (_, n) => n),
  });
  const batch = (body: JsonObject) => records.call('POST', '/batch', body);
  const createAll = async (bodies: readonly JsonObject[]) => {
    const ids: string[] = [];
    for (const body of bodies) ids.push((await records.create(body))._id);
    return ids;
  };
  const removeAll = async (ids: readonly string[]) => {
    for (const id of ids) await records.remove(id);
    assert.equal(await records.total(), 0);
  };

  it('are lists of 60,000 items together in a Create and an Update', async () => {
    const path = await makeProject(
      app,
      definition('notes', Object.fromEntries(names.map((name) => [name, list]))),
    );
    const all = new Records(app, `${path}/notes`, asAdmin);
    const full = Object.fromEntries(names.slice(0, 6).map((name) => [name, digits]));
    const { _id } = await all.create(full);
    const over = { ...full, [names[6] ?? '']: [1] };
    assertRefused(await all.call('POST', '', over), 400, '60001 items', 'several records');
    assertRefused(await all.call('PATCH', `/${_id}`, over), 400, '60001 items');
    assert.equal(await all.total(`${names[6]}=1`), 0);
    await all.update(_id, { [names[6] ?? '']: [1] });
    await all.remove(_id);
  });
  const list = { type: 'list', of: { type: 'number' } };
  const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
  const digits = Array.from({ length: 10_000 }, (_, n) => n);

  it('of lists in a batch: nothing of one with more is done, and its answer says where and what to do', async () => {
    const some = Array.from({ length: 10 }, () => lists(8, 8));
    const ids = (resultOf(await batch({ create: some })).created as { _id: string }[]).map(({ _id }) => _id);
    assert.equal(ids.length, 10);
    const refused = await batch({ create: [...some, ...some] });
    assertRefused(refused, 400, /create\[1\d\].*send fewer operations/);
    const [first = '', ...others] = ids;
    const operations = [
      ...some.map((data) => ({ method: 'create', collection: 'notes', data })),
      ...others.map((id) => ({ method: 'update', collection: 'notes', id, data: { numbers: [] } })),
    ];
    const body = { operations };
    assertRefused(
      await few.call('POST', `${project}/_batch`, { ...asAdmin, body }),
      400,
      /operations\[1\d\].*send fewer operations/,
    );
    assert.equal(await records.total(), 10);
    assert.equal(await records.total('numbers=7'), 10);
    // One alone is done whatever it takes.
    await records.update(first, lists(200, 200));
    resultOf(await batch({ delete: [first] }));
    await removeAll(others);
  });

  it('counts what an Update and a Delete find, too', async () => {
    const ids = await createAll(Array.from({ length: 6 }, () => lists(20, 20)));
    assertRefused(await batch({ delete: ids }), 400, /delete\[[3-5]\].*send fewer operations/);
    const emptied = ids.map((_id) => ({ _id, words: [], numbers: [] }));
    assertRefused(await batch({ update: emptied }), 400, /update\[[3-5]\].*send fewer operations/);
    assert.equal(await records.total('words=w19'), 6);
    resultOf(await batch({ delete: ids.slice(0, 3) }));
    await removeAll(ids.slice(3));
    const long = await createAll(Array.from({ length: 10 }, () => ({ title: 'long '.repeat(4_000) })));
    const changed = long.map((_id) => ({ _id, numbers: [1] }));
    assertRefused(await batch({ update: changed }), 400, /update\[\d\].*send fewer operations/);
    assertRefused(await batch({ delete: long }), 400, /delete\[\d\].*send fewer operations/);
    assert.equal(await records.total('numbers=1'), 0);
    resultOf(await batch({ delete: long.slice(0, 2) }));
    await removeAll(long.slice(2));
  });

  it('a Delete in a batch that takes along more is a 409, and alone it is done', async () => {
    const brand = { type: 'relation', to: 'brands', onDelete: 'cascade' };
    const words = { type: 'list', of: { type: 'text' } };
    const path = await makeProject(few, definition('brands', {}), definition('products', { brand, words }));
    const of = (collection: string) => new Records(few, `${path}/${collection}`, asAdmin);
    const { _id } = await of('brands').create({});
    for (let n = 0; n < 10; n++) await of('products').create({ brand: _id, words: texts('w', 30) });
    for (const body of [{ delete: [_id] }, { create: [{}], delete: [_id] }]) {
      assertRefused(await of('brands').call('POST', '/batch', body), 409, 'delete[0]', 'delete it alone');
    }
    assert.deepEqual([await of('brands').total(), await of('products').total('words=w29')], [1, 10]);
    await of('brands').remove(_id);
    assert.deepEqual([await of('brands').total(), await of('products').total()], [0, 0]);
  });
});
