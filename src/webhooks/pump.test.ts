import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type PumpOptions, pump } from './pump.ts';

it('what only a wrong clock puts off is searched for at first, and then once a minute', async () => {
  let searched = 0;
  const webhooks = {
    find: async () => ({ id: 'w', paused: null, position: '0', collections: [], kinds: [], failures: 0 }),
    backlog: async () => ({ fresh: 0, waiting: 0, nextAt: null }),
    due: async () => [],
    misdated: async () => {
      searched += 1;
      return [];
    },
  };
  const open = { store: { webhooks }, schema: { collections: new Map() } };
  const { signal } = new AbortController();
  const options = {
    catalog: { use: async (_: string, work: (project: typeof open) => unknown) => work(open) },
    changes: () => ({ after: async () => ({ changes: [], next: '0' }) }),
    ...{ project: 'p', now: Date.now, stop: signal, abort: signal, sending: {} },
    ...{ rests: new Map(), searches: new Map<string, number>() },
  };
  const look = () => pump(options as unknown as PumpOptions, 'w');
  for (let times = 0; times < 5; times++) await look();
  assert.equal(searched, 1);
  const at = options.searches.get('w') ?? 0;
  options.searches.set('w', at - 59_000);
  await look();
  assert.equal(searched, 1);
  options.searches.set('w', at - 60_000);
  for (let times = 0; times < 5; times++) await look();
  assert.equal(searched, 2);
});
