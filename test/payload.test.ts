import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { JsonObject } from '../src/model/json.ts';
import { startApp, type TestApp } from './harness.ts';
import { assertRefused, definition, makeProject, Records } from './support.ts';

let app: TestApp;
before(async () => {
  app = await startApp();
});
after(() => app.close());

async function collection(fields: JsonObject, more: JsonObject = {}): Promise<Records> {
  return new Records(app, `${await makeProject(app, definition('things', fields, more))}/things`);
}

describe('an unset field', () => {
  const fields = {
    text: { type: 'text' },
    email: { type: 'email' },
    url: { type: 'url' },
    content: { type: 'content' },
    number: { type: 'number' },
    boolean: { type: 'boolean' },
    datetime: { type: 'datetime' },
    list: { type: 'list', of: { type: 'text' }, minItems: 1 },
    one: { type: 'relation', to: 'things' },
    several: { type: 'relation', to: 'things', kind: 'multiple' },
  };
  const unset = {
    text: null,
    email: null,
    url: null,
    content: null,
    number: null,
    boolean: null,
    datetime: null,
    list: [],
    one: null,
    several: [],
  };

  it('is null, or [] for a list and a multiple relation, and in every record', async () => {
    const things = await collection(fields);
    const { _id, _createdAt, _updatedAt, ...rest } = await things.create({});
    assert.deepEqual(rest, unset);
  });

  it('is what null makes of it', async () => {
    const things = await collection(fields);
    const full = await things.create({
      text: 'x',
      email: 'a@b.example',
      url: 'http://x.example',
      content: 'x',
      number: 1,
      boolean: true,
      datetime: '2026-01-01',
      list: ['x'],
    });
    await things.update(full._id, { one: full._id, several: [full._id] });
    const nulls = Object.fromEntries(Object.keys(fields).map((name) => [name, null]));
    const { _id, _createdAt, _updatedAt, ...rest } = await things.update(full._id, nulls);
    assert.deepEqual(rest, unset);
    assert.deepEqual((await things.create(nulls)).several, []);
  });

  it('takes its default where nothing was sent, not where null was', async () => {
    const things = await collection({
      a: { type: 'text', default: 'draft' },
      b: { type: 'boolean', default: false },
      c: { type: 'list', of: { type: 'number' }, default: [1, 2] },
      d: { type: 'datetime', default: '2026-01-01' },
    });
    const made = await things.create({});
    assert.deepEqual([made.a, made.b, made.c, made.d], ['draft', false, [1, 2], '2026-01-01T00:00:00.000Z']);
    const emptied = await things.create({ a: null, b: null, c: null });
    assert.deepEqual([emptied.a, emptied.b, emptied.c], [null, null, []]);
    assert.equal((await things.update(emptied._id, { d: '2026-02-01' })).a, null);
  });
});

describe('required', () => {
  it('is not satisfied by nothing, null, an empty string or an empty list', async () => {
    const of = { type: 'text' };
    const things = await collection({
      a: { type: 'text', required: true },
      b: { type: 'list', of, required: true },
    });
    const made = await things.create({ a: 'x', b: ['y'] });
    for (const value of [null, '']) {
      assertRefused(await things.call('POST', '', { a: value, b: ['y'] }), 400, /^a: is required$/);
      assertRefused(await things.call('PATCH', `/${made._id}`, { a: value }), 400, /^a: is required$/);
    }
    for (const value of [null, []]) {
      assertRefused(await things.call('PATCH', `/${made._id}`, { b: value }), 400, /^b: is required$/);
    }
    assertRefused(await things.call('POST', '', {}), 400, /^a: is required; b: is required$/);
    assert.equal((await things.update(made._id, { a: 'z' })).a, 'z');
  });

  it('is satisfied by false, by 0 and by a default', async () => {
    const things = await collection({
      a: { type: 'boolean', required: true },
      b: { type: 'number', required: true },
      c: { type: 'text', required: true, default: 'c' },
    });
    const made = await things.create({ a: false, b: 0 });
    assert.deepEqual([made.a, made.b, made.c], [false, 0, 'c']);
    assertRefused(await things.call('POST', '', { a: false, b: 0, c: null }), 400, 'c: is required');
  });
});

describe('a payload', () => {
  it('with fields that are unknown or belong to the service is refused', async () => {
    const things = await collection({ title: { type: 'text' } });
    const made = await things.create({ title: 'x' });
    const wrong: [JsonObject, string][] = [
      [{ titel: 'x' }, "titel: is not a field of this collection, did you mean 'title'?"],
      [{ constructor: 'x' }, 'constructor: is not a field'],
      ...['_id', '_createdAt', '_updatedAt', '_owner', '_workspace'].map((name): [JsonObject, string] => [
        { [name]: made._createdAt },
        `${name}: is set by the service`,
      ]),
    ];
    for (const [body, message] of wrong) {
      assertRefused(await things.call('POST', '', body), 400, message);
      assertRefused(await things.call('PATCH', `/${made._id}`, body), 400, message);
    }
  });

  it('has every violation reported at once, joined with "; "', async () => {
    const things = await collection({
      title: { type: 'text', required: true },
      price: { type: 'number', min: 0 },
      code: { type: 'text', maxLength: 2, pattern: '^a' },
      tags: { type: 'list', of: { type: 'text', maxLength: 1 } },
    });
    const { _id } = await things.create({ title: 'x' });
    const body = { title: '', price: -1, code: 'bcd', tags: ['a', 'bb', 5], extra: 1 };
    const expected = [
      'title: is required',
      'price: must be at least 0',
      'code: must be at most 2 characters long',
      'code: must match the pattern ^a',
      'tags[1]: must be at most 1 character long',
      'tags[2]: must be a string, not a number',
      'extra: is not a field of this collection',
    ];
    for (const reply of [await things.call('POST', '', body), await things.call('PATCH', `/${_id}`, body)]) {
      assertRefused(reply, 400);
      assert.deepEqual(reply.body.error.split('; ').sort(), [...expected].sort());
    }
  });
});

