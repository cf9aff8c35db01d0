import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it, mock } from 'node:test';
import type { Connection } from '../../../sql/dialect.ts';
import type { Sql } from '../../../sql/tag.ts';
import { SearchUpkeep } from './search-upkeep.ts';

/** Texts that wait, by the name of their table: as many steps as are needed to move them. */
class Texts {
  readonly waiting = new Map<string, number>();
  readonly moves: string[] = [];
  readonly upkeep = new SearchUpkeep(async (_way, work) => work(this.#db), 'vitrine_p1', 1);

  readonly #db = {
    row: async () => [1],
    rows: async () => [],
    run: async ({ text }: Sql) => {
      const name = /INSERT INTO (s\d+)/.exec(text)?.[1] ?? '';
      const left = this.waiting.get(name) ?? 0;
      this.waiting.set(name, Math.max(0, left - 1));
      if (left > 0) this.moves.push(name);
      return left > 0 ? 1 : 0;
    },
  } as unknown as Connection;
}

const settled = async () => {
  for (let turn = 0; turn < 50; turn++) await Promise.resolve();
};

async function pass(milliseconds: number): Promise<void> {
  mock.timers.tick(milliseconds);
  await settled();
}

describe('the upkeep of the index for search', () => {
  let texts: Texts;
  beforeEach(() => {
    mock.timers.enable({ apis: ['setTimeout', 'setInterval', 'Date'] });
    texts = new Texts();
  });
  afterEach(async () => {
    await texts.upkeep.stop();
    mock.timers.reset();
  });

  it('begins with the character that is enough, and not before', async () => {
    texts.waiting.set('s1', 3).set('s2', 1);
    texts.upkeep.note(1, 5_000_000);
    texts.upkeep.note(2, 5_000_000);
    texts.upkeep.note(1, 2_999_999);
    await settled();
    assert.deepEqual(texts.moves, []);
    texts.upkeep.note(1, 1);
    await settled();
    assert.deepEqual(texts.moves, ['s1', 's1', 's1']);
  });

  it('takes all there is once nothing was written for a second', async () => {
    texts.waiting.set('s1', 1).set('s2', 2);
    texts.upkeep.note(1, 10);
    await pass(600);
    texts.upkeep.note(2, 10);
    await pass(999);
    assert.deepEqual(texts.moves, []);
    await pass(1);
    assert.deepEqual(texts.moves, ['s1', 's2', 's2']);
  });

  it('takes it after ten seconds where something always is', async () => {
    texts.waiting.set('s1', 1);
    for (let at = 0; at < 20; at++) {
      assert.deepEqual(texts.moves, [], `after ${at / 2} seconds`);
      texts.upkeep.note(1, 10);
      await pass(500);
    }
    assert.deepEqual(texts.moves, ['s1']);
  });

  it('looks again for what was not committed yet, until it finds nothing', async () => {
    texts.waiting.set('s1', 1);
    texts.upkeep.note(1, 10);
    await pass(1_000);
    texts.waiting.set('s1', 1);
    await pass(10_000);
    assert.deepEqual(texts.moves, ['s1', 's1']);
    await pass(10_000); // nothing is found
    texts.waiting.set('s1', 1);
    await pass(100_000);
    assert.deepEqual(texts.moves, ['s1', 's1']);
  });

  it('lets no more wait than searches can look at one by one', async () => {
    assert.equal(texts.upkeep.note(1, 15_999_999), true);
    assert.equal(texts.upkeep.note(2, 16_000_001), false);
    assert.equal(texts.upkeep.note(1, 2), false);
    await settled(); // as far as it knows, all of it is in the index
    assert.equal(texts.upkeep.note(1, 16_000_000), true);
  });
});
