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

describe('the lists of one request', () => {
  const most = 50;
  let few: TestApp;
  let project: string;
  let records: Records;
  before(async () => {
    few = await startApp({ limits: { records: { perPage: 100, batchOperations: 100, elements: most } } });
    const lists = {
      words: { type: 'list', of: { type: 'text' } },
      numbers: { type: 'list', of: { type: 'number' } },
    };
    project = await makeProject(few, definition('notes', lists));
    records = new Records(few, `${project}/notes`, asAdmin);
  });
  after(() => few.close());

  const lists = (words: number, numbers: number) => ({
    words: texts('w', words),
    numbers: Array.from({ length: numbers }, (_, n) => n),
  });
  const batch = (body: JsonObject) => records.call('POST', '/batch', body);
  const operations = (list: readonly JsonObject[]) =>
    few.call('POST', `${project}/_batch`, { ...asAdmin, body: { operations: [...list] } });

  it('of a Create and an Update have so many elements together, and no more', async () => {
    const { _id } = await records.create(lists(20, 30));
    assertRefused(await records.call('POST', '', lists(21, 30)), 400);
    assertRefused(await records.call('PATCH', `/${_id}`, lists(30, 21)), 400);
    const { words, numbers } = await records.update(_id, lists(30, 20));
    assert.deepEqual({ words, numbers }, lists(30, 20));
    await records.remove(_id);
  });

  it('of a batch too: nothing of one with more is done, and its answer says where and what to do', async () => {
    const some = Array.from({ length: 5 }, () => lists(5, 5));
    const reply = await batch({ create: some });
    const ids = (resultOf(reply).created as { _id: string }[]).map(({ _id }) => _id);
    assert.equal(ids.length, 5);
    const refused = await batch({ create: [...some, lists(1, 0)] });
    assertRefused(refused, 400);
    assert.match(refused.body.error, /create\[5\].*more than 50 elements.*fewer operations/);
    const changes = ids.map((_id) => ({ _id, ...lists(5, 6) }));
    assertRefused(await batch({ update: changes }), 400);
    assertRefused(await batch({ create: some.slice(1), update: changes.slice(0, 1) }), 400);
    assertRefused(
      await operations([
        ...some.map((data) => ({ method: 'create', collection: 'notes', data })),
        { method: 'update', collection: 'notes', id: ids[0] ?? '', data: { words: ['one more'] } },
      ]),
      400,
    );
    assert.equal(await records.total(), 5);
    assert.equal(await records.total('numbers=5'), 0);
    assert.deepEqual(resultOf(await batch({ delete: ids })).deleted, ids);
  });

  it('that a batch removes count too, whatever record had them', async () => {
    const made = [await records.create(lists(20, 20)), await records.create(lists(20, 20))];
    const ids = made.map(({ _id }) => _id);
    const refused = await batch({ delete: ids });
    assertRefused(refused, 400);
    assert.match(refused.body.error, /delete\[1\].*more than 50 elements.*fewer operations/);
    assertRefused(await batch({ update: ids.map((_id) => ({ _id, words: [], numbers: [] })) }), 400);
    const [first, second] = ids.map((_id) => ({ _id, words: texts('x', 15) }));
    if (!first || !second) throw new Error('two were made');
    assertRefused(await batch({ update: [first, second] }), 400, 'update[1]');
    assert.equal(await records.total('words=w19'), 2);
    await records.update(first._id, { words: first.words });
    assert.equal(await records.total('words=w19'), 1);
    for (const _id of ids) await records.remove(_id);
    assert.equal(await records.total(), 0);
  });
});
