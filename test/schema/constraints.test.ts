import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Json, JsonObject } from '../../src/model/json.ts';
import { startApp, type TestApp } from '../harness.ts';
import { asAdmin, assertRefused, definition, resultOf } from '../support.ts';
import { content, identities, listOf, number, Schema, text } from './support.ts';

let app: TestApp;
before(async () => {
  app = await startApp();
});
after(() => app.close());

type Case = readonly [what: string, from: JsonObject, to: JsonObject, fitting: Json, contradicting: Json];

const datetime = { type: 'datetime' };
const tightenings: readonly Case[] = [
  ['required', text, { ...text, required: true }, 'x', null],
  ['required (empty text)', text, { ...text, required: true }, 'x', ''],
  ['required (empty list)', listOf('text'), listOf('text', { required: true }), ['x'], []],
  ['min', number, { ...number, min: 2 }, 2, 1],
  ['max', number, { ...number, max: 2 }, 2, 2.5],
  ['integer', number, { ...number, integer: true }, 2, 2.5],
  ['minLength', text, { ...text, minLength: 2 }, 'ab', 'a'],
  ['maxLength', content, { ...content, maxLength: 1 }, '👍', 'ab'],
  ['a shorter maxLength', { ...text, maxLength: 9 }, { ...text, maxLength: 1 }, 'a', 'ab'],
  ['pattern', text, { ...text, pattern: '^[a-z]+$' }, 'ab', 'A'],
  ['options', text, { ...text, options: ['a', 'b'] }, 'a', 'c'],
  ['fewer options', { ...text, options: ['a', 'b'] }, { ...text, options: ['a'] }, 'a', 'b'],
  ['min of a time', datetime, { ...datetime, min: '2026-01-01' }, '2026-01-01', '2025-12-31'],
  ['maxItems', listOf('text'), listOf('text', { maxItems: 1 }), ['a'], ['a', 'b']],
  ['minItems', listOf('text'), listOf('text', { minItems: 2 }), ['a', 'b'], ['a']],
  ['uniqueItems', listOf('text'), listOf('text', { uniqueItems: true }), ['a', 'b'], ['a', 'a']],
  ['rules of items', listOf('number'), { type: 'list', of: { ...number, max: 1 } }, [1], [1, 2]],
];

describe('a tighter rule that records contradict is a 409 with their number and first ids:', () => {
  for (const [what, from, to, fitting, contradicting] of tightenings) {
    it(what, async () => {
      const schema = await Schema.make(app, definition('things', { value: from, n: number }));
      const records = schema.records('things');
      const create = [fitting, contradicting, fitting, contradicting].map((value, n) => ({ value, n }));
      const made = resultOf(await records.call('POST', '/batch', { create })).created as { _id: string }[];
      const bad = [made[1], made[3]].map((row) => String(row?._id));
      const body = definition('things', { value: to, n: number });
      await schema.refused('things', body, 409, /\b2 records\b/, 'value', ...bad);
      const plan = await schema.plan('things', body);
      assert.deepEqual(plan.steps, [{ kind: 'changeField', field: 'value', records: 4 }]);
      assert.equal(plan.destructive, false);
      assert.equal(plan.contradiction?.records, 2);
      assert.deepEqual(
        plan.contradiction?.first.map(({ id }) => id),
        bad,
      );
      await records.update(String(bad[0]), { value: fitting });
      await schema.refused('things', body, 409, /\b1 record\b/, String(bad[1]));
      await records.remove(String(bad[1]));
      const before = await identities(records);
      resultOf(await schema.put('things', body));
      assert.deepEqual(await identities(records), before);
      assert.equal(await records.total(), 3);
      assertRefused(await records.call('POST', '', { value: contradicting }), 400, 'value');
      await schema.change('things', { value: from, n: number });
      await records.create({ value: contradicting });
    });
  }
});

it('what is wrong with a record is one part of the message, however much it is', async () => {
  const schema = await Schema.make(app, definition('things', { a: text, b: number }));
  const { _id } = await schema.records('things').create({ a: '', b: -1 });
  const body = definition('things', { a: { ...text, required: true }, b: { ...number, min: 0 } });
  const reply = await schema.put('things', body);
  assertRefused(reply, 409, `${_id} (a: is required and b: must be at least 0)`);
  assert.doesNotMatch(reply.body.error, /; /);
});

