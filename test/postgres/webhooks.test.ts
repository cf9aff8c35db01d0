import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Settlement, Webhooks } from '../../src/store/webhooks.ts';
import { startPostgresApp } from './app.ts';

it('a change that is taken while the one before it is settled is due to be sent', async () => {
  const app = await startPostgresApp();
  try {
    await app.project('p', { id: 'notes', fields: { text: { type: 'text' } } });
    const hooks = <T>(work: (webhooks: Webhooks) => Promise<T>) =>
      app.catalog().use('p', ({ store }) => work(store.webhooks));
    const schema = await app.catalog().use('p', (open) => open.schema.version);
    const settings = { name: 'w', url: 'https://example.com', collections: [], kinds: [], fields: null };
    const made = { ...settings, id: 'w', secret: 'whsec_x', position: '0', created: 0 };
    await hooks((webhooks) => webhooks.create(made));
    const change = { position: '1-1', kind: 'update', collection: 'notes', id: 'r', changed: 0 } as const;
    const take = (at: number) =>
      hooks((webhooks) => {
        const places = { webhook: 'w', from: `${at - 1}`, to: `${at}`, schema };
        return webhooks.take({ ...places, changes: [change], anew: false, now: at });
      });
    const outcomes: readonly Settlement['outcome'][] = [
      { kind: 'delivered' },
      { kind: 'void' },
      { kind: 'failed', nextAt: null, pause: null },
    ];
    assert.equal(await take(1), true);
    for (let at = 2; at < 150; at++) {
      const due = await hooks((webhooks) => webhooks.due('w', 1e15, 10, 'oldest'));
      assert.equal(due.length, 1, `of ${at - 1} changes one is due`);
      const { n = 0, attempt = 0 } = due[0] ?? {};
      const outcome = outcomes[at % outcomes.length] ?? { kind: 'void' };
      const settled = { webhook: 'w', n, attempt, outcome, code: 200, reason: null, ms: 1, now: at };
      const [taken] = await Promise.all([take(at), hooks((webhooks) => webhooks.settle(settled))]);
      assert.equal(taken, true);
    }
  } finally {
    await app.close();
  }
});
