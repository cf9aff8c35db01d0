import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { Webhooks } from '../../src/store/webhooks.ts';
import { Dice } from '../durability/dice.ts';
import { startApp, type TestApp } from '../harness.ts';
import { seed } from '../seed.ts';
import { testEngine } from '../storage.ts';

const count = 2_500;
const minute = 60_000;
/** Up to when these are put off. */
const latest = 120 * minute;

interface Tried {
  readonly n: number;
  /** null: it was never tried. */
  readonly at: number | null;
  readonly nextAt: number;
}

describe('of very many deliveries that are put off', () => {
  let app: TestApp;
  const all: Tried[] = [];
  before(async () => {
    app = await startApp();
    await app.project('shop', { id: 'products', fields: { title: { type: 'text' } } });
    const schema = await app.catalog().use('shop', (open) => open.schema.version);
    const dice = new Dice(seed);
    const settings = { name: 'w', url: 'https://example.com', collections: [], kinds: [], fields: null };
    const made = { ...settings, id: 'w', secret: 'whsec_x', position: '0', created: 0 };
    await hooks((webhooks) => webhooks.create(made));
    for (let taken = 0; taken < count; taken += 100) {
      const changes = Array.from({ length: 100 }, (_, index) => {
        const change = { position: '1-1', kind: 'create' as const, collection: 'products', changed: 0 };
        return { ...change, id: `r${taken + index}` };
      });
      const now = dice.below(60) * minute;
      const places = { webhook: 'w', from: `${taken}`, to: `${taken + 100}`, schema };
      await hooks((webhooks) => webhooks.take({ ...places, changes, anew: false, now }));
      for (let n = taken + 1; n <= taken + 100; n++) all.push({ n, at: null, nextAt: now });
    }
    await Promise.all(
      all.map(async ({ n }) => {
        if (dice.chance(1)) return;
        // Many at the same time: more than are gone through at once.
        const at = dice.chance(98) ? 0 : dice.below(60) * minute;
        const nextAt = dice.chance(40) ? latest : at + dice.below(60) * minute;
        all[n - 1] = { n, at, nextAt };
        const outcome = { kind: 'failed', nextAt, pause: null } as const;
        const settlement = { webhook: 'w', n, attempt: 0, outcome, code: 503, reason: null, ms: 1, now: at };
        await hooks((webhooks) => webhooks.settle(settlement));
      }),
    );
  });
  after(() => app.close());

  const hooks = <T>(work: (webhooks: Webhooks) => Promise<T>) =>
    app.catalog().use('shop', ({ store }) => work(store.webhooks));

  for (const limit of [1, 16, count]) {
    it(`those are found that only a wrong clock puts off: ${limit} at most (seed ${seed})`, async () => {
      for (let now = -1; now <= latest; now += 10 * minute) {
        const wrong = all.filter(({ at, nextAt }) => nextAt > now && (at === null || at > now + minute));
        wrong.sort((one, other) => one.nextAt - other.nextAt || one.n - other.n);
        const found = await hooks((webhooks) => webhooks.misdated('w', now, limit));
        assert.deepEqual(
          found.map(({ n }) => n),
          wrong.slice(0, limit).map(({ n }) => n),
          `at ${now}`,
        );
      }
    });
  }

  it('others are served while those are gone through; what is due is found without them', async () => {
    const found = await hooks((webhooks) => webhooks.due('w', -1, count, 'oldest'));
    assert.deepEqual(found, []);
    let [turns, isOver] = [0, false];
    const others = (async () => {
      for (; !isOver; turns++) await turn();
    })();
    await hooks((webhooks) => webhooks.misdated('w', 0, 1_000));
    isOver = true;
    await others;
    // PostgreSQL does its work elsewhere.
    assert.ok(testEngine !== 'sqlite' || turns >= 2, `${turns} turns`);
  });
});
