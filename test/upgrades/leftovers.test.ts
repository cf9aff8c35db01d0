import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { Catalog } from '../../src/catalog/catalog.ts';
import { sqliteStorage } from '../storage.ts';

it('what an earlier version left of a copy that was interrupted is gone after a start', async () => {
  const storage = await sqliteStorage();
  const folder = join(String(storage.flags[1]), 'projects');
  const open = () => new Catalog(storage.open(), Date.now);
  const first = open();
  await first.createProject('shop', 'Shop');
  await first.close();
  const left = ['shop.db.incomplete', 'shop.db.incomplete-wal', 'other.db.incomplete'];
  for (const name of left) writeFileSync(join(folder, name), 'half of it');
  const second = open();
  await second.requireProject('shop');
  await second.createProject('another', 'Another');
  await second.close();
  assert.deepEqual(
    left.filter((name) => existsSync(join(folder, name))),
    [],
  );
  assert.ok(existsSync(join(folder, 'shop.db')));
  await storage.remove();
});
