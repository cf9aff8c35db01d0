import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Backups } from '../../src/backups/backups.ts';
import { folderPlace } from '../../src/backups/folder.ts';
import { Catalog } from '../../src/catalog/catalog.ts';
import { loadRuntime } from '../../src/runtime/load-runtime.ts';
import { localBackupFiles } from '../../src/store/engines/sqlite/backup/local-backup-files.ts';
import { type FileSystem, fileSystem } from '../../src/store/engines/sqlite/connection/file-system.ts';
import { Dice } from '../durability/dice.ts';
import { adminKey, startApp } from '../harness.ts';
import { seed } from '../seed.ts';
import { type NamedStorage, startStorage } from '../storage.ts';

console.log(`seed ${seed}`);
let storage: NamedStorage;
let folder: string;
const { sqlite } = await loadRuntime();

before(async () => {
  storage = await startStorage();
  folder = await mkdtemp(join(tmpdir(), 'vitrine-killed-'));
  const catalog = new Catalog(storage.open(), Date.now);
  await catalog.createProject('shop', 'Shop');
  await catalog.createCollection('shop', { id: 'items', fields: { title: { type: 'text' } } });
  await catalog.close();
});
after(async () => {
  await storage.remove();
  await rm(folder, { recursive: true, force: true });
});

class Killed extends Error {}

/** Lets so many calls happen; from then on nothing does, as in a process that is no more. */
function mortal(left: number): {
  files: FileSystem;
  live<A extends unknown[], T>(work: (...args: A) => T): (...args: A) => T;
} {
  let lives = left;
  const live =
    <A extends unknown[], T>(work: (...args: A) => T) =>
    (...args: A): T => {
      if (lives === 0) throw new Killed();
      lives -= 1;
      return work(...args);
    };
  const wrapped = Object.entries(fileSystem).map(([name, call]) => [name, live(call as never)]);
  return { files: Object.fromEntries(wrapped) as FileSystem, live };
}

/** Every backup that the folder has is whole. */
async function assertWhole(): Promise<number> {
  const place = folderPlace(folder);
  const names = await place.list();
  for (const name of names) {
    const manifest = await place.findManifest(name);
    const path = join(folder, name.project, `${name.id}.db`);
    assert.equal(
      createHash('sha256')
        .update(await readFile(path))
        .digest('hex'),
      manifest?.checksum,
    );
    assert.equal((await localBackupFiles(sqlite).check(path)).id, name.id);
  }
  return names.length;
}

async function openBackups(left = Number.POSITIVE_INFINITY) {
  const catalog = new Catalog(storage.open(), Date.now);
  const { files, live } = mortal(left);
  const local = localBackupFiles(sqlite);
  const backups = new Backups({
    ...{ catalog, now: Date.now, vitrine: 'test', log: { info() {}, error() {} } },
    place: folderPlace(folder, files),
    openFiles: () => ({
      ...local,
      copy: live(local.copy),
      write: live(local.write),
      finish: live(local.finish),
    }),
  });
  return { backups, catalog };
}

it('a process that ends at any step leaves no backup that is not whole, and the next one tidies up', async () => {
  let step = 0;
  for (; ; step++) {
    const { backups, catalog } = await openBackups(step);
    const outcome = await backups
      .start('shop', 'request')
      .then(({ done }) => done)
      .catch((error: unknown) => error);
    await catalog.close();
    const count = await assertWhole();
    if (!(outcome instanceof Error)) {
      assert.ok(count >= 1);
      break;
    }
  }
  assert.ok(step > 8, `${step} steps`);
  const { backups, catalog } = await openBackups();
  await (await backups.start('shop', 'request')).done;
  await catalog.close();
  const files = await readdir(join(folder, 'shop'));
  assert.equal(files.length, 2 * (await assertWhole()), files.join(' '));
});

/** Kills, and of those how many must come while a backup is being made, not before the first or between two. */
const [rounds, mostRounds, amidst] = [6, 30, 4];

it('so does kill -9, at any moment of the making', { timeout: 600_000 }, async () => {
  const script = join(dirname(fileURLToPath(import.meta.url)), 'backing.ts');
  const dice = new Dice(seed);
  const place = folderPlace(folder);
  /** Those that are whole are of no interest any more; what is left of the others is for the next process. */
  const removeWhole = async () => {
    for (const name of await place.list()) await place.remove(name);
  };
  await fill();
  await removeWhole();
  /** Milliseconds from the first bytes of a backup to its end, as the machine is now. */
  let making = 0;
  let [made, cut] = [0, 0];
  for (let round = 0; round <= rounds || cut < amidst; round++) {
    assert.ok(round < mostRounds, `${cut} of ${round} kills came while a backup was being made`);
    const leftovers = new Set(await drafts());
    const own = async () => (await drafts()).filter((name) => !leftovers.has(name));
    const child = spawn(process.execPath, [script, folder, ...storage.flags], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const exit = new Promise((resolve) => child.once('close', resolve));
    const comes = async (isSo: () => Promise<boolean>) => {
      while (!(await isSo())) {
        assert.equal(child.exitCode, null, 'it ended by itself');
        await sleep(1);
      }
    };
    await comes(async () => (await own()).length > 0);
    const begun = performance.now();
    if (round === 0) await comes(async () => (await place.list()).length > 0);
    else await sleep((making * dice.below(150)) / 100);
    if (round === 0) making = performance.now() - begun;
    child.kill('SIGKILL');
    await exit;
    if (round > 0 && (await own()).length > 0) cut += 1;
    made += await assertWhole();
    await removeWhole();
  }
  console.log(
    `${Math.round(making)} ms for one; ${cut} kills came while one was being made, ${made} had been made before`,
  );
  const { backups, catalog } = await openBackups();
  for (const run of await catalog.backupRuns.list()) await catalog.backupRuns.forget(run.id);
  await (await backups.start('shop', 'request')).done;
  await catalog.close();
  assert.equal(await assertWhole(), 1);
  assert.equal((await readdir(join(folder, 'shop'))).length, 2);
});

/** As much as takes a while to copy. */
async function fill(): Promise<void> {
  const app = await startApp({ storage });
  const create = Array.from({ length: 500 }, (_, index) => ({ title: `${index} ${'x'.repeat(2_000)}` }));
  for (let batch = 0; batch < 5; batch++) {
    const reply = await app.call('POST', '/v1/shop/items/batch', { body: { create }, token: adminKey });
    assert.equal(reply.status, 200, reply.text);
  }
  await app.close();
}

/** Files of backups that are being made, or never will be, with something in them. */
async function drafts(): Promise<string[]> {
  const inside = join(folder, 'shop');
  const names = await readdir(inside).catch(() => []);
  const found = names.filter((name) => name.endsWith('.db.incomplete'));
  const sizes = await Promise.all(
    found.map((name) =>
      stat(join(inside, name)).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  );
  return found.filter((_, index) => (sizes[index] ?? 0) > 0);
}
