import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { JsonObject } from '../../src/model/json.ts';
import { StaleSchema } from '../../src/store/schema.ts';
import { startApp, type TestApp } from '../harness.ts';
import { testEngine } from '../storage.ts';
import { asAdmin, definition, pause, type Row, resultOf } from '../support.ts';
import { Requester, schemaOf } from './requester.ts';
import { listOf, number, relation, Schema, text } from './support.ts';

const changes = process.env.VITRINE_LONG === '1' ? 500 : testEngine === 'postgres' ? 15 : 40;
/** Milliseconds. The more records there are, the longer a change takes, in which there come more. */
const longest = process.env.VITRINE_LONG === '1' ? Number.POSITIVE_INFINITY : 30_000;
const requesters = 8;
const perSecond = testEngine === 'postgres' ? 80 : 200;

let app: TestApp;
before(async () => {
  app = await startApp();
});
after(() => app.close());

const key = { ...text, required: true };
const first = definition('things', { key, title: text, size: number, tags: listOf('text') });
const second = definition(
  'things',
  {
    key: { ...key, unique: true },
    name: { type: 'content', renamedFrom: 'title' },
    size: { ...number, index: true, min: 0 },
    extra: { ...text, default: 'x', required: true },
    tags: listOf('text', { maxItems: 9 }),
  },
  { indexes: [{ fields: ['size', 'key'] }] },
);
const backToFirst = definition('things', {
  key,
  title: { ...text, renamedFrom: 'name' },
  size: number,
  tags: listOf('text'),
});

/** A file that is half sent when the schema changes can only break off. */
const unexpected = () => app.errors.filter((error) => !(error instanceof StaleSchema));

describe('changes under load', () => {
  it(`up to ${changes} of them: no 5xx, no mixture, no acknowledged write lost`, async () => {
    const schema = await Schema.make(app, first);
    const things = schema.records('things');
    const create = Array.from({ length: 500 }, (_, at) => ({
      key: `still ${at}`,
      title: `t${at}`,
      size: at,
    }));
    resultOf(await things.call('POST', '/batch', { create }));

    const all = Array.from({ length: requesters }, (_, at) => new Requester(things, at));
    let running = true;
    const started = performance.now();
    const latest = started + longest;
    const loops = all.map(async (requester) => {
      const interval = (1000 * requesters) / perSecond;
      for (let due = performance.now(); running; due = Math.max(due + interval, performance.now() - 200)) {
        await pause(Math.max(0, due - performance.now()));
        await requester.request();
      }
    });
    const refused: string[] = [];
    let done = 0;
    const seen = () => new Set(all.flatMap(({ schemas }) => [...schemas]));
    for (; (done < changes && performance.now() < latest) || seen().size < 2; done++) {
      const reply = await schema.put('things', done % 2 ? backToFirst : second, 'confirm=destructive');
      if (reply.status !== 200) refused.push(`${done}: ${reply.text}`);
      await pause(20);
    }
    const elapsed = (performance.now() - started) / 1000;
    running = false;
    await Promise.all(loops);
    const requests = all.reduce((sum, { requests: count }) => sum + count, 0);
    console.log(
      `${done} changes and ${Math.round(requests / elapsed)} requests/s in ${elapsed.toFixed(1)} s`,
    );
    assert.deepEqual(refused, []);
    assert.deepEqual(unexpected(), []);
    assert.deepEqual([...seen()].sort(), ['first', 'second'], 'both schemas were seen');

    const kept = new Map(all.flatMap(({ kept: mine }) => [...mine]));
    const found: Row[] = [];
    for (let page = 1; ; page++) {
      const part = await things.list(`perPage=1000&page=${page}`);
      assert.equal(part.total, kept.size + create.length);
      found.push(...part.found);
      if (page >= part.totalPages) break;
    }
    assert.equal(found.length, kept.size + create.length);
    assert.equal(await things.total('search=still'), create.length);
    assert.equal(await things.total('search=mine'), kept.size);
    assert.equal(await things.total('size>=0'), found.length);
    const byId = new Map(found.map((row) => [row._id, row]));
    for (const [id, expected] of kept) {
      const row = byId.get(id);
      assert.ok(row, `the acknowledged record ${id} is lost`);
      const label = schemaOf(row) === 'first' ? row.title : row.name;
      const { key: k, size, tags } = row;
      assert.deepEqual({ key: k, size, tags, label: label ?? null }, expected);
    }
    const before = await schema.dump();
    await app.reopen();
    assert.deepEqual(await schema.dump(), before);
  });

  it('is not refused because a unique value goes from one record to another meanwhile', async () => {
    const sku = { ...text, unique: true };
    const schema = await Schema.make(app, definition('things', { sku }));
    const things = schema.records('things');
    for (let at = 0; at < 6; at++) {
      const create = Array.from({ length: 1000 }, (_, n) => ({ sku: `s${at * 1000 + n}` }));
      resultOf(await things.call('POST', '/batch', { create }));
    }
    const [one, , three] = (await things.list('perPage=3')).found;
    // A change that was over before the updates came says nothing about them: then there is another.
    let met = false;
    for (let turn = 0; turn < 8 && !met; turn++) {
      await things.update(String(one?._id), { sku: 's0' });
      await things.update(String(three?._id), { sku: 's2' });
      let done = false;
      const extra = { [`extra${turn}`]: text };
      const change = schema.put('things', definition('things', { sku, ...extra }), 'confirm=destructive');
      const over = change.finally(() => {
        done = true;
      });
      await pause(30);
      await things.update(String(three?._id), { sku: 'elsewhere' });
      await things.update(String(one?._id), { sku: 's2' });
      met = !done;
      const reply = await over;
      assert.equal(reply.status, 200, reply.text);
      assert.deepEqual(await things.values('sku', 'perPage=3'), ['s2', 's1', 'elsewhere']);
    }
    assert.ok(met, 'the changes were over before the updates');
  });

  it('does not make a repeated batch a second one: its Idempotency-Key still counts', async () => {
    const schema = await Schema.make(app, definition('things', { a: text }));
    const batch = { ...asAdmin, headers: { 'idempotency-key': 'once' }, body: { create: [{ a: 'x' }] } };
    const path = `/v1/${schema.project}/things/batch`;
    resultOf(await app.call('POST', path, batch));
    await schema.change('things', { a: text, b: text });
    resultOf(await app.call('POST', path, batch));
    assert.equal(await schema.records('things').total(), 1);
  });

  it('keeps what related records do meanwhile: cascade, clear, and new relations', async () => {
    const brand = relation('brands', { onDelete: 'cascade' });
    const liked = relation('brands', { kind: 'multiple' });
    const schema = await Schema.make(
      app,
      definition('brands', { name: text }),
      definition('things', { n: number, brand, liked }),
    );
    const [brands, things] = [schema.records('brands'), schema.records('things')];
    const made = await brands.createAll(Array.from({ length: 4 }, (_, at) => ({ name: `b${at}` })));
    const ids = made.map(({ _id }) => _id);
    for (let round = 0; round < 3; round++) {
      const create = Array.from({ length: 1000 }, (_, n) => ({
        n,
        brand: ids[n % 4] ?? null,
        liked: ids.slice(n % 3),
      }));
      resultOf(await things.call('POST', '/batch', { create }));
    }
    const change = schema.put('things', definition('things', { n: text, brand, liked, extra: text }));
    await pause(30);
    await brands.remove(String(ids[0]));
    const late = await brands.create({ name: 'late' });
    const thing = (await things.list(`brand=${ids[1]}&perPage=1`)).found[0];
    await things.update(String(thing?._id), { brand: late._id });
    resultOf(await change);
    assert.equal(await things.total(), 2250);
    assert.equal(await things.total(`brand=${ids[0]}`), 0);
    assert.equal(await things.total(`liked=${ids[0]}`), 0);
    assert.equal(await things.total(`brand=${ids[1]}`), 749);
    assert.equal((await things.view(String(thing?._id))).brand, late._id);
    await brands.remove(late._id);
    assert.equal(await things.total(), 2249);
    assert.deepEqual((await things.distinct('fields=liked')).liked, ids.slice(1).sort());
  });
});