describe('unique', () => {
  it('is refused where values are taken twice, and holds once it is made; dropped, it does not', async () => {
    const schema = await Schema.make(app, definition('things', { sku: text }));
    const records = schema.records('things');
    const rows = await records.createAll(['a', 'b', 'a', 'A', '', 'a'].map((sku) => ({ sku: sku || null })));
    const unique = { ...text, unique: true };
    const body = definition('things', { sku: unique });
    await schema.refused('things', body, 409, /\b[23] records\b/, 'sku', String(rows[2]?._id));
    assert.ok((await schema.plan('things', body)).contradiction);
    await records.update(String(rows[2]?._id), { sku: 'c' });
    await records.update(String(rows[5]?._id), { sku: null });
    const plan = await schema.plan('things', body);
    assert.deepEqual(plan, {
      steps: [{ kind: 'addUnique', field: 'sku', records: 6 }],
      destructive: false,
    });
    resultOf(await schema.put('things', body));
    assertRefused(await records.call('POST', '', { sku: 'a' }), 409, 'sku');
    await records.create({ sku: null });
    assert.equal(await records.total('sku=a'), 1);
    assert.equal(
      (await schema.plan('things', definition('things', { sku: text }))).steps[0]?.kind,
      'dropUnique',
    );
    await schema.change('things', { sku: text });
    await records.create({ sku: 'a' });
    assert.equal(await records.total('sku=a'), 2);
  });

  it('over several fields is refused where the values are taken together', async () => {
    const schema = await Schema.make(app, definition('things', { a: text, b: number }));
    const records = schema.records('things');
    const rows = await records.createAll([
      ...[
        { a: 'x', b: 1 },
        { a: 'x', b: 2 },
        { a: 'x', b: 1 },
      ],
      ...[
        { a: 'x', b: null },
        { a: 'x', b: null },
      ],
    ]);
    const more = { indexes: [{ fields: ['a', 'b'], unique: true }] };
    const body = definition('things', { a: text, b: number }, more);
    await schema.refused('things', body, 409, /\b[12] records?\b/, String(rows[2]?._id));
    await records.update(String(rows[2]?._id), { b: 3 });
    assert.deepEqual(
      (await schema.plan('things', body)).steps.map(({ kind }) => kind),
      ['addIndex'],
    );
    resultOf(await schema.put('things', body));
    assertRefused(await records.call('POST', '', { a: 'x', b: 2 }), 409);
    assert.deepEqual((await schema.view('things')).indexes, more.indexes);
    await schema.change('things', { a: text, b: number });
    await records.create({ a: 'x', b: 2 });
  });

  it('of a new field with a default contradicts all records but one', async () => {
    const schema = await Schema.make(app, definition('things', { a: text }));
    const records = schema.records('things');
    const body = definition('things', { a: text, b: { ...text, unique: true, default: 'x' } });
    const rows = await records.createAll([{ a: '1' }, { a: '2' }]);
    await schema.refused('things', body, 409, 'b');
    await records.remove(String(rows[0]?._id));
    resultOf(await schema.put('things', body));
    assert.deepEqual(await records.values('b'), ['x']);
  });
});

describe('an index', () => {
  it('is made and dropped without a difference in any answer', async () => {
    const schema = await Schema.make(app, definition('things', { a: text, b: number }));
    const records = schema.records('things');
    const create = Array.from({ length: 30 }, (_, at) => ({ a: `v${at % 7}`, b: at % 5 ? at : null }));
    resultOf(await records.call('POST', '/batch', { create }));
    const answers = async () => {
      const queries = ['sort=a', 'sort=-b,a', 'a=v3', 'b>=5&b<20', 'a!=v1&sort=-a', 'search=v2'];
      return Promise.all(
        queries.map(async (query) => (await records.call('GET', `?perPage=100&${query}`)).text),
      );
    };
    const before = await answers();
    const indexed = { a: { ...text, index: true }, b: { ...number, index: true } };
    const more = { indexes: [{ fields: ['a', 'b'] }] };
    const plan = await schema.plan('things', definition('things', indexed, more));
    assert.deepEqual(
      plan.steps.map(({ kind }) => kind),
      ['addIndex', 'addIndex', 'addIndex'],
    );
    await schema.change('things', indexed, more);
    assert.deepEqual(await answers(), before);
    const back = await schema.plan('things', definition('things', { a: text, b: number }));
    assert.deepEqual(
      back.steps.map(({ kind }) => kind),
      ['dropIndex', 'dropIndex', 'dropIndex'],
    );
    await schema.change('things', { a: text, b: number });
    assert.deepEqual(await answers(), before);
  });
});

