import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Json } from '../../src/model/json.ts';
import { Dice } from '../durability/dice.ts';
import { startApp, type TestApp } from '../harness.ts';
import { seed } from '../seed.ts';
import { type Storage, sqliteStorage } from '../storage.ts';
import { resultOf } from '../support.ts';
import { type PostgresApp, startPostgresApp } from './app.ts';

const pages = {
  id: 'pages',
  fields: {
    number: { type: 'number' },
    text: { type: 'text', index: true },
    path: { type: 'text', unique: true },
    area: { type: 'text' },
    tags: { type: 'list', of: { type: 'text' } },
  },
  indexes: [{ fields: ['area', 'path'], unique: true }, { fields: ['text', 'area', 'number'] }],
  api: { access: 'public' },
} as const;

/** Such that no compression makes it fit into an index. */
const dice = new Dice(seed);
const noise = (length: number) => {
  const bytes = Uint8Array.from({ length }, () => dice.below(256));
  return Buffer.from(bytes).toString('base64').slice(0, length);
};
const common = noise(4_000);
const texts = [
  ...[
    '',
    'a',
    'b',
    'ä',
    '\u{1f600}',
    'z\u0001',
    `${common}`,
    `${common}a`,
    `${common}b`,
    `${common.slice(0, 250)}`,
  ],
  ...[
    `${common.slice(0, 250)}!`,
    `${common.slice(0, 249)}`,
    `${'\u{1f600}'.repeat(2_000)}`,
    `${'ä'.repeat(251)}`,
    noise(9_000),
  ],
];

