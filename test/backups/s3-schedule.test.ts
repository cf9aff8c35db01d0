import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import { Backups } from '../../src/backups/backups.ts';
import { S3Bucket } from '../../src/backups/s3/client.ts';
import { s3Place } from '../../src/backups/s3/s3-place.ts';
import { backupJob } from '../../src/backups/schedule.ts';
import { Catalog } from '../../src/catalog/catalog.ts';
import { Jobs } from '../../src/jobs/jobs.ts';
import { loadRuntime } from '../../src/runtime/load-runtime.ts';
import { localBackupFiles } from '../../src/store/engines/sqlite/backup/local-backup-files.ts';
import { type NamedStorage, startStorage } from '../storage.ts';
import { pause } from '../support.ts';
import { credentials, type S3Server, startS3 } from './s3-server.ts';

const every = 3_600_000;
let server: S3Server;
let scratch: string;
let storage: NamedStorage;
let catalog: Catalog;
let backups: Backups;
let now = Date.now();
const logged: string[] = [];
const log = {
  info() {},
  error: (message: string, error: unknown) => void logged.push(`${message}: ${error}`),
};

before(async () => {
  server = await startS3('kept');
  scratch = await mkdtemp(join(tmpdir(), 'vitrine-scratch-'));
  storage = await startStorage();
  catalog = new Catalog(storage.open(), () => now);
  const { sqlite } = await loadRuntime();
  const bucket = new S3Bucket({ ...credentials, bucket: 'kept', endpoint: server.url, pause: 2 });
  backups = new Backups({
    ...{ catalog, now: () => now, vitrine: 'test', log },
    place: s3Place(bucket, { prefix: '', scratch }),
    openFiles: () => localBackupFiles(sqlite),
  });
  for (const id of ['one', 'two', 'three']) await catalog.createProject(id, id);
});
after(async () => {
  await backups.close();
  await catalog.close();
  await storage.remove();
  await server.close();
  await rm(scratch, { recursive: true, force: true });
});

/** Runs the job once, as a server does. */
async function runJob(): Promise<void> {
  const job = backupJob(backups, catalog, { every, keep: 1 }, () => now);
  const { promise: over, resolve } = Promise.withResolvers<void>();
  const run = (signal: AbortSignal) => job.run(signal).finally(resolve);
  const jobs = new Jobs([{ ...job, run }], { coordination: catalog.coordination, log, beat: 20 });
  await over;
  await pause(50);
  await jobs.stop();
}

const made = async (project: string) => (await backups.list(project)).filter(({ run }) => !run).length;

it('a bucket that refuses to be listed is an error in the log', async () => {
  server.trouble = (method, url) => (method === 'GET' && url.includes('list-type') ? 'error' : undefined);
  logged.length = 0;
  await runJob();
  server.trouble = undefined;
  assert.equal(logged.length, 1, logged.join('\n'));
  assert.match(logged[0] ?? '', /the job backups failed.*can't be listed.*refused a GET: SlowDown/);
});

it('a bucket in which nothing may be deleted gets a backup of every project, and the log says what stays', async () => {
  await runJob();
  server.trouble = (method) => (method === 'DELETE' ? 'error' : undefined);
  now += every;
  logged.length = 0;
  await runJob();
  server.trouble = undefined;
  for (const project of ['one', 'two', 'three']) assert.equal(await made(project), 2, project);
  assert.equal(logged.length, 1, logged.join('\n'));
  assert.match(logged[0] ?? '', /old backups of project '\w+' can't be removed.*refused a DELETE: SlowDown/);
});
