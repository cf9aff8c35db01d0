import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { loadRuntime } from '../../src/runtime/load-runtime.ts';
import { openSqliteEngine } from '../../src/store/engines/sqlite/engine.ts';
import { format } from '../../src/store/engines/sqlite/tables/upgrades.ts';
import { FaultyDriver } from '../durability/faulty.ts';
import { writeDirectory } from './fixture.ts';

const page = { limit: 10, offset: 0 };

it('an upgrade of SQLite files that ends at any statement leaves them as they were, and the next one is made', async () => {
  const { sqlite } = await loadRuntime();
  const formatOf = (path: string) => {
    const connection = sqlite.open(path);
    const statement = connection.prepare('PRAGMA user_version');
    const [row] = statement.rows([]);
    statement.finalize();
    connection.close();
    return Number(row?.[0]);
  };
  for (const name of ['instance.db', 'shop.db']) {
    let ended = false;
    for (let after = 0; !ended; after += 1 + Math.floor(after / 8)) {
      const directory = mkdtempSync(join(tmpdir(), 'vitrine-upgrade-'));
      writeDirectory(directory);
      const path = name === 'shop.db' ? join(directory, 'projects', name) : join(directory, name);
      const driver = new FaultyDriver(sqlite);
      let begun = false;
      const applies = (text: string, at: string) => {
        begun ||= at === path && /user_version/.test(text);
        return at === path && begun && text !== 'ROLLBACK';
      };
      driver.arm({ code: 10, rollsBack: false, applies, after, times: 1 });
      const use = async () => {
        const engine = openSqliteEngine(driver, directory);
        try {
          assert.equal((await engine.listProjects(page)).total, 2);
          const store = await engine.openProject('shop');
          const { total } = await store.accounts.listUsers(page, {});
          await store.close();
          return total;
        } finally {
          await engine.close().catch(() => {});
        }
      };
      const first = await use().catch(() => undefined);
      ended = driver.mend().thrown === 0;
      if (first === undefined) assert.ok([1, format].includes(formatOf(path)), `${name} is whole`);
      assert.equal(await use(), 2);
      assert.equal(formatOf(path), format);
      rmSync(directory, { recursive: true, force: true });
    }
  }
});
