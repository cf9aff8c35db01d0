import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { Backups } from '../../src/backups/backups.ts';
import { folderPlace } from '../../src/backups/folder.ts';
import type { BackupPlace } from '../../src/backups/place.ts';
import { S3Bucket } from '../../src/backups/s3/client.ts';
import { s3Place } from '../../src/backups/s3/s3-place.ts';
import { Catalog } from '../../src/catalog/catalog.ts';
import { Failure } from '../../src/failure.ts';
import { loadRuntime } from '../../src/runtime/load-runtime.ts';
import type { Engine } from '../../src/store/engine.ts';
import { localBackupFiles } from '../../src/store/engines/sqlite/backup/local-backup-files.ts';
import { openInstance } from '../../src/store/engines/sqlite/connection/instance.ts';
import { openSqliteEngine } from '../../src/store/engines/sqlite/engine.ts';
import { localWriters } from '../../src/store/engines/sqlite/writes/local-writers.ts';
import { raw } from '../../src/store/sql/tag.ts';
import { asSuperuser } from '../postgres-server.ts';
import { type NamedStorage, startStorage, testEngine } from '../storage.ts';
import { credentials, type S3Server, startS3 } from './s3-server.ts';

const { sqlite } = await loadRuntime();
let storage: NamedStorage;
let folder: string;
let server: S3Server;
let engines: readonly [Engine, Engine];
let catalogs: readonly [Catalog, Catalog];
before(async () => {
  storage = await startStorage();
  folder = await mkdtemp(join(tmpdir(), 'vitrine-processes-'));
  server = await startS3('kept');
  engines = [storage.open(), storage.open()];
  catalogs = [new Catalog(engines[0], Date.now), new Catalog(engines[1], Date.now)];
  for (const id of ['shop', 'club']) await catalogs[0].createProject(id, id);
});
after(async () => {
  for (const catalog of catalogs) await catalog.close();
  await storage.remove();
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

const inFolder = () => folderPlace(join(folder, 'kept'));
/** Each process has a scratch of its own, as if on another machine. */
const inBucket = (process: number) =>
  s3Place(new S3Bucket({ ...credentials, bucket: 'kept', endpoint: server.url, pause: 2 }), {
    prefix: '',
    scratch: join(folder, `scratch ${process}`),
  });

const backupsOf = (catalog: Catalog, place: BackupPlace) =>
  new Backups({
    ...{ catalog, place, now: Date.now, vitrine: 'test', log: { info() {}, error() {} } },
    openFiles: () => localBackupFiles(sqlite),
  });

/** What others do to the run that is under way here once they take it for dead. */
async function giveUp(engine: Engine): Promise<void> {
  for (const { id } of await engine.backupRuns.running())
    await engine.backupRuns.finish(id, { status: 'failed', error: 'died' });
}

for (const [where, placeOf] of [
  ['a folder', inFolder],
  ['a bucket', inBucket],
] as const) {
  describe(`of two processes with ${where}`, () => {
    it('one that tidies up leaves what the other began to make after that, and finishes meanwhile', async () => {
      const [first, second] = [placeOf(0), placeOf(1)];
      const sweeping = Promise.withResolvers<void>();
      const fileThere = Promise.withResolvers<void>();
      const mayFinish = Promise.withResolvers<void>();
      const finished = Promise.withResolvers<void>();
      const answers: boolean[] = [];
      const one = backupsOf(catalogs[0], {
        ...first,
        async sweep(isOver) {
          sweeping.resolve();
          await fileThere.promise;
          await first.sweep(async (name) => {
            answers.push(await isOver(name));
            mayFinish.resolve();
            await finished.promise;
            answers.push(await isOver(name));
            return isOver(name);
          });
          mayFinish.resolve();
        },
      });
      const two = backupsOf(catalogs[1], {
        ...second,
        keep: (manifest, confirm) =>
          second.keep(manifest, async () => {
            fileThere.resolve();
            await mayFinish.promise;
            await confirm();
          }),
      });
      const { done: tidied } = await one.start('shop', 'request');
      await sweeping.promise;
      const { id, done } = await two.start('club', 'request');
      await done.finally(finished.resolve);
      await tidied;
      assert.deepEqual(answers, [false, true]);
      await (await two.startRestore(id, { as: 'again', replace: false })).done;
      await catalogs[0].deleteProject('again', true);
    });

    it('one that was taken for dead makes no backup of a file that may be gone', async () => {
      const kept = placeOf(1);
      const backups = backupsOf(catalogs[1], {
        ...kept,
        keep: (manifest, confirm) =>
          kept.keep(manifest, async () => {
            await giveUp(engines[0]);
            await confirm();
          }),
      });
      const { id, done } = await backups.start('club', 'request');
      await assert.rejects(done, /was given up: ask again/);
      assert.equal((await backups.find(id))?.kind, 'run');
    });
  });
}

it('a backup that is done while all are listed is among them', async () => {
  const kept = inFolder();
  const fileThere = Promise.withResolvers<void>();
  const mayFinish = Promise.withResolvers<void>();
  const making = backupsOf(catalogs[0], {
    ...kept,
    keep: (manifest, confirm) =>
      kept.keep(manifest, async () => {
        fileThere.resolve();
        await mayFinish.promise;
        await confirm();
      }),
  });
  const { id, done } = await making.start('shop', 'request');
  await fileThere.promise;
  const listing = backupsOf(catalogs[1], {
    ...kept,
    async list() {
      const found = await kept.list();
      mayFinish.resolve();
      await done;
      return found;
    },
  });
  assert.ok((await listing.list('shop')).some((one) => one.id === id));
});

it('a restore that was taken for dead changes nothing', async () => {
  const backups = backupsOf(catalogs[0], inFolder());
  const { id, done } = await backups.start('shop', 'request');
  await done;
  await catalogs[0].updateProject('shop', () => ({ name: 'Later' }));
  const late = new Catalog(
    {
      ...engines[1],
      async loadProject(...args) {
        await giveUp(engines[0]);
        return engines[1].loadProject(...args);
      },
    },
    Date.now,
  );
  const dead = backupsOf(late, inFolder());
  for (const restoring of [
    { as: 'shop', replace: true },
    { as: 'again', replace: false },
  ])
    await assert.rejects((await dead.startRestore(id, restoring)).done, /nothing was changed/);
  assert.equal((await catalogs[0].requireProject('shop')).name, 'Later');
  assert.equal(await catalogs[0].hasProject('again'), false);
  await (await backups.startRestore(id, { as: 'shop', replace: true })).done;
  assert.equal((await catalogs[0].requireProject('shop')).name, 'shop');
});

/** The same process, which dies before it can note how its run ended. */
const dying = (engine: Engine): Catalog => {
  const finish = async () => {
    throw new Error('the process has ended');
  };
  return new Catalog({ ...engine, backupRuns: { ...engine.backupRuns, finish } }, Date.now);
};

const statusOf = async (run: string) =>
  (await engines[0].backupRuns.list()).find(({ id }) => id === run)?.status;

it('a restore whose process dies right after its commit is done', async () => {
  const { id, done } = await backupsOf(catalogs[0], inFolder()).start('shop', 'request');
  await done;
  const backups = backupsOf(dying(engines[1]), inFolder());
  for (const replace of [false, true]) {
    const { id: run, done: restored } = await backups.startRestore(id, { as: 'again', replace });
    await assert.rejects(restored, /the process has ended/);
    assert.equal(await catalogs[0].hasProject('again'), true);
    assert.equal(await statusOf(run), 'done');
    await letPass(70_000);
    assert.equal(await statusOf(run), 'done');
  }
  await catalogs[0].deleteProject('again', true);
});

it('so is one that the next start completes', { skip: testEngine === 'postgres' }, async () => {
  const { id, done } = await backupsOf(catalogs[0], inFolder()).start('shop', 'request');
  await done;
  await catalogs[0].updateProject('shop', () => ({ name: 'Later' }));
  const replace = async () => {
    throw new Failure('unavailable', 'The disk is broken', { retryAfter: 5 });
  };
  const broken = openSqliteEngine(sqlite, storage.flags[1] ?? '', { ...localWriters(sqlite), replace });
  const { id: run, done: restored } = await backupsOf(dying(broken), inFolder()).startRestore(id, {
    as: 'shop',
    replace: true,
  });
  await assert.rejects(restored, /the rest is done at the next start/);
  await letPass(70_000);
  assert.equal(await statusOf(run), 'failed');
  const next = storage.open();
  assert.equal((await next.findProject('shop'))?.name, 'shop');
  assert.equal(await statusOf(run), 'done');
  await Promise.all([broken.close(), next.close()]);
});

it('who is heard of is alive, whatever the clocks of the processes say; who is silent for a minute is not', async () => {
  const [mine, others] = [engines[0].backupRuns, engines[1].backupRuns];
  const run = (id: string) => ({ id, kind: 'restore', project: 'shop', backup: 'x' }) as const;
  const now = Date.now();
  assert.equal(await mine.begin(run('one'), now), true);
  for (const ahead of [-70_000, 70_000]) assert.equal(await others.begin(run('two'), now + ahead), false);
  await letPass(40_000);
  assert.equal(await mine.beat('one'), true);
  await letPass(40_000);
  assert.equal(await others.begin(run('two'), now), false);
  await letPass(30_000);
  assert.equal((await others.list()).find(({ id }) => id === 'one')?.status, 'failed');
  assert.equal(await others.begin(run('two'), now), true);
  assert.equal(await mine.beat('one'), false);
  await others.forget('two');
});

it('nor is who was heard of last by a clock that was set back since', async () => {
  const [mine, others] = [engines[0].backupRuns, engines[1].backupRuns];
  const run = (id: string) => ({ id, kind: 'backup', project: 'shop', backup: id }) as const;
  assert.equal(await mine.begin(run('early'), Date.now()), true);
  await letPass(-3_600_000);
  assert.equal((await others.list()).find(({ id }) => id === 'early')?.status, 'failed');
  assert.equal(await others.begin(run('late'), Date.now()), true);
  await others.forget('late');
});

/** As if so many milliseconds had passed since. */
async function letPass(milliseconds: number): Promise<void> {
  const [name, address = ''] = storage.flags;
  const statement = (table: string) => `UPDATE ${table} SET beat = beat - ${milliseconds}`;
  if (name === '--database') return asSuperuser(address, statement('vitrine.backup_runs'));
  const instance = openInstance(sqlite, join(address, 'instance.db'));
  await instance.write(({ db }) => db.run(raw(statement('backup_runs'))));
  await instance.close();
}
