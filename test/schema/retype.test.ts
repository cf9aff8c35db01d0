import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Json, JsonObject } from '../../src/model/json.ts';
import { startApp, type TestApp } from '../harness.ts';
import { assertRefused, definition, resultOf } from '../support.ts';
import { content, identities, listOf, number, Schema, text } from './support.ts';

let app: TestApp;
before(async () => {
  app = await startApp();
});
after(() => app.close());

const email = { type: 'email' };
const url = { type: 'url' };
const boolean = { type: 'boolean' };
const datetime = { type: 'datetime' };
const day = '2026-01-02T03:04:05.678Z';
const site = 'https://example.com/x';

type Case = readonly [what: string, from: JsonObject, to: JsonObject, values: Json[], carried: Json[]];

const lossless: readonly Case[] = [
  ['number to text', number, text, [5, -2.5, 0, null, 1e21], ['5', '-2.5', '0', null, '1e+21']],
  ['number to content', number, content, [0.1, null], ['0.1', null]],
  ['boolean to text', boolean, text, [true, false, null], ['true', 'false', null]],
  ['datetime to text', datetime, text, [day, '2026-01-02', null], [day, '2026-01-02T00:00:00.000Z', null]],
  ['text to content', text, content, ['x', '', null], ['x', '', null]],
  ['content to text', content, text, ['long\nlines', null], ['long\nlines', null]],
  ['email to text', email, text, ['a@example.com', null], ['a@example.com', null]],
  ['text to email', text, email, ['a@example.com', null], ['a@example.com', null]],
  ['text to url', text, url, [site, null], [site, null]],
  ['url to content', url, content, [site], [site]],
  ['text to a list', text, listOf('text'), ['red', null], [['red'], []]],
  ['number to a list', number, listOf('number'), [0, null, 7], [[0], [], [7]]],
  ['number to a list of text', number, listOf('text'), [0, null, 7], [['0'], [], ['7']]],
  ['datetime to a list', datetime, listOf('datetime'), [day, null], [[day], []]],
  ['boolean to a list', boolean, listOf('boolean'), [false, null], [[false], []]],
  ['numbers to texts', listOf('number'), listOf('text'), [[1, 2.5, 1], []], [['1', '2.5', '1'], []]],
  ['emails to texts', listOf('email'), listOf('text'), [['a@example.com']], [['a@example.com']]],
  ['texts to contents', listOf('text'), listOf('content'), [['a', 'b'], []], [['a', 'b'], []]],
];

const lossy: readonly Case[] = [
  ['text to number', text, number, ['5', null], [null, null]],
  ['text to boolean', text, boolean, ['true', null], [null, null]],
  ['text to datetime', text, datetime, [day, null], [null, null]],
  ['number to boolean', number, boolean, [1, null], [null, null]],
  ['boolean to number', boolean, number, [true, null], [null, null]],
  ['number to datetime', number, datetime, [5, null], [null, null]],
  ['number to email', number, email, [5, null], [null, null]],
  ['a list to text', listOf('text'), text, [['red'], []], [null, null]],
  ['a list of text to one of numbers', listOf('text'), listOf('number'), [['1'], []], [[], []]],
  ['text to a list of numbers', text, listOf('number'), ['1', null], [[], []]],
];

const shapeOf = (field: JsonObject) => (field.type === 'list' ? listShape(field) : String(field.type));
const listShape = ({ of }: JsonObject) => `list of ${(of as JsonObject).type}`;
const isHeld = (value: Json) => value !== null && !(Array.isArray(value) && value.length === 0);

async function filled(from: JsonObject, values: readonly Json[]): Promise<Schema> {
  const schema = await Schema.make(app, definition('things', { value: from, other: text }));
  const create = values.map((value, at) => ({ value, other: `word${at}` }));
  resultOf(await schema.records('things').call('POST', '/batch', { create }));
  return schema;
}

/** Search, filters and distinct agree with what the records hold. */
async function assertFound(schema: Schema, field: JsonObject, values: readonly Json[]): Promise<void> {
  const records = schema.records('things');
  const type = String(field.type === 'list' ? (field.of as JsonObject).type : field.type);
  const elements = values.flat().filter((value) => value !== null);
  const unique = [...new Set(elements)];
  assert.deepEqual(new Set((await records.distinct('fields=value')).value as Json[]), new Set(unique));
  for (const element of unique) {
    const expected = values.flatMap((value, at) =>
      [value].flat().some((one) => one === element || (element === '' && one === null)) ? [`word${at}`] : [],
    );
    const asked = encodeURIComponent(String(element));
    if (type !== 'datetime' && element !== '') {
      assert.deepEqual(await records.values('other', `value=${asked}`), expected, `value=${asked}`);
    }
    const searched = ['text', 'content', 'email', 'url'].includes(type) && element !== '';
    const holding = values.flatMap((value, at) => {
      const texts = [...[value].flat().filter((one) => typeof one === 'string'), `word${at}`];
      return texts.some((one) => one.includes(String(element))) ? [`word${at}`] : [];
    });
    if (searched && !String(element).includes('\n'))
      assert.deepEqual(await records.values('other', `search=${asked}`), holding, `search=${asked}`);
    if (!searched && typeof element !== 'string') {
      const others = values.flatMap((_, at) => (`word${at}`.includes(String(element)) ? [`word${at}`] : []));
      assert.deepEqual(await records.values('other', `search=${asked}`), others);
    }
  }
}