describe('PUT', () => {
  it('of the same definition has nothing to do', async () => {
    const schema = await Schema.make(app, definition('things', { a: text }));
    await schema.records('things').create({ a: 'x' });
    assert.deepEqual(await schema.plan('things', await schema.view('things')), {
      steps: [],
      destructive: false,
    });
    const before = await schema.dump();
    resultOf(await schema.put('things', await schema.view('things')));
    const { id, ...rest } = definition('things', { a: text });
    resultOf(await schema.put(String(id), rest));
    assert.deepEqual(await schema.dump(), before);
  });

  it('refuses what is no definition with a 400, an unknown place with a 404', async () => {
    const schema = await Schema.make(app, definition('things', { a: text }));
    await schema.records('things').create({ a: 'x' });
    await schema.refused('things', definition('things', { a: { type: 'txt' } }), 400, 'fields.a');
    await schema.refused('things', definition('things', { a: text, A: text }), 400, 'fields.A');
    await schema.refused('things', { ...definition('things', { a: text }), feilds: {} }, 400, 'feilds');
    await schema.refused(
      'things',
      definition('things', { a: { ...content, unique: true } }),
      400,
      'a.unique',
    );
    await schema.refused(
      'things',
      definition('things', { a: { ...number, default: 'x' } }),
      400,
      'a.default',
    );
    await schema.refused('things', definition('things', { a: text }, { indexes: [{ fields: ['b'] }] }), 400);
    const body = definition('things', { a: text, b: text });
    for (const query of ['dryRun=yes', 'confirm=true', 'dryrun=true', 'force=1']) {
      assertRefused(await schema.put('things', body, query), 400, query.split('=')[0] ?? '');
    }
    assertRefused(await schema.put('nowhere', definition('nowhere', {})), 404, 'nowhere');
    const lost = await app.call('PUT', '/v1/_admin/projects/nowhere/collections/a', { ...asAdmin, body });
    assertRefused(lost, 404, 'nowhere');
    assertRefused(await app.call('PUT', `${schema.path}/things`, { body }), 401);
    assert.deepEqual(Object.keys((await schema.view('things')).fields as JsonObject), ['a']);
  });

  it('gives every record another ETag, and refuses a write under the old one', async () => {
    const schema = await Schema.make(app, definition('things', { a: text }));
    const path = `/v1/${schema.project}/things/${(await schema.records('things').create({ a: 'x' }))._id}`;
    const tag = String((await app.call('GET', path, asAdmin)).headers.get('etag'));
    const known = { ...asAdmin, headers: { 'if-none-match': tag } };
    assert.equal((await app.call('GET', path, known)).status, 304);
    await schema.change('things', { a: text, b: text });
    assert.equal((await app.call('GET', path, known)).status, 200);
    assert.notEqual((await app.call('GET', path, asAdmin)).headers.get('etag'), tag);
    const late = { ...asAdmin, headers: { 'if-match': tag }, body: { a: 'y' } };
    assertRefused(await app.call('PATCH', path, late), 412);
  });

  it('of settings alone touches no record: access, methods, name', async () => {
    const schema = await Schema.make(app, definition('things', { a: text }));
    await schema.records('things').create({ a: 'x' });
    const more = { name: 'Things!', api: { access: 'user', methods: { delete: { enabled: false } } } };
    const plan = await schema.plan('things', definition('things', { a: text }, more));
    assert.deepEqual(plan, { steps: [{ kind: 'changeSettings', records: 0 }], destructive: false });
    const before = await identities(schema.records('things'));
    await schema.change('things', { a: text }, more);
    assert.deepEqual(await identities(schema.records('things')), before);
    assert.equal((await app.call('GET', `/v1/${schema.project}/things`)).status, 401);
  });

  it('of the order of fields alone touches no record, and what is made of the definition has it', async () => {
    const schema = await Schema.make(app, definition('things', { a: text, b: text, c: text }));
    const records = schema.records('things');
    await records.create({ a: 'x', b: 'y', c: 'z' });
    const before = await identities(records);
    const fields = { c: text, a: text, b: text };
    const plan = await schema.plan('things', definition('things', fields));
    assert.deepEqual(plan, { steps: [{ kind: 'reorderFields', records: 0 }], destructive: false });
    await schema.change('things', fields);
    const now = resultOf(await app.call('GET', `${schema.path}/things`, asAdmin)) as JsonObject;
    assert.deepEqual(Object.keys(now.fields as JsonObject), ['c', 'a', 'b']);
    assert.deepEqual(await identities(records), before);
    await records.create({ a: '1', b: '2', c: '3' });
    const file = (await records.call('GET', '/export?format=csv&sort=a')).text.split('\r\n');
    assert.match(file[0] ?? '', /_id,c,a,b,/);
    assert.match(file[1] ?? '', /^[^,]+,3,1,2,/);
    assert.match(file[2] ?? '', /^[^,]+,z,x,y,/);
    assert.deepEqual((await schema.plan('things', definition('things', fields))).steps, []);
  });

  it('of the order and more has no step of its own for the order, and brings it along', async () => {
    const schema = await Schema.make(app, definition('things', { a: text, b: text }));
    const more = { name: 'Things!' };
    const plan = await schema.plan('things', definition('things', { b: text, a: text }, more));
    assert.deepEqual(plan.steps, [{ kind: 'changeSettings', records: 0 }]);
    await schema.change('things', { b: text, a: text }, more);
    const now = resultOf(await app.call('GET', `${schema.path}/things`, asAdmin)) as JsonObject;
    assert.deepEqual(Object.keys(now.fields as JsonObject), ['b', 'a']);
  });
});
