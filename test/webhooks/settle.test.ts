import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Webhooks } from '../../src/store/webhooks.ts';
import { startApp } from '../harness.ts';

it('what became of a try is stored as fast for a webhook with thousands that wait as for one with a few', {
  timeout: 280_000,
}, async () => {
  const app = await startApp();
  try {
    await app.project('shop', { id: 'products', fields: { title: { type: 'text' } } });
    const hooks = <T>(work: (webhooks: Webhooks) => Promise<T>) =>
      app.catalog().use('shop', ({ store }) => work(store.webhooks));
    const schema = await app.catalog().use('shop', (open) => open.schema.version);
    const make = async (id: string, count: number) => {
      const settings = { name: id, url: 'https://example.com', collections: [], kinds: [], fields: null };
      await hooks((webhooks) =>
        webhooks.create({ ...settings, id, secret: 'whsec_x', position: '0', created: 0 }),
      );
      for (let taken = 0; taken < count; taken += 100) {
        const changes = Array.from({ length: 100 }, (_, index) => {
          const change = { position: '1-1', kind: 'create' as const, collection: 'products', changed: 0 };
          return { ...change, id: `r${taken + index}` };
        });
        const places = { webhook: id, from: `${taken}`, to: `${taken + 100}`, schema };
        const intake = { ...places, changes, anew: false, now: 0 };
        assert.equal(await hooks((webhooks) => webhooks.take(intake)), true);
      }
    };
    await make('few', 100);
    await make('many', 4_000);
    /** The fastest of many, in milliseconds: however busy the machine is. */
    const fastest = new Map<string, number>();
    for (let n = 1; n <= 50; n++) {
      for (const webhook of ['few', 'many']) {
        const outcome = { kind: 'failed', nextAt: 1_000_000, pause: null } as const;
        const settlement = { webhook, n, attempt: 0, outcome, code: 503, reason: null, ms: 1, now: 1 };
        const begun = performance.now();
        await hooks((webhooks) => webhooks.settle(settlement));
        const took = performance.now() - begun;
        fastest.set(webhook, Math.min(took, fastest.get(webhook) ?? took));
      }
    }
    const [few = 0, many = 0] = [fastest.get('few'), fastest.get('many')];
    console.log(`${few.toFixed(2)} ms beside 100 that wait, ${many.toFixed(2)} ms beside 4,000`);
    assert.ok(many < 3 * few, `${many} ms beside 4,000 that wait, ${few} ms beside 100`);
    const { waiting, fresh } = await hooks((webhooks) => webhooks.backlog('many'));
    assert.deepEqual([waiting, fresh], [4_000, 3_950]);
  } finally {
    await app.close();
  }
});
