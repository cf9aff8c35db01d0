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
  readonly pair: number | null;
  readonly code: number | null;
  readonly next: string | null;
}

describe(`lists along an index (VITRINE_SEED=${seed})`, () => {
  let app: TestApp;
  const items: Item[] = [];
  const path = '/v1/shop/items';
  before(async () => {
    app = await startApp();
    const fields = {
      rank: { type: 'number', index: true },
      pair: { type: 'number', index: true },
      code: { type: 'number', unique: true },
      next: { type: 'relation', to: 'items', kind: 'single' },
    };
    await app.project('shop', { id: 'items', name: 'Items', fields, api: { access: 'public' } });
    // Few values, one of them of half the records, and many that are unset.
    const pick = () => [null, 7, 7, 7, Math.floor(random() * 40) - 20][Math.floor(random() * 5)] ?? null;
    const few = () => (random() < 0.01 ? null : Math.floor((random() * count) / 2));
    for (let made = 0; made < count; made += 1_000) {
      const code = (n: number) => (n % 30 === 0 ? null : ((n + made) * 7_919) % 100_003);
      const next = () => items[Math.floor(random() * items.length)]?._id ?? null;
      const create = Array.from({ length: 1_000 }, (_, n) => ({
        ...{ rank: pick(), pair: few(), code: code(n), next: next() },
      }));
      const body = { create };
      const { created } = resultOf(await app.call('POST', `${path}/batch`, { ...asAdmin, body }));
      items.push(...(created as Item[]));
    }
  });
  after(() => app.close());

  const orders = ['rank', '-rank', 'rank,-_createdAt', '-rank,-_createdAt'];
  const others = ['pair', '-pair', 'pair,-_createdAt', '-pair,-_createdAt', 'code', '-code', '_id', '-_id'];
  const sorted = (order: string): string[] => {
    const [down, newest] = [order.startsWith('-') ? -1 : 1, order.includes('-_createdAt') ? -1 : 1];
    const name = /[a-z_]+/.exec(order)?.[0] as keyof Item;
    const places = items.map((item, at) => ({ _id: item._id, value: item[name] ?? -1_000, at }));
    const byValue = (one: string | number, other: string | number) =>
      one === other ? 0 : one < other ? -1 : 1;
    places.sort((one, other) => byValue(one.value, other.value) * down || (one.at - other.at) * newest);
    return places.map(({ _id }) => _id);
  };

  it('give any page, near or far, in either order of those with the same value', async () => {
    const nexts = new Map(items.map(({ _id, next }) => [_id, next]));
    for (const order of [...orders, ...others]) {
      const ids = sorted(order);
      for (let turn = 0; turn < 16; turn += 1) {
        const perPage = 1 + Math.floor(random() * 60);
        // Half of them not farther than what one page after the other remembers where it was.
        const end = turn % 2 === 0 ? (turn + 2) * 600 : count;
        const page = 1 + Math.floor(random() * (end / perPage + 1));
        const ask = `sort=${order}&perPage=${perPage}&page=${page}${turn % 3 === 0 ? '&include=next' : ''}`;
        const { found, total, _include } = resultOf(
          await app.call('GET', `${path}?${ask}`),
        ) as unknown as Listed;
        const wanted = ids.slice((page - 1) * perPage, page * perPage);
        assert.deepEqual([total, found.map(({ _id }) => _id)], [count, wanted], ask);
        if (turn % 3 !== 0) continue;
        const related = new Set(wanted.map((id) => nexts.get(id)).filter((next) => next !== null));
        assert.deepEqual(new Set(_include?.next?.map(({ _id }) => _id)), related, ask);
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
