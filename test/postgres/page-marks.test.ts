import assert from 'node:assert/strict';
import { after, before, describe, it, mock } from 'node:test';
import { Session } from '../../src/store/engines/postgres/connection/session.ts';
import { definition, type Listed, resultOf } from '../support.ts';
import { type PostgresApp, startPostgresApp } from './app.ts';

const count = 2_400;
const perPage = 100;

describe('pages one after another', () => {
  let app: PostgresApp;
  before(async () => {
    app = await startPostgresApp();
    const fields = { name: { type: 'text', index: true }, colour: { type: 'text' } };
    await app.project('p', definition('items', fields));
    for (let made = 0; made < count; made += 800) {
      const create = Array.from({ length: 800 }, (_, at) => ({
        name: `n${(made + at) % 1_000}`,
        colour: at % 2 === 0 ? 'red' : 'blue',
      }));
      resultOf(await app.call('POST', '/v1/p/items/batch', { body: { create } }));
    }
  });
  after(() => app.close());

  /** How many records PostgreSQL was told to skip for each of these pages, at most. */
  async function skippedFor(
    query: string,
    pages: readonly number[],
    path = '/v1/p/items',
  ): Promise<number[]> {
    const asked = mock.method(Session.prototype, 'query');
    try {
      const skipped: number[] = [];
      for (const page of pages) {
        asked.mock.resetCalls();
        resultOf(await app.call('GET', `${path}?${query}&perPage=${perPage}&page=${page}`));
        skipped.push(
          Math.max(0, ...asked.mock.calls.map(({ arguments: [text, values] }) => offsetOf(text, values))),
        );
      }
      return skipped;
    } finally {
      asked.mock.restore();
    }
  }

  const offsetOf = (text: string, values: readonly unknown[]) =>
    Number(values[Number(/ OFFSET \$(\d+)/.exec(text)?.[1] ?? 0) - 1] ?? 0);

  const all = Array.from({ length: count / perPage }, (_, index) => index + 1);

  for (const query of ['sort=name', 'sort=-name', 'sort=name,-_createdAt,colour', 'sort=_id']) {
    it(`begin where the one before ended: ${query}`, async () => {
      const skipped = await skippedFor(query, all);
      assert.deepEqual(
        skipped.slice(2),
        all.slice(2).map(() => 0),
      );
    });
  }

  it('so do those of a filter in the order of creation', async () => {
    const half = all.slice(0, all.length / 2);
    assert.deepEqual(
      (await skippedFor('colour=red&sort=-_createdAt', half)).slice(2),
      half.slice(2).map(() => 0),
    );
  });

  it('are counted off from the nearest mark where they were left out', async () => {
    const skipped = await skippedFor('sort=-_id', [10, 20, 15, 16]);
    assert.deepEqual(skipped, [900, 900, 400, 0]);
  });

  it('are counted off from the first again once something was written', async () => {
    assert.deepEqual(await skippedFor('sort=name,-_createdAt', [9, 10]), [800, 0]);
    const reply = await app.call('GET', '/v1/p/items?sort=name,-_createdAt&perPage=1');
    const [first] = (resultOf(reply) as unknown as Listed).found;
    resultOf(await app.call('PATCH', `/v1/p/items/${first?._id}`, { body: { name: 'z' } }));
    assert.deepEqual(await skippedFor('sort=name,-_createdAt', [11]), [1_000]);
  });

  it('are not looked up by marks where no index has all of the order', async () => {
    assert.deepEqual(await skippedFor('sort=colour', [9, 10]), [800, 900]);
    assert.deepEqual(await skippedFor('sort=name,colour', [9, 10]), [800, 900]);
  });

  it('no mark is made of a long value', async () => {
    const long = (at: number) => `${'é'.repeat(200)}${at}`;
    const create = Array.from({ length: 300 }, (_, at) => ({ name: long(at) }));
    await app.project('q', definition('items', { name: { type: 'text', index: true } }));
    resultOf(await app.call('POST', '/v1/q/items/batch', { body: { create } }));
    assert.deepEqual(await skippedFor('sort=name', [3, 3], '/v1/q/items'), [200, 200]);
    assert.deepEqual(await skippedFor('sort=_createdAt&name!=x', [2, 3], '/v1/q/items'), [100, 0]);
  });
});
