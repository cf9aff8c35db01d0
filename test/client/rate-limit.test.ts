import assert from 'node:assert/strict';
import { it } from 'node:test';
import { RateLimit } from '../../src/access/rate-limit.ts';
import { startWorld } from './world.ts';

it('a client that asks more than it may waits as the server says, and gets its answers', async () => {
  /** Where the clock stands until one was refused: on a slow machine there would be room again for each of them. */
  let standing: number | undefined;
  const now = () => standing ?? Date.now();
  const world = await startWorld({ rateLimit: new RateLimit(6, 6), now });
  try {
    standing = Date.now();
    const statuses: number[] = [];
    const fetch: typeof world.fetch = async (url, init) => {
      const response = await world.fetch(url, init);
      statuses.push(response.status);
      if (response.status === 429) standing = undefined;
      return response;
    };
    const v = world.client({ fetch });
    const made = await Promise.all(
      Array.from({ length: 10 }, (_, index) => v.countries.create({ name: `c${index}` })),
    );
    assert.equal(new Set(made.map(({ _id }) => _id)).size, 10);
    assert.ok(statuses.includes(429), statuses.join());
    assert.equal(statuses.filter((status) => status === 201).length, 10);
  } finally {
    await world.app.close();
  }
});
