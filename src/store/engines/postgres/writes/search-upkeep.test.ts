import assert from 'node:assert/strict';
import { describe, it, mock } from 'node:test';
import type { Pool } from '../connection/pool.ts';
import type { Session } from '../connection/session.ts';
import { SearchUpkeep } from './search-upkeep.ts';

/** A pool that notes whose index was brought up to date, by the table of its texts. */
function counting(): { readonly pool: Pool; readonly done: unknown[] } {
  const done: unknown[] = [];
  const session = {
    command: async () => ({ rows: [], count: 0, command: undefined }),
    query: async (_text: string, [table]: readonly unknown[]) => void done.push(table),
  } as unknown as Session;
  const pool = {
    deadline: { remaining: 1_000 },
    isFrequent: () => true,
    use: (work: (session: Session) => Promise<unknown>) => work(session),
  } as unknown as Pool;
  return { pool, done };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('the upkeep of the index for search', () => {
  it('begins with the character that is enough, and not before', async () => {
    const { pool, done } = counting();
    const upkeep = new SearchUpkeep(pool, 'vitrine_p1');
    upkeep.note(1, 150_000);
    upkeep.note(2, 150_000);
    upkeep.note(1, 49_999);
    await settled();
    assert.deepEqual(done, []);
    upkeep.note(1, 1);
    await settled();
    assert.deepEqual(done, ['vitrine_p1.s1']);
    await upkeep.stop();
  });

  it('takes ten seconds where there is less, and then takes all there is', async () => {
    const { pool, done } = counting();
    mock.timers.enable({ apis: ['setTimeout'] });
    try {
      const upkeep = new SearchUpkeep(pool, 'vitrine_p1');
      upkeep.note(1, 10);
      upkeep.note(2, 10);
      mock.timers.tick(9_999);
      await settled();
      assert.deepEqual(done, []);
      mock.timers.tick(1);
      await settled();
      assert.deepEqual(done, ['vitrine_p1.s1', 'vitrine_p1.s2']);
      await upkeep.stop();
    } finally {
      mock.timers.reset();
    }
  });
});
