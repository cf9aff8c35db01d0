import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { loadRuntime } from '../../src/runtime/load-runtime.ts';
import { Database, TransactionLost } from '../../src/store/engines/sqlite/connection/database.ts';
import { SqliteFault } from '../../src/store/engines/sqlite/connection/driver.ts';
import { Schemas } from '../../src/store/known-schemas.ts';
import type { StoredCollection } from '../../src/store/schema.ts';
import { Counters } from '../../src/store/sql/records/counters.ts';
import { raw } from '../../src/store/sql/tag.ts';
import { wrapStatements } from './wrap-statements.ts';

it('the end of a transaction that SQLite undoes there says why, and leaves no other error behind', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'vitrine-undone-'));
  const { sqlite } = await loadRuntime();
  const file = join(directory, 'file.db');
  writeFileSync(file, '');
  const full = wrapStatements(sqlite, (statement, text) => {
    if (!text.startsWith('UPDATE counters')) return statement;
    const run = (): never => {
      db.exec('ROLLBACK');
      throw new SqliteFault(13, 'database or disk is full', undefined);
    };
    return { ...statement, run };
  });
  const db = new Database(full, file);
  const left: unknown[] = [];
  const note = (error: unknown) => void left.push(error);
  process.on('unhandledRejection', note);
  try {
    db.exec(
      'PRAGMA journal_mode = WAL; CREATE TABLE counters (collection, version); CREATE TABLE changes (mark)',
    );
    const collection = { key: 1 } as StoredCollection;
    const ended = db.longTransaction(async () => {
      const counters = new Counters(db, new Schemas());
      counters.touch(collection);
      const change = { kind: 1, id: 'a', at: 1, owner: null, workspace: null } as const;
      counters.log.note(collection, { ...change, oldOwner: null, oldWorkspace: null });
      await counters.write();
      return 'commit';
    });
    await assert.rejects(ended, SqliteFault);
    await new Promise((resolve) => setTimeout(resolve, 20));
    assert.deepEqual(left, []);
  } finally {
    process.off('unhandledRejection', note);
    db.close();
    rmSync(directory, { recursive: true, force: true });
  }
});

it('of a transaction that SQLite has undone by itself nothing is saved, whatever its parts still ask', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'vitrine-undone-'));
  const { sqlite } = await loadRuntime();
  const file = join(directory, 'file.db');
  writeFileSync(file, '');
  const db = new Database(sqlite, file);
  try {
    db.exec('PRAGMA journal_mode = WAL; CREATE TABLE large (text); CREATE TABLE small (n)');
    db.exec('PRAGMA max_page_count = 3');
    const ask = async (text: string) => db.run(raw(text));
    const run = (work: () => Promise<'commit' | 'rollback'>) => db.longTransaction(work);
    const full = 'INSERT INTO large VALUES (zeroblob(50000))';
    const refused = run(async () => {
      await ask('INSERT INTO small VALUES (1)');
      await Promise.all([ask(full), ask('INSERT INTO small VALUES (2)')]);
      return 'commit';
    });
    await assert.rejects(refused, /full/);
    const ignored = run(async () => {
      await ask(full).catch(() => {});
      await ask('INSERT INTO small VALUES (3)').catch(() => {});
      await db.savepoint(() => ask('INSERT INTO small VALUES (4)')).catch(() => {});
      return 'commit';
    });
    await assert.rejects(ignored, TransactionLost);
    assert.deepEqual(db.rows(raw('SELECT n FROM small')), []);
    await run(async () => {
      await ask('INSERT INTO small VALUES (5)');
      return 'commit';
    });
    assert.deepEqual(db.rows(raw('SELECT n FROM small')), [[5]]);
  } finally {
    db.close();
    rmSync(directory, { recursive: true, force: true });
  }
});