describe('changes of several collections at once', () => {
  it('happen one after the other, without a 5xx', async () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    const schema = await Schema.make(app, ...names.map((id) => definition(id, { v0: text })));
    for (const id of names) await schema.records(id).create({ v0: id });
    const replies = await Promise.all([
      ...names.flatMap((id) =>
        [1, 2, 3].map((n) =>
          schema.put(
            id,
            definition(id, { v0: text, [`v${n}`]: { ...number, default: n } }),
            'confirm=destructive',
          ),
        ),
      ),
      ...[1, 2, 3].map(() =>
        app.call('POST', schema.path, { ...asAdmin, body: definition('new', { x: text }) }),
      ),
      ...['a', 'b'].map((id) => schema.put(id, definition('same', { v0: text }), 'confirm=destructive')),
      ...names.map((id) => schema.put(id, definition(id, { v0: text }), 'dryRun=true')),
      ...[1, 2].map(() => app.call('DELETE', `${schema.path}/f?confirm=destructive`, asAdmin)),
    ]);
    const statuses = replies.map(({ status }) => status);
    assert.deepEqual(
      statuses.filter((status) => ![200, 201, 404, 409].includes(status)),
      [],
    );
    assert.equal(
      statuses.slice(0, 18).every((status) => status === 200 || status === 404),
      true,
    );
    assert.deepEqual(statuses.slice(18, 21).sort(), [201, 409, 409]);
    // Which of them comes first is not promised.
    assert.deepEqual(statuses.slice(21, 23).sort(), [200, 409]);
    const [renamed, kept] = statuses[21] === 200 ? ['a', 'b'] : ['b', 'a'];
    assert.deepEqual(statuses.slice(-2).sort(), [200, 404]);
    const after = await schema.definitions();
    assert.deepEqual(after.map(({ id }) => id).sort(), [kept, 'c', 'd', 'e', 'new', 'same']);
    for (const { id, fields } of after) {
      const expected = ['new', 'same'].includes(String(id)) ? 1 : 2;
      const [, added = ''] = Object.keys(fields as JsonObject);
      assert.equal(Object.keys(fields as JsonObject).length, expected, String(id));
      const records = schema.records(String(id));
      const was = id === 'same' ? renamed : String(id);
      assert.deepEqual(await records.values('v0'), id === 'new' ? [] : [was]);
      if (expected === 2) assert.deepEqual(await records.values(added), [Number(added.slice(1))]);
    }
    assert.deepEqual(unexpected(), []);
  });
});
