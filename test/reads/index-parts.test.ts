import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';
import { loadRuntime } from '../../src/runtime/load-runtime.ts';
import { Database } from '../../src/store/engines/sqlite/connection/database.ts';
import {
  addSearchTexts,
  createSearchTables,
  indexPending,
  mergeTokens,
} from '../../src/store/engines/sqlite/tables/search.ts';
import { raw, sql } from '../../src/store/sql/tag.ts';

const key = 1;
/** Of one step each: fewer than the parts at which SQLite merges whatever it was told. */
const texts = Array.from({ length: 12 }, (_, n) =>
  Array.from({ length: 400 }, (_, at) => `w${((n * 400 + at) * 7919).toString(36)}`).join(' '),
);

describe('the index of words', () => {
  let folder: string;
  let db: Database;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'vitrine-search-'));
  });
  after(() => rm(folder, { recursive: true }));
  beforeEach(async () => {
    const { sqlite } = await loadRuntime();
    const file = join(folder, `${crypto.randomUUID()}.db`);
    await writeFile(file, '');
    db = new Database(sqlite, file);
    await createSearchTables(db, key);
  });

  /** Parts of the index, of which every search looks at each. */
  const countParts = () =>
    Number(db.row(raw(`SELECT count(DISTINCT id >> 37) FROM t${key}_data WHERE id > 1000`))?.[0]);
  const found = (word: string) =>
    db
      .rows(sql`SELECT rowid FROM ${raw(`t${key}`)} WHERE ${raw(`t${key}`)} MATCH ${`"${word}"`}`)
      .map(([seq]) => Number(seq));

  /** The places of the texts with a word that ends so: each end of a word is a token. */
  const having = (end: string) =>
    texts.flatMap((text, at) => (text.split(' ').some((word) => word.endsWith(end)) ? [at + 1] : []));

  async function indexAll(afterEach: () => Promise<unknown>): Promise<void> {
    for (const [at, text] of texts.entries()) {
      await addSearchTexts(db, key, [{ seq: at + 1, text }]);
      assert.equal(await indexPending(db, key, () => true), 0);
      await afterEach();
    }
  }

  it('is never merged by whoever adds to it', async () => {
    await indexAll(async () => {});
    assert.equal(countParts(), texts.length);
    db.close();
  });

  it('is merged in steps of their own until there are few parts, and finds the same', async () => {
    let steps = 0;
    await indexAll(async () => {
      while (await mergeTokens(db, key)) steps += 1;
    });
    assert.ok(steps > 0);
    assert.ok(countParts() <= 6, `${countParts()} parts`);
    assert.equal(await mergeTokens(db, key), false);
    for (const word of texts
      .join(' ')
      .split(' ')
      .filter((_, n) => n % 50 === 0))
      assert.deepEqual(found(word), having(word), word);
    db.close();
  });
});
