import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import { Backups } from '../../src/backups/backups.ts';
import { folderPlace } from '../../src/backups/folder.ts';
import { type BackupPlace, timeOf } from '../../src/backups/place.ts';
import { backupJob } from '../../src/backups/schedule.ts';
import { Catalog } from '../../src/catalog/catalog.ts';
import { Failure } from '../../src/failure.ts';
import { loadRuntime } from '../../src/runtime/load-runtime.ts';
import { localBackupFiles } from '../../src/store/engines/sqlite/backup/local-backup-files.ts';
import { type NamedStorage, startStorage } from '../storage.ts';
import { pause } from '../support.ts';

const hour = 3_600_000;
const schedule = { every: 6 * hour, keep: 3 };

let storage: NamedStorage;
let catalog: Catalog;
let folder: string;
let backups: Backups;
let now = Date.UTC(2026, 0, 1);
let broken = false;
let beforeDraft: () => Promise<unknown> = async () => {};
const errors: string[] = [];

before(async () => {
  storage = await startStorage();
  folder = await mkdtemp(join(tmpdir(), 'vitrine-backups-'));
  const { sqlite } = await loadRuntime();
  catalog = new Catalog(storage.open(), () => now);
  const kept = folderPlace(folder);
  const place: BackupPlace = {
    ...kept,
    async draft(name) {
      await beforeDraft();
      return kept.draft(name);
    },
    async keep(...args) {
      if (broken) throw Object.assign(new Error('full'), { code: 'ENOSPC' });
      await kept.keep(...args);
    },
  };
  backups = new Backups({
    ...{ catalog, place, now: () => now, vitrine: 'test' },
    log: { info() {}, error: (message) => void errors.push(message) },
    openFiles: () => localBackupFiles(sqlite),
  });
  for (const id of ['one', 'two']) await catalog.createProject(id, id);
});
after(async () => {
  await backups.close();
  await catalog.close();
  await storage.remove();
  await rm(folder, { recursive: true, force: true });
});

const run = () => backupJob(backups, catalog, schedule, () => now).run(new AbortController().signal);
const made = async (project: string) => (await backups.list(project)).filter(({ run: failed }) => !failed);

it('makes one of each project when its newest is too old, and keeps as many as it is told', async () => {
  const asked = await backups.start('one', 'request');
  await asked.done;
  for (let round = 1; round <= 6; round++) {
    await run();
    await run();
    assert.equal((await made('two')).length, Math.min(round, schedule.keep), `round ${round}`);
    now += schedule.every;
  }
  assert.equal((await made('one')).length, 1 + schedule.keep, 'what was asked for stays');
  assert.ok((await made('one')).some(({ id }) => id === asked.id));
});

it('keeps the last good ones while new ones fail, says so, and tries again after a while', async () => {
  const before = await made('two');
  broken = true;
  for (let round = 0; round < 5; round++) {
    now += 60_000;
    await run();
  }
  assert.deepEqual(await made('two'), before);
  assert.deepEqual(errors, ["the backup of project 'one' failed", "the backup of project 'two' failed"]);
  const audited = await catalog.audit.newest({ action: 'backup.fail' }, 10);
  assert.deepEqual(audited.map(({ project }) => project).sort(), ['one', 'two']);
  const [failed] = await backups.list('two');
  assert.equal(failed?.run?.error, 'there is no space left for it');
  broken = false;
  now += 10 * 60_000;
  await run();
  const after = await made('two');
  assert.equal(after.length, schedule.keep);
  assert.notDeepEqual(after, before);
  assert.equal(await backups.newestGood('two'), now);
  assert.equal(await backups.newestGood(), now);
  assert.equal(await backups.newestGood('none'), undefined);
  // Who asks does not wait for long, and is told later.
  for (let tries = 0; tries < 400 && Number.isNaN(await backups.age()); tries++) await pause(25);
  assert.equal(await backups.age(), 0);
  now += 90_000;
  assert.equal(await backups.age(), 90);
});

it('says why none could be begun, and makes those of other projects', async () => {
  const { start } = backups;
  const refusal = new Failure('unavailable', 'not now', { trouble: 'read-only' }); // as an engine says it
  backups.start = (...args) => (args[0] === 'one' ? Promise.reject(refusal) : start.apply(backups, args));
  now += schedule.every;
  await assert.rejects(run(), refusal);
  backups.start = start;
  assert.equal(await backups.newestGood('two'), now);
});

it('a project that is deleted while its backup is made is no failure', async () => {
  await catalog.createProject('short-lived', 'Short-lived');
  errors.length = 0;
  beforeDraft = () => catalog.deleteProject('short-lived', true);
  const { id, done } = await backups.start('short-lived', 'schedule');
  await assert.rejects(done, /There is no project 'short-lived'/);
  assert.deepEqual(errors, []);
  const audited = await catalog.audit.newest({ action: 'backup.fail' }, 10);
  assert.ok(!audited.some(({ project }) => project === 'short-lived'));
  assert.equal(await backups.find(id), undefined);
  beforeDraft = async () => {};
});

it('makes them, and keeps the new ones, also after a clock that was a year ahead', async () => {
  const then = now;
  now += 365 * 24 * hour;
  const ahead = [await backups.start('two', 'schedule')];
  await ahead[0]?.done;
  broken = true;
  await assert.rejects((await backups.start('two', 'schedule')).done);
  broken = false;
  now = then;
  for (let round = 0; round < 2 * schedule.keep; round++) {
    now += schedule.every;
    await run();
    await run();
    const times = (await made('two')).map(timeOf);
    assert.equal(times.filter((time) => time === now).length, 1, `round ${round}`);
    assert.equal(times.length, schedule.keep);
  }
  assert.ok(
    !(await made('two')).some(({ id }) => id === ahead[0]?.id),
    'the one of then counts as the oldest',
  );
});