describe('unique', () => {
  it('is a 409 for a value that is taken, compared exactly, in Create and Update', async () => {
    const things = await collection({
      sku: { type: 'text', unique: true },
      n: { type: 'number', unique: true },
    });
    const first = await things.create({ sku: 'A', n: 0 });
    await things.createAll([{ sku: 'a' }, { sku: 'A ' }, { sku: 'Á' }, { sku: 'A\u0301' }]);
    assertRefused(await things.call('POST', '', { sku: 'A' }), 409, 'sku: "A" is already taken');
    assertRefused(await things.call('POST', '', { n: -0 }), 409, 'n: 0 is already taken');
    const other = await things.create({ sku: 'B' });
    assertRefused(
      await things.call('PATCH', `/${other._id}`, { sku: 'A' }),
      409,
      'sku: "A" is already taken',
    );
    assert.deepEqual(await things.view(other._id), other);
    assert.equal((await things.update(first._id, { sku: 'A' })).sku, 'A');
    await things.remove(first._id);
    assert.equal((await things.update(other._id, { sku: 'A' })).sku, 'A');
    assert.equal(await things.total(), 5);
  });

  it('never collides where the field is unset', async () => {
    const things = await collection({ sku: { type: 'text', unique: true } });
    const [first] = await things.createAll([{ sku: 'A' }, {}, { sku: null }, {}]);
    await things.update(first?._id ?? '', { sku: null });
    assert.equal(await things.total(), 4);
  });

  it('over several fields is a 409 only where all of them are the same and set', async () => {
    const indexes = [{ fields: ['a', 'b'], unique: true }];
    const things = await collection({ a: { type: 'text' }, b: { type: 'number' } }, { indexes });
    await things.createAll([{ a: 'x', b: 1 }, { a: 'x', b: 2 }, { a: 'y', b: 1 }, { a: 'x' }, { a: 'x' }]);
    assertRefused(
      await things.call('POST', '', { a: 'x', b: 1 }),
      409,
      'a, b: another record has the same values',
    );
    const free = await things.create({ a: 'y', b: 2 });
    assertRefused(await things.call('PATCH', `/${free._id}`, { b: 1 }), 409, 'a, b:');
    assert.equal((await things.view(free._id)).b, 2);
  });

  it('tells all the values that are taken, whoever has them, in the order of the schema', async () => {
    const unique = { unique: true };
    const fields = {
      z: { type: 'text', ...unique },
      n: { type: 'number', ...unique },
      a: { type: 'text', ...unique },
      on: { type: 'boolean' },
      at: { type: 'datetime', ...unique },
    };
    const indexes = [{ fields: ['on', 'n'], unique: true }, { fields: ['z', 'on'] }];
    const things = await collection(fields, { indexes });
    const long = 'long '.repeat(200);
    await things.createAll([
      { z: long, n: 1, on: true },
      { a: 'A', at: '2026-01-01T00:00:00Z' },
    ]);
    const free = await things.create({ z: 'free', on: true });
    const all = [
      `z: ${JSON.stringify(long)} is already taken`,
      'n: 1 is already taken',
      'a: "A" is already taken',
      'on, n: another record has the same values',
    ];
    const told = (at: string) => all.map((one) => `${at}${one}`).join('; ');
    const body = { z: long, n: 1, a: 'A', on: true };
    assert.equal((await things.call('POST', '', body)).body.error, told(''));
    assert.equal((await things.call('PATCH', `/${free._id}`, body)).body.error, told(''));
    assert.equal(
      (await things.call('POST', '/batch', { create: [{ n: 2 }, body] })).body.error,
      told('create[1].'),
    );
    const twice = { z: 'new', n: 3 };
    assert.equal(
      (await things.call('POST', '/batch', { create: [twice, twice] })).body.error,
      'create[1].z: "new" is already taken; create[1].n: 3 is already taken',
    );
    assertRefused(await things.call('POST', '', { ...twice, n: 1 }), 409, 'n: 1 is already taken');
    assert.equal(await things.total(), 3);
  });

  it('holds when the same value is sent many times at once', async () => {
    const things = await collection({ sku: { type: 'text', unique: true } });
    const replies = await Promise.all(
      Array.from({ length: 20 }, () => things.call('POST', '', { sku: 'A' })),
    );
    assert.deepEqual(replies.map(({ status }) => status).sort(), [
      201,
      ...Array.from({ length: 19 }, () => 409),
    ]);
    assert.equal(await things.total(), 1);
  });
});
