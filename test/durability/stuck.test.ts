import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, before, beforeEach, describe, it } from 'node:test';
import { loadRuntime } from '../../src/runtime/load-runtime.ts';
import type { Engine } from '../../src/store/engine.ts';
import { localBackupFiles } from '../../src/store/engines/sqlite/backup/local-backup-files.ts';
import type { SqliteDriver } from '../../src/store/engines/sqlite/connection/driver.ts';
import { openSqliteEngine } from '../../src/store/engines/sqlite/engine.ts';
import { localWriters } from '../../src/store/engines/sqlite/writes/local-writers.ts';
import { defaultAuth, type ProjectRecord } from '../../src/store/project-record.ts';

const page = { limit: 100, offset: 0 };
const project = (id: string, name = id): ProjectRecord => {
  return { id, name, auth: defaultAuth, created: 1, updated: 1 };
};

/** As where the file is one that must not be removed. */
const denied = (path: string): Promise<void> =>
  path.endsWith('stuck.db')
    ? Promise.reject(Object.assign(new Error('EPERM: operation not permitted'), { code: 'EPERM' }))
    : Promise.resolve();

describe('what was begun with a project and can not be finished', () => {
  let sqlite: SqliteDriver;
  let directory: string;
  let engine: Engine;
  /** How often it was tried to finish what is denied. */
  let tries: number;
  before(async () => {
    ({ sqlite } = await loadRuntime());
  });
  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'vitrine-stuck-'));
    engine = openSqliteEngine(sqlite, directory);
    for (const id of ['stuck', 'other']) await engine.createProject(project(id));
    await engine.close();
    start(true);
  });
  afterEach(async () => {
    await engine.close();
    rmSync(directory, { recursive: true, force: true });
  });

  function start(isDenied: boolean): void {
    const writers = localWriters(sqlite);
    const { remove, replace } = writers;
    tries = 0;
    const deny = (path: string) => {
      if (path.endsWith('stuck.db')) tries += 1;
      return denied(path);
    };
    if (isDenied) {
      writers.remove = (path, token) => deny(path).then(() => remove(path, token));
      writers.replace = (path, token) => deny(path).then(() => replace(path, token));
    }
    engine = openSqliteEngine(sqlite, directory, writers);
  }

  async function restart(isDenied: boolean): Promise<void> {
    await engine.close();
    start(isDenied);
  }

  /** Found, listed, made and deleted as ever. */
  async function checkOthers(): Promise<void> {
    assert.equal((await engine.findProject('other'))?.name, 'other');
    const { found } = await engine.listProjects(page);
    assert.ok(found.some(({ id }) => id === 'other'));
    assert.equal(await engine.createProject(project('new')), true);
    assert.equal(await engine.deleteProject('new'), true);
  }

  it('keeps no other project from its work, where it was deleted', async () => {
    await assert.rejects(engine.deleteProject('stuck'), /not all of its file yet/);
    await restart(true);
    await checkOthers();
    assert.equal(await engine.findProject('stuck'), undefined);
    assert.equal(tries, 1, 'not by everybody who is about another');
    await assert.rejects(engine.createProject(project('stuck')), { kind: 'unavailable' });
    await restart(false);
    assert.equal(await engine.createProject(project('stuck', 'anew')), true);
    assert.equal((await engine.findProject('stuck'))?.name, 'anew');
  });

  it('nor where it was replaced: it is not found as what it was, and is what it was replaced by in the end', async () => {
    const files = localBackupFiles(sqlite);
    const backup = join(directory, 'backup.db');
    await engine.saveProject('other', backup, files);
    await files.finish(backup, { id: 'x', project: project('other'), made: 1, vitrine: 'test' });
    const loading = engine.loadProject(project('stuck', 'replaced'), backup, files, { replace: true });
    await assert.rejects(loading, /not all of it yet/);
    await assert.rejects(engine.findProject('stuck'), { kind: 'unavailable' });
    await restart(true);
    await checkOthers();
    assert.equal(tries, 1, 'not by everybody who is about another');
    await assert.rejects(engine.findProject('stuck'), { kind: 'unavailable' });
    assert.equal(tries, 2, 'but by whoever needs it');
    assert.equal(readdirSync(join(directory, 'projects')).filter((name) => /\.new-/.test(name)).length, 1);
    await restart(false);
    assert.equal((await engine.findProject('stuck'))?.name, 'replaced');
  });

  it('nor where it was given up and what is left of it can not be removed', async () => {
    await engine.close();
    const writers = localWriters(sqlite);
    writers.sweep = () => denied('stuck.db');
    engine = openSqliteEngine(sqlite, directory, writers);
    await checkOthers();
  });
});
