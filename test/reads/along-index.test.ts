import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startApp, type TestApp } from '../harness.ts';
import { seed } from '../seed.ts';
import { asAdmin, type Listed, resultOf } from '../support.ts';

let state = seed;
const random = () => {
  state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
  return state / 2 ** 31;
};
const count = 9_000;

interface Item {
  readonly _id: string;
  readonly rank: number | null;
}

describe(`lists along an index (VITRINE_SEED=${seed})`, () => {
  let app: TestApp;
  const items: Item[] = [];
  const path = '/v1/shop/items';
  before(async () => {
    app = await startApp();
    const fields = { rank: { type: 'number', index: true } };
    await app.project('shop', { id: 'items', name: 'Items', fields, api: { access: 'public' } });
    // Few values, one of them of half the records, and many that are unset.
    const pick = () => [null, 7, 7, 7, Math.floor(random() * 40) - 20][Math.floor(random() * 5)] ?? null;
    for (let made = 0; made < count; made += 1_000) {
      const body = { create: Array.from({ length: 1_000 }, () => ({ rank: pick() })) };
      const { created } = resultOf(await app.call('POST', `${path}/batch`, { ...asAdmin, body }));
      items.push(...(created as Item[]));
    }
  });
  after(() => app.close());

  const orders = ['rank', '-rank', 'rank,-_createdAt', '-rank,-_createdAt'];
  const sorted = (order: string): string[] => {
    const [down, newest] = [order.startsWith('-') ? -1 : 1, order.includes('-_createdAt') ? -1 : 1];
    const places = items.map(({ _id, rank }, at) => ({ _id, rank: rank ?? Number.NEGATIVE_INFINITY, at }));
    const byRank = (one: number, other: number) => (one === other ? 0 : one < other ? -1 : 1);
    places.sort((one, other) => byRank(one.rank, other.rank) * down || (one.at - other.at) * newest);
    return places.map(({ _id }) => _id);
  };

  it('give any page, near or far, in either order of those with the same value', async () => {
    for (const order of orders) {
      const ids = sorted(order);
      for (let turn = 0; turn < 12; turn += 1) {
        const perPage = 1 + Math.floor(random() * 60);
        const page = 1 + Math.floor(random() * (count / perPage + 1));
        const reply = await app.call('GET', `${path}?sort=${order}&perPage=${perPage}&page=${page}`);
        const { found, total } = resultOf(reply) as unknown as Listed;
        const wanted = ids.slice((page - 1) * perPage, page * perPage);
        const ask = `${order} ${page} ${perPage}`;
        assert.deepEqual([total, found.map(({ _id }) => _id)], [count, wanted], ask);
      }
    }
  });

  it('are walked from one end to the other', async () => {
    for (const order of orders) {
      const seen: string[] = [];
      for (let next: unknown = ''; typeof next === 'string'; ) {
        const reply = await app.call(
          'GET',
          `${path}?sort=${order}&perPage=700&after=${encodeURIComponent(next)}`,
        );
        const result = resultOf(reply) as unknown as Listed & { next: unknown };
        seen.push(...result.found.map(({ _id }) => _id));
        next = result.next;
      }
      assert.deepEqual(seen, sorted(order), order);
    }
  });
});
