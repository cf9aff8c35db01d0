import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import { v7 as uuidv7 } from 'uuid';
import { Backups } from '../../src/backups/backups.ts';
import { folderPlace } from '../../src/backups/folder.ts';
import type { BackupPlace } from '../../src/backups/place.ts';
import { reasonOf } from '../../src/backups/reasons.ts';
import { Catalog } from '../../src/catalog/catalog.ts';
import { Failure } from '../../src/failure.ts';
import { loadRuntime } from '../../src/runtime/load-runtime.ts';
import { localBackupFiles } from '../../src/store/engines/sqlite/backup/local-backup-files.ts';
import { SqliteFault } from '../../src/store/engines/sqlite/connection/driver.ts';
import { fileSystem } from '../../src/store/engines/sqlite/connection/file-system.ts';
import { reviveError, sendError } from '../../src/store/engines/sqlite/writes/messages.ts';
import { FaultyDriver } from '../durability/faulty.ts';
import { type NamedStorage, startStorage } from '../storage.ts';

const { sqlite } = await loadRuntime();
let storage: NamedStorage;
let catalog: Catalog;
let folder: string;
const logged: string[] = [];

before(async () => {
  storage = await startStorage();
  folder = await mkdtemp(join(tmpdir(), 'vitrine-left-'));
  catalog = new Catalog(storage.open(), Date.now);
  await catalog.createProject('shop', 'Shop');
});
after(async () => {
  await catalog.close();
  await storage.remove();
  await rm(folder, { recursive: true, force: true });
});

const backupsIn = (place: BackupPlace) =>
  new Backups({
    ...{ catalog, place, now: Date.now, vitrine: 'test' },
    log: { info() {}, error: (message) => void logged.push(message) },
    openFiles: () => localBackupFiles(sqlite),
  });
const files = () => readdir(join(folder, 'shop'));

it('a disk that is full when all but the manifest is written is not left full of the file', async () => {
  const full = {
    ...fileSystem,
    makeFile(path: string) {
      if (path.includes('.json')) throw Object.assign(new Error('full'), { code: 'ENOSPC' });
      fileSystem.makeFile(path);
    },
  };
  const { done } = await backupsIn(folderPlace(folder, full)).start('shop', 'request');
  await assert.rejects(done, /no space left/);
  assert.deepEqual(await files(), []);
});

it('what a process that died left is gone before the next backup needs the room', async () => {
  await mkdir(join(folder, 'shop'), { recursive: true });
  await writeFile(join(folder, 'shop', `${uuidv7()}.db.incomplete`), 'half of it');
  const kept = folderPlace(folder);
  const found: string[] = [];
  const draft: BackupPlace['draft'] = async (name) => {
    found.push(...(await files()));
    return kept.draft(name);
  };
  await (await backupsIn({ ...kept, draft }).start('shop', 'request')).done;
  assert.deepEqual(found, []);
});

it('a backup that is good counts, also where what others left can not be removed', async () => {
  const kept = folderPlace(folder);
  const sweep = () => Promise.reject(Object.assign(new Error('not yours'), { code: 'EACCES' }));
  const backups = backupsIn({ ...kept, sweep });
  logged.length = 0;
  const { id, done } = await backups.start('shop', 'request');
  assert.equal((await done)._id, id);
  assert.equal((await backups.find(id))?.kind, 'made');
  assert.deepEqual(logged, ["what is left of backups that came to nothing can't be removed"]);
});

it('a folder beside those of projects, into which nobody may look, is left alone', async () => {
  const place = folderPlace(folder, {
    ...fileSystem,
    list(path) {
      if (path.endsWith('lost+found')) throw Object.assign(new Error('not yours'), { code: 'EACCES' });
      return path === folder ? [...fileSystem.list(path), 'lost+found'] : fileSystem.list(path);
    },
  });
  const { id, done } = await backupsIn(place).start('shop', 'request');
  await done;
  assert.ok((await place.list()).some((one) => one.id === id));
});

it('a disk that is full is what the answer and the list say, also from the thread that makes the file', async () => {
  const file = join(folder, 'full.db');
  await writeFile(file, '');
  const full = new SqliteFault(13, 'database or disk is full', undefined);
  const driver = {
    open(): never {
      throw full;
    },
  };
  const label = { id: uuidv7(), project: await catalog.requireProject('shop'), made: 0, vitrine: 'test' };
  await assert.rejects(localBackupFiles(driver).finish(file, label), (error) => {
    const crossed = reviveError(sendError(error));
    return crossed instanceof Failure && /no space left for the backup/.test(crossed.message);
  });
  const restored = localBackupFiles(driver).restore(join(folder, 'draft.db'), file);
  await assert.rejects(restored, {
    kind: 'unavailable',
    message: 'There is no space left for what is restored',
  });
  // It may be full only when all is written, and then so full that nothing else can be.
  const { id, done } = await backupsIn(folderPlace(folder)).start('shop', 'request');
  await done;
  const faulty = new FaultyDriver(sqlite);
  for (const after of [0, 1, 2]) {
    const applies = (text: string, path: string) => text === 'COMMIT' && path.endsWith('draft.db');
    faulty.arm({ code: 13, rollsBack: true, applies, after, times: Number.POSITIVE_INFINITY });
    const late = localBackupFiles(faulty).restore(join(folder, 'draft.db'), join(folder, 'shop', `${id}.db`));
    await assert.rejects(late, { kind: 'unavailable', message: /no space left/ });
    await rm(join(folder, 'draft.db'));
  }
  const readOnly = Object.assign(new Error('read-only'), { code: 'EROFS' });
  assert.equal(reasonOf(reviveError(sendError(readOnly))), "the folder of the backups can't be written");
});
