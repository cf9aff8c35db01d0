import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, it } from 'node:test';
import { Backups } from '../../src/backups/backups.ts';
import { S3Bucket } from '../../src/backups/s3/client.ts';
import { s3Place } from '../../src/backups/s3/s3-place.ts';
import { Catalog } from '../../src/catalog/catalog.ts';
import { loadRuntime } from '../../src/runtime/load-runtime.ts';
import { localBackupFiles } from '../../src/store/engines/sqlite/backup/local-backup-files.ts';
import { type NamedStorage, startStorage } from '../storage.ts';
import { credentials, type S3Server, startS3 } from './s3-server.ts';

let server: S3Server;
let scratch: string;
let storage: NamedStorage;
let catalog: Catalog;
let backups: Backups;
let now = Date.now();
let asked = Promise.withResolvers<void>();

beforeEach(async () => {
  server = await startS3('kept');
  scratch = await mkdtemp(join(tmpdir(), 'vitrine-scratch-'));
  storage = await startStorage();
  catalog = new Catalog(storage.open(), () => now);
  const { sqlite } = await loadRuntime();
  const bucket = new S3Bucket({ ...credentials, bucket: 'kept', endpoint: server.url });
  backups = new Backups({
    ...{ catalog, now: () => now, vitrine: 'test', log: { info() {}, error() {} } },
    place: s3Place(bucket, { prefix: '', scratch }),
    openFiles: () => localBackupFiles(sqlite),
  });
  await catalog.createProject('shop', 'Shop');
  asked = Promise.withResolvers();
});
afterEach(async () => {
  await server.close();
  await backups.close();
  await catalog.close();
  await storage.remove();
  await rm(scratch, { recursive: true, force: true });
});

const isList = (url: string) => url.includes('list-type');
function silent(method: string) {
  server.trouble = (verb, url) => {
    if (verb !== method && !(method === 'LIST' && isList(url))) return undefined;
    asked.resolve();
    return 'silence';
  };
}

it('a server that stops does not wait for a bucket that says nothing, and has made no backup', async () => {
  silent('PUT');
  const { done } = await backups.start('shop', 'request');
  await asked.promise;
  const begun = performance.now();
  await backups.close();
  assert.ok(performance.now() - begun < 8_000);
  await assert.rejects(done, /The server is stopping/);
});

it('nor for a list of the backups, once requests are answered', async () => {
  silent('LIST');
  const listing = backups.list();
  await asked.promise;
  await backups.close();
  await assert.rejects(listing, /out of reach/);
});

it('the age of backups grows while they can not be listed, and is there soon', async () => {
  await (await backups.start('shop', 'schedule')).done;
  // Nobody who asks waits long for it.
  for (let tries = 0; (await backups.age()) !== 0; tries++) assert.ok(tries < 100);
  silent('LIST');
  now += 3_600_000;
  const begun = performance.now();
  assert.equal(await backups.age(), 3_600);
  assert.ok(performance.now() - begun < 8_000);
});
