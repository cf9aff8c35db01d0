import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import { copyProject } from '../../src/commands/copy/copy-project.ts';
import { loadRuntime } from '../../src/runtime/load-runtime.ts';
import type { Engine } from '../../src/store/engine.ts';
import { openSqliteEngine } from '../../src/store/engines/sqlite/engine.ts';
import type { NamedStorage } from '../storage.ts';
import { startOldStorage } from '../upgrades/fixture.ts';

let storage: NamedStorage;
let directory: string;
let from: Engine;
let to: Engine;
before(async () => {
  storage = await startOldStorage();
  directory = await mkdtemp(join(tmpdir(), 'vitrine-outdated-'));
  from = storage.open();
  to = openSqliteEngine((await loadRuntime()).sqlite, join(directory, 'data'));
});
after(async () => {
  await from.close();
  await to.close();
  await storage.remove();
  await rm(directory, { recursive: true, force: true });
});

const copy = () => copyProject({ from, to, project: 'shop', as: 'shop', copied() {}, checked() {} });

it('vitrine copy leaves a project of an earlier version as it is, and says what to do', async () => {
  await assert.rejects(copy(), /nothing was copied: project 'shop' .* earlier version.*backs it up/);
  assert.equal(await from.isOutdated('shop'), true);
  assert.equal(await to.findProject('shop'), undefined);
});

it('and copies it once it was upgraded', async () => {
  await (await from.openProject('shop')).close();
  assert.equal(await from.isOutdated('shop'), false);
  assert.deepEqual((await copy()).different, []);
  assert.ok(await to.findProject('shop'));
});
