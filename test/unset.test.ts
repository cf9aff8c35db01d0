import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Json, JsonObject } from '../src/model/json.ts';
import { startApp, type TestApp } from './harness.ts';
import { assertRefused, definition, makeProject, Records, type Row, resultOf } from './support.ts';

/** For each field a value that is set, and one that is set to something else. */
const examples: Readonly<Record<string, readonly [Json, Json]>> = {
  text: ['a', '=a,b'],
  email: ['a@x.example', 'b@x.example'],
  url: ['https://x.example/', 'https://y.example/'],
  content: ['c', ' '],
  number: [0, -1.5],
  boolean: [false, true],
  datetime: ['1970-01-01T00:00:00.000Z', '2026-01-02T03:04:05.678Z'],
  texts: [['a', ''], ['b']],
  numbers: [[0], [1, 2]],
  flags: [[false], [true]],
  dates: [['1970-01-01T00:00:00.000Z'], ['2026-01-02T03:04:05.678Z']],
};
const strings = ['text', 'email', 'url', 'content'];
const names = [...Object.keys(examples), 'one', 'many'];

const fields: JsonObject = {
  key: { type: 'text' },
  ...Object.fromEntries(
    ['text', 'email', 'url', 'content', 'number', 'boolean', 'datetime'].map((type) => [type, { type }]),
  ),
  texts: { type: 'list', of: { type: 'text' } },
  numbers: { type: 'list', of: { type: 'number' } },
  flags: { type: 'list', of: { type: 'boolean' } },
  dates: { type: 'list', of: { type: 'datetime' } },
  one: { type: 'relation', to: 'things' },
  many: { type: 'relation', to: 'things', kind: 'multiple' },
};
const indexed = Object.fromEntries(
  Object.entries(fields).map(([name, field]) => [name, { ...(field as JsonObject), index: true }]),
);

let app: TestApp;
before(async () => {
  app = await startApp();
});
after(() => app.close());

const encode = encodeURIComponent;
const isUnset = (value: Json | undefined) =>
  value === null || value === '' || (Array.isArray(value) && value.length === 0);

