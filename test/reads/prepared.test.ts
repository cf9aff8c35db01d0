import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { requireCollection } from '../../src/catalog/require-collection.ts';
import { loadRuntime } from '../../src/runtime/load-runtime.ts';
import { Database } from '../../src/store/engines/sqlite/connection/database.ts';
import type { SqliteDriver } from '../../src/store/engines/sqlite/connection/driver.ts';
import { fileSystem } from '../../src/store/engines/sqlite/connection/file-system.ts';
import { ReaderFile } from '../../src/store/engines/sqlite/readers/reader-file.ts';
import { listPlan } from '../../src/store/plans.ts';
import { raw, type Sql, sql } from '../../src/store/sql/tag.ts';
import { startApp } from '../harness.ts';
import { sqliteStorage } from '../storage.ts';

let sqlite: SqliteDriver;
let directory: string;
before(async () => {
  ({ sqlite } = await loadRuntime());
  directory = mkdtempSync(join(tmpdir(), 'vitrine-prepared-'));
});
after(() => rmSync(directory, { recursive: true, force: true }));

/** A statement that takes a hundred times as long to prepare as to run; `name` makes it another one. */
function longStatement(name: string, end: Sql): Sql {
  const rows = raw(Array.from({ length: 400 }, (_, n) => `SELECT ${n} AS ${name}`).join(' UNION ALL '));
  return sql`SELECT ${raw(name)} FROM (${rows}) ${end}`;
}

/** Milliseconds of the fastest of several tries: whatever else the machine does only adds to them. */
function fastest(tries: number, work: (attempt: number) => void): number {
  const times = Array.from({ length: tries }, (_, attempt) => {
    const start = performance.now();
    work(attempt);
    return performance.now() - start;
  });
  return Math.min(...times);
}

describe('a statement is prepared once', () => {
  for (const [what, end] of [
    ['with a limit', (n: number) => sql`LIMIT ${n}`],
    ['with a limit and an offset', (n: number) => sql`LIMIT ${n} OFFSET ${n}`],
  ] as const) {
    it(what, () => {
      const path = join(directory, `${what.length}.db`);
      fileSystem.makeFile(path);
      const db = new Database(sqlite, path);
      try {
        const first = fastest(10, (attempt) => void db.rows(longStatement(`a${attempt}`, end(2))));
        const known = longStatement('known', end(2));
        db.rows(known);
        const again = fastest(
          50,
          (attempt) => void db.rows({ ...known, values: end(1 + (attempt % 3)).values }),
        );
        assert.ok(again < first / 5, `${again} ms, where the first time took ${first}`);
        assert.deepEqual(
          db.rows({ ...known, values: end(2).values }).length,
          2,
          'and has as many rows as the last number says',
        );
      } finally {
        db.close();
      }
    });
  }

  it('of a search, whose temporary tables are made once per connection', async () => {
    const storage = await sqliteStorage();
    const app = await startApp({ storage });
    let made = 0;
    const counting: SqliteDriver = {
      open(path) {
        const connection = sqlite.open(path);
        return {
          ...connection,
          exec(text) {
            if (text.includes('CREATE VIRTUAL TABLE')) made += 1;
            connection.exec(text);
          },
        };
      },
    };
    try {
      await app.project('p', { id: 'notes', fields: { text: { type: 'text' } }, api: { access: 'public' } });
      for (const text of ['one', 'two', 'three']) {
        const { status } = await app.call('POST', '/v1/p/notes', { body: { text } });
        assert.equal(status, 201);
      }
      const { ref } = await app.catalog().use('p', async (project) => requireCollection(project, 'notes'));
      const file = new ReaderFile(counting, join(storage.flags[1] ?? '', 'projects', 'p.db'));
      try {
        for (const [word, found] of Object.entries({ one: 1, o: 2, three: 1, four: 0 })) {
          const plan = listPlan({
            ...{ collection: ref, limit: 25, offset: 0, sort: [], include: [], extra: [] },
            where: { scope: { kind: 'all' }, conditions: [], search: [word] },
          });
          const { answer } = await file.read('list', plan, () => undefined, 60_000);
          assert.equal(answer.total, found, word);
        }
      } finally {
        file.close();
      }
      assert.equal(made, 1);
    } finally {
      await app.close();
      await storage.remove();
    }
  });
});