/** Everything is asked of PostgreSQL and of SQLite, whose indexes take whatever there is. */
describe(`texts that do not fit into an index of PostgreSQL (VITRINE_SEED=${seed})`, () => {
  let app: PostgresApp;
  let other: TestApp;
  let files: Storage;
  before(async () => {
    const limits = { url: 200_000 };
    files = await sqliteStorage();
    [app, other] = await Promise.all([
      startPostgresApp({}, { limits }),
      startApp({ limits, storage: files }),
    ]);
    for (const one of [app, other]) {
      await one.project('p', pages);
      for (const [number, text] of texts.entries()) {
        const tags = texts.slice(number, number + 3);
        resultOf(await create(one, { number, text, path: `${text}/`, area: common, tags }), 201);
        resultOf(await create(one, { number: number + 100, text, tags: [...tags, 'x'] }), 201);
      }
      resultOf(await create(one, { number: 99 }), 201);
    }
  });
  after(async () => {
    await Promise.all([app.close(), other.close()]);
    await files.remove();
  });

  const create = (one: TestApp, body: Record<string, Json>) => one.call('POST', '/v1/p/pages', { body });

  /** The numbers that a query gives, in their order, which both engines agree on. */
  async function same(query: string): Promise<number[]> {
    const [here, there] = await Promise.all(
      [app, other].map(async (one) => {
        const { found, total } = resultOf(await one.call('GET', `/v1/p/pages?perPage=100&${query}`));
        return { total, numbers: (found as { number: number }[]).map(({ number }) => number) };
      }),
    );
    assert.deepEqual(here, there, query.slice(0, 100));
    return here?.numbers ?? [];
  }

  const encode = (text: string) => encodeURIComponent(text.replaceAll(',', '\\,'));

  it('are found by their value, one or several, and by what they are not', async () => {
    for (const [number, text] of texts.entries()) {
      const unset = text === '' ? [99] : []; // an empty value asks for what is unset or empty
      assert.deepEqual(await same(`text=${encode(text)}&sort=number`), [number, ...unset, number + 100]);
      assert.deepEqual(await same(`path=${encode(`${text}/`)}`), [number]);
      const others = texts.length * 2 - 1 - unset.length;
      assert.equal((await same(`text!=${encode(text)}&sort=number`)).length, others);
    }
    const several = texts.slice(4, 9).map(encode).join(',');
    assert.equal((await same(`text=${several}&sort=-number`)).length, 10);
    assert.equal((await same(`text!=${several}`)).length, texts.length * 2 - 9);
    assert.deepEqual(await same(`text=${encode(`${common}c`)}`), []);
  });

  it('are found in lists', async () => {
    for (const text of texts) {
      await same(`tags=${encode(text)}`);
      await same(`tags!=${encode(text)}`);
    }
    const several = texts.slice(5, 8).map(encode).join(',');
    assert.ok((await same(`tags=${several}&sort=number`)).length > 4);
    assert.ok((await same(`tags!=${several}&tags=x&sort=number`)).length > 4);
  });

  it('sort by code point, and can be walked through either way', async () => {
    for (const sort of ['text', '-text', 'path', '-path', 'area,-text', '-text,number', '_id', '-_id']) {
      assert.equal((await same(`sort=${sort}`)).length, texts.length * 2 + 1);
      const walked = await Promise.all([app, other].map((one) => walk(one, sort)));
      assert.deepEqual(walked[0], walked[1], sort);
      assert.deepEqual(walked[0], await same(`sort=${sort}`), sort);
    }
  });

  async function walk(one: TestApp, sort: string): Promise<number[]> {
    const numbers: number[] = [];
    for (let after: unknown = ''; after !== null; ) {
      const query = `perPage=2&sort=${sort}&after=${after}`;
      const { found, next } = resultOf(await one.call('GET', `/v1/p/pages?${query}`));
      numbers.push(...(found as { number: number }[]).map(({ number }) => number));
      after = next;
    }
    return numbers;
  }

  it('are told apart by distinct, with and without a filter', async () => {
    for (const query of [
      'fields=text',
      'fields=tags,path',
      'fields=text,tags&number>=100',
      'fields=area&number<3',
    ]) {
      const [here, there] = await Promise.all(
        [app, other].map(async (one) => resultOf(await one.call('GET', `/v1/p/pages/distinct?${query}`))),
      );
      assert.deepEqual(here, there, query);
    }
  });

  it('are unique however long they are, alone and with another field', async () => {
    for (const text of texts) {
      const [here, there] = await Promise.all([app, other].map((one) => create(one, { path: `${text}/` })));
      assert.equal(here?.status, 409);
      assert.equal(here?.text, there?.text);
    }
    for (const one of [app, other]) {
      const path = `${common}${common}`;
      resultOf(await create(one, { number: 200, path, area: `${common}1` }), 201);
      assert.equal((await create(one, { number: 201, path: `${path}\\x`, area: `${common}1` })).status, 201);
      assert.equal(
        (await create(one, { number: 202, path: `${path}\\\\x`, area: `${common}1` })).status,
        201,
      );
      assert.equal((await create(one, { number: 203, path: `${path}\\x`, area: `${common}2` })).status, 409);
    }
  });

  it('are changed and deleted with all that belongs to them', async () => {
    for (const one of [app, other]) {
      const { _id } = resultOf(await create(one, { number: 300, text: common, tags: texts }), 201);
      const path = `/v1/p/pages/${_id}`;
      resultOf(
        await one.call('PATCH', path, { body: { tags: [`${common}new`, 'x'], text: `${common}new` } }),
      );
      resultOf(await one.call('GET', path));
    }
    assert.deepEqual(await same(`tags=${encode(`${common}new`)}`), [300]);
    assert.deepEqual(await same(`text=${encode(`${common}new`)}`), [300]);
    assert.ok(!(await same(`tags=${encode(common)}`)).includes(300));
  });
});

describe('an indexed text with very many options', () => {
  it('is defined and used as any other', async () => {
    const app = await startPostgresApp();
    const options = Array.from({ length: 90_000 }, (_, number) => number.toString(36));
    await app.project('p', {
      id: 'pages',
      fields: { area: { type: 'text', index: true, options } },
      api: { access: 'public' },
    });
    resultOf(await app.call('POST', '/v1/p/pages', { body: { area: '1xfz' } }), 201);
    assert.equal(resultOf(await app.call('GET', '/v1/p/pages?area=1xfz')).total, 1);
    await app.close();
  });
});
