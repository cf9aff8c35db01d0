import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it, mock } from 'node:test';
import type { Connection } from '../../../sql/dialect.ts';
import type { Sql } from '../../../sql/tag.ts';
import type { TransactionWay } from '../connection/transact.ts';
import { SearchUpkeep } from './search-upkeep.ts';

/** Texts moved at a time. */
const portion = 2_000;

/** Pending texts, by the name of the table that they are moved to. */
class Texts {
  readonly waiting = new Map<string, number>();
  readonly moves: string[] = [];
  /** Called before each portion. */
  coming: () => void = () => {};
  takenByAnother = false;
  /** Size in bytes of the table that they wait in. */
  size = 0;
  readonly ways: TransactionWay[] = [];
  readonly vacuums: string[] = [];
  readonly upkeep = new SearchUpkeep(
    {
      run: async (way, work) => {
        this.ways.push(way);
        return work(this.#db);
      },
      vacuum: async (table) => void this.vacuums.push(table),
    },
    'vitrine_p1',
    1,
  );

  readonly #db = {
    dialect: { style: { table: (name: string) => name } },
    rows: async () => [],
    row: async ({ text }: Sql) => {
      const name = /INSERT INTO (s\d+)/.exec(text)?.[1];
      if (name === undefined) return this.takenByAnother ? undefined : [1];
      this.coming();
      const left = this.waiting.get(name) ?? 0;
      const moved = Math.min(left, portion);
      this.waiting.set(name, left - moved);
      if (moved > 0) this.moves.push(name);
      return [moved, moved, this.size];
    },
  } as unknown as Connection;
}

const settled = async () => {
  for (let turn = 0; turn < 200; turn++) await Promise.resolve();
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
    texts.upkeep.watch();
  });
  afterEach(async () => {
    await texts.upkeep.stop();
    mock.timers.reset();
  });

  it('begins with the character that is enough, and not before', async () => {
    texts.waiting.set('s1', 2 * portion + 1).set('s2', 1);
    texts.upkeep.notePending(1, 5_000_000);
    texts.upkeep.notePending(2, 5_000_000);
    texts.upkeep.notePending(1, 2_999_999);
    await settled();
    assert.deepEqual(texts.moves, []);
    texts.upkeep.notePending(1, 1);
    await settled();
    assert.deepEqual(texts.moves, ['s1', 's1', 's1']);
  });

  it('does not begin before it is watched', async () => {
    const made = new Texts();
    made.waiting.set('s1', 1);
    made.upkeep.noteListed(1, 8_000_000);
    await pass(20_000);
    assert.deepEqual(made.ways, []);
  });

  it('begins sooner with what is on the list of the index already', async () => {
    texts.waiting.set('s1', 1);
    texts.upkeep.noteListed(1, 199_999);
    await settled();
    assert.deepEqual(texts.moves, []);
    texts.upkeep.noteListed(1, 1);
    await settled();
    assert.deepEqual(texts.moves, ['s1']);
  });

  it('takes all there is once nothing was written for a second', async () => {
    texts.waiting.set('s1', 1).set('s2', portion + 1);
    texts.upkeep.notePending(1, 10);
    await pass(600);
    texts.upkeep.notePending(2, 10);
    await pass(999);
    assert.deepEqual(texts.moves, []);
    await pass(1);
    assert.deepEqual(texts.moves, ['s1', 's2', 's2']);
  });

  it('takes it after ten seconds where something always is', async () => {
    texts.waiting.set('s1', 1);
    for (let at = 0; at < 20; at++) {
      assert.deepEqual(texts.moves, [], `after ${at / 2} seconds`);
      texts.upkeep.notePending(1, 10);
      await pass(500);
    }
    assert.deepEqual(texts.moves, ['s1']);
  });

  it('leaves those that come meanwhile, so that other collections have their turn', async () => {
    texts.coming = () => texts.waiting.set('s1', (texts.waiting.get('s1') ?? 0) + 1);
    texts.waiting.set('s2', 1);
    texts.upkeep.notePending(1, 10);
    texts.upkeep.notePending(2, 10);
    await pass(1_000);
    assert.deepEqual(texts.moves, ['s1', 's2']);
  });

  it('looks again for what was not committed yet, until it finds nothing', async () => {
    texts.upkeep.notePending(1, 10);
    await pass(1_000);
    assert.deepEqual(texts.moves, []);
    texts.waiting.set('s1', 1);
    await pass(10_000);
    assert.deepEqual(texts.moves, ['s1']);
    texts.waiting.set('s1', 1);
    await pass(10_000);
    assert.deepEqual(texts.moves, ['s1', 's1']);
    await pass(10_000); // nothing is found
    texts.waiting.set('s1', 1);
    await pass(100_000);
    assert.deepEqual(texts.moves, ['s1', 's1']);
  });

  it('lets no more wait than searches can look at one by one', async () => {
    assert.equal(texts.upkeep.notePending(1, 15_999_999), true);
    assert.equal(texts.upkeep.notePending(2, 16_000_001), false);
    assert.equal(texts.upkeep.notePending(1, 2), false);
    await settled(); // as far as it knows, everything is indexed
    assert.equal(texts.upkeep.notePending(1, 16_000_000), true);
  });

  it('knows that they wait still where another node is at it', async () => {
    texts.takenByAnother = true;
    assert.equal(texts.upkeep.notePending(1, 9_000_000), true);
    await settled();
    assert.equal(texts.upkeep.notePending(1, 9_000_000), false);
    await settled();
    texts.takenByAnother = false;
    await pass(1_000);
    assert.equal(texts.upkeep.notePending(1, 9_000_000), true);
  });

  it('lets none wait where their table does not get smaller', async () => {
    texts.size = 100_000_001;
    assert.equal(texts.upkeep.notePending(1, 10), true);
    await pass(1_000);
    assert.equal(texts.upkeep.notePending(1, 10), false);
    texts.size = 0;
    await pass(1_000);
    assert.equal(texts.upkeep.notePending(1, 10), true);
  });

  it('has such a table made smaller, once in ten seconds', async () => {
    texts.size = 100_000_001;
    texts.upkeep.notePending(1, 10);
    await pass(1_000);
    assert.deepEqual(texts.vacuums, ['vitrine_p1.p1']);
    for (let seconds = 1; seconds < 10; seconds++) {
      texts.upkeep.notePending(1, 10);
      await pass(1_000);
      assert.equal(texts.vacuums.length, 1);
    }
    await pass(10_000);
    assert.equal(texts.vacuums.length, 2);
  });

  it('holds a connection for a time only, and gives it up where it ends', async () => {
    texts.waiting.set('s1', 1);
    texts.upkeep.notePending(1, 10);
    await pass(1_000);
    assert.ok(texts.ways.length >= 2);
    for (const { use } of texts.ways) {
      assert.ok((use?.within ?? Infinity) <= 60_000 && (use?.statementTimeout ?? Infinity) <= 30_000);
      assert.equal(use?.signal?.aborted, false);
    }
    await texts.upkeep.stop();
    for (const { use } of texts.ways) assert.equal(use?.signal?.aborted, true);
  });
});