describe('a change of type that loses nothing is done with the values:', () => {
  for (const [what, from, to, values, carried] of lossless) {
    it(what, async () => {
      const schema = await filled(from, values);
      const records = schema.records('things');
      const before = await identities(records);
      const body = definition('things', { value: to, other: text });
      const held = values.filter(isHeld).length;
      const plan = await schema.plan('things', body);
      const [step] = plan.steps;
      assert.deepEqual(step, {
        kind: 'changeType',
        field: 'value',
        from: shapeOf(from),
        to: shapeOf(to),
        records: held,
      });
      assert.equal(plan.destructive, false);
      resultOf(await schema.put('things', body));
      assert.deepEqual(await records.values('value'), carried);
      assert.deepEqual(await identities(records), before);
      await assertFound(schema, to, carried);
    });
  }
});

describe('a change of type that loses values is a 409 that says so, and is done when confirmed:', () => {
  for (const [what, from, to, values, carried] of lossy) {
    it(what, async () => {
      const schema = await filled(from, values);
      const records = schema.records('things');
      const before = await identities(records);
      const body = definition('things', { value: to, other: text });
      await schema.refused('things', body, 409, 'value', /\b1 record\b/, 'lost', 'confirm=destructive');
      const plan = await schema.plan('things', body);
      assert.equal(plan.destructive, true);
      assert.equal(plan.steps[0]?.kind, 'changeType');
      assert.equal(plan.steps[0]?.records, 1);
      resultOf(await schema.put('things', body, 'confirm=destructive'));
      assert.deepEqual(await records.values('value'), carried);
      assert.deepEqual(await records.values('other'), ['word0', 'word1']);
      assert.deepEqual(await identities(records), before);
      assert.deepEqual(await records.distinct('fields=value'), { value: [] });
      await assertFound(schema, to, carried);
    });
  }
});

describe('a change of type', () => {
  it('is one step of a plan, also where one value becomes several', async () => {
    for (const [from, to] of [
      [text, listOf('text')],
      [listOf('number'), listOf('text')],
      [
        { type: 'relation', to: 'things' },
        { type: 'relation', to: 'things', kind: 'multiple' },
      ],
    ] as const) {
      const schema = await Schema.make(app, definition('things', { value: from }));
      const { steps } = await schema.plan('things', definition('things', { value: to }));
      assert.deepEqual(
        steps.map(({ kind }) => kind),
        ['changeType'],
        JSON.stringify(to),
      );
    }
  });

  it('to email or url is a 409 that names the records whose values are none', async () => {
    const schema = await filled(text, ['a@example.com', 'nobody', 'x y', null]);
    const [, second, third] = (await schema.records('things').list()).found;
    for (const to of [email, url]) {
      const body = definition('things', { value: to, other: text });
      await schema.refused('things', body, 409, String(second?._id), String(third?._id), 'value');
      const plan = await schema.plan('things', body);
      assert.equal(plan.destructive, false);
      assert.equal(plan.contradiction?.records, to === email ? 2 : 3);
    }
  });

  it('to a shorter text is checked against the new rules with the value as it will be', async () => {
    const schema = await filled(number, [5, 12345, null]);
    const [, second] = (await schema.records('things').list()).found;
    const body = definition('things', { value: { ...text, maxLength: 3 }, other: text });
    await schema.refused('things', body, 409, /\b1 record\b/, String(second?._id), 'value');
    await schema.records('things').update(String(second?._id), { value: 123 });
    resultOf(await schema.put('things', body));
    assert.deepEqual(await schema.records('things').values('value'), ['5', '123', null]);
  });

  it('that is confirmed leaves a required field unset, which is a contradiction', async () => {
    const schema = await filled(text, ['a', 'b']);
    const body = definition('things', { value: { ...number, required: true }, other: text });
    const before = await schema.dump();
    assertRefused(await schema.put('things', body, 'confirm=destructive'), 409, /\b2 records\b/, 'value');
    assert.deepEqual(await schema.dump(), before);
  });

  it('there and back again keeps what can be kept', async () => {
    const schema = await filled(text, ['a', null]);
    const records = schema.records('things');
    for (const to of [content, listOf('content'), listOf('text')]) {
      await schema.change('things', { value: to, other: text });
    }
    assert.deepEqual(await records.values('value'), [['a'], []]);
    assert.equal(await records.total('search=a'), 1);
    await app.reopen();
    assert.deepEqual(await records.values('value'), [['a'], []]);
  });

  it('from list to multiple relation is not a change that keeps values', async () => {
    const schema = await filled(listOf('text'), [['red'], []]);
    const body = definition('things', { value: { type: 'relation', to: 'things', kind: 'multiple' } });
    assert.equal((await schema.plan('things', body)).destructive, true);
    resultOf(await schema.put('things', body, 'confirm=destructive'));
    assert.deepEqual(await schema.records('things').values('value'), [[], []]);
    assert.equal(await schema.records('things').total('search=red'), 0);
  });
});
