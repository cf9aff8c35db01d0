import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
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

it('so does kill -9, whenever it comes', { timeout: 600_000 }, async () => {
  const script = join(dirname(fileURLToPath(import.meta.url)), 'backing.ts');
  let random = seed;
  let made = 0;
  for (let round = 0; round < 6; round++) {
    const before = await assertWhole();
    const child = spawn(process.execPath, [script, folder, ...storage.flags], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await new Promise((resolve) => child.stdout.once('data', resolve));
    random = (Math.imul(random, 1_103_515_245) + 12_345) >>> 0;
    await sleep((random / 2 ** 32) * 300);
    child.kill('SIGKILL');
    await new Promise((resolve) => child.once('close', resolve));
    made += (await assertWhole()) - before;
    await rm(folder, { recursive: true, force: true }); // it may not have come to that
  }
  console.log(`${made} were made before the kills`);
});