for (const [kind, defined] of Object.entries({ 'without indexes': fields, 'with indexes': indexed })) {
  describe(`an empty value, ${kind}`, () => {
    let things: Records;
    let rows: Row[];
    before(async () => {
      things = new Records(app, `${await makeProject(app, definition('things', defined))}/things`);
      const [first, second] = await things.createAll([{}, {}]);
      const related = [
        { one: first?._id ?? null, many: [first?._id ?? null] },
        { one: second?._id ?? null, many: [second?._id ?? null, first?._id ?? null] },
      ];
      await things.createAll(
        [0, 1].map((at) => ({
          ...Object.fromEntries(Object.entries(examples).map(([name, pair]) => [name, pair[at] as Json])),
          ...related[at],
        })),
      );
      await things.create(
        Object.fromEntries(
          strings.filter((name) => name === 'text' || name === 'content').map((name) => [name, '']),
        ),
      );
      rows = (await things.list()).found;
    });

    const idsOf = (found: readonly Row[]) => found.map(({ _id }) => _id);
    const finds = async (query: string, fits: (row: Row) => boolean) => {
      const expected = idsOf(rows.filter(fits));
      assert.deepEqual(idsOf((await things.list(query)).found), expected, query);
      assert.equal(await things.total(query), expected.length, query);
      let after: unknown = '';
      const walked: Row[] = [];
      while (typeof after === 'string') {
        const page = resultOf(await things.call('GET', `?${query}&perPage=1&after=${encode(after)}`));
        walked.push(...(page.found as Row[]));
        after = page.next;
      }
      assert.deepEqual(idsOf(walked), expected, `${query}, walked`);
      const exported = await things.call('GET', `/export?format=ndjson&${query}`);
      const lines = exported.text.split('\n').filter((line) => line !== '');
      assert.deepEqual(idsOf(lines.map((line) => JSON.parse(line) as Row)), expected, `${query}, exported`);
      const told = await things.distinct(`fields=number&${query}`);
      const numbers = rows.filter(fits).flatMap(({ number }) => (number === null ? [] : [Number(number)]));
      assert.deepEqual(
        told.number,
        [...new Set(numbers)].sort((a, b) => a - b),
        `${query}, distinct`,
      );
    };

    for (const name of names) {
      it(`of ${name} finds those in which it is unset or empty, and with != the others`, async () => {
        await finds(`${name}=`, (row) => isUnset(row[name]));
        await finds(`${name}!=`, (row) => !isUnset(row[name]));
        await finds(`${name}%21%3D`, (row) => !isUnset(row[name]));
        await finds(`${name}!==`, (row) => !isUnset(row[name]));
        await finds(`${name}=&${name}!=`, () => false);
        await finds(name, (row) => isUnset(row[name]));
      });
    }

    it('is an alternative among others', async () => {
      for (const name of names.filter((one) => !['number', 'boolean', 'datetime'].includes(one))) {
        const [value] = rows.flatMap((row) => (isUnset(row[name]) ? [] : [[row[name]].flat()[0] as Json]));
        const text = encode(String(value).replaceAll(',', '\\,'));
        const has = (row: Row) => [row[name]].flat().includes(value ?? null);
        await finds(`${name}=,${text}`, (row) => isUnset(row[name]) || has(row));
        await finds(`${name}=${text}&${name}=`, (row) => isUnset(row[name]) || has(row));
        await finds(`${name}=${text},`, (row) => isUnset(row[name]) || has(row));
        await finds(`${name}!=,${text}`, (row) => !isUnset(row[name]) && !has(row));
        await finds(`${name}!=${text}&${name}!=`, (row) => !isUnset(row[name]) && !has(row));
      }
      await finds('number!=,0', ({ number }) => number !== null && number !== 0);
      await finds('boolean!=,true', ({ boolean }) => boolean === false);
    });

    it('is a 400 where a field takes one value and there are two', async () => {
      for (const query of [
        'number=,1',
        'number=&number=1',
        'boolean=true,',
        'boolean=&boolean=',
        'datetime=,',
      ]) {
        assert.equal((await things.call('GET', `?${query}`)).status, 400, query);
      }
    });

    it('is a 400 for what is never unset, and for what compares', async () => {
      for (const name of ['_id', '_createdAt', '_updatedAt']) {
        for (const operator of ['=', '!=']) {
          assertRefused(await things.call('GET', `?${name}${operator}`), 400, `${name}: `);
          assertRefused(await things.call('GET', `/distinct?fields=number&${name}${operator}`), 400);
        }
      }
      assertRefused(await things.call('GET', '?_id=,x'), 400, '_id: must be an _id');
      for (const operator of ['>', '>=', '<', '<=', '>==', '<==']) {
        assertRefused(await things.call('GET', `?number${operator}`), 400, 'number: must be a number');
        assertRefused(await things.call('GET', `?datetime${operator}`), 400, 'datetime: must be a date');
      }
    });

    it('is all that = and != of a datetime take', async () => {
      for (const query of ['datetime=2026-01-01', 'datetime!=2026-01-01', 'datetime!=,2026-01-01']) {
        assertRefused(
          await things.call('GET', `?${query}`),
          400,
          'datetime: ',
          'datetime>=2026-01-01',
          'datetime= ',
        );
      }
    });

    it('stands beside operators that a client did not encode', async () => {
      await finds('number>==0', ({ number }) => number === 0);
      await finds('number<==-1.5', ({ number }) => number === -1.5);
      await finds('text!==a', ({ text }) => text !== 'a');
      await finds('text=%3Da\\,b', ({ text }) => text === '=a,b');
      await finds('text!=%3Da\\,b', ({ text }) => text !== '=a,b');
      await finds('text!==%3Da\\,b', ({ text }) => text !== '=a,b');
      for (const query of [
        'text==a',
        'text%3D=a',
        'text!===a',
        'number==0',
        'number>===0',
        'search==a',
        'text==',
      ]) {
        assertRefused(await things.call('GET', `?${query}`), 400, /^\w+: has '=' twice: .* %3D$/);
      }
    });
  });
}
