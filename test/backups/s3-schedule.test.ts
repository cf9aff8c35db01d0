import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { backupJob } from '../../src/backups/schedule.ts';
import { Jobs } from '../../src/jobs/jobs.ts';
import { pause } from '../support.ts';
import { type S3World, startS3World } from './s3-world.ts';

const every = 3_600_000;
let world: S3World;
let now = Date.now();
const logged: string[] = [];
const log = {
  info() {},
  error: (message: string, error: unknown) => void logged.push(`${message}: ${error}`),
};

before(async () => {
  world = await startS3World({ now: () => now, log });
  for (const id of ['one', 'two', 'three']) await world.catalog.createProject(id, id);
});
after(() => world.close());

/** Runs the job once, as a server does. */
async function runJob(): Promise<void> {
  const { backups, catalog } = world;
  const job = backupJob(backups, catalog, { every, keep: 1 }, () => now);
  const { promise: over, resolve } = Promise.withResolvers<void>();
  const run = (signal: AbortSignal) => job.run(signal).finally(resolve);
  const jobs = new Jobs([{ ...job, run }], { coordination: catalog.coordination, log, beat: 20 });
  await over;
  await pause(50);
  await jobs.stop();
}

const made = async (project: string) => (await world.backups.list(project)).filter(({ run }) => !run).length;

it('a bucket that refuses to be listed is an error in the log', async () => {
  world.server.trouble = (method, url) =>
    method === 'GET' && url.includes('list-type') ? 'error' : undefined;
  logged.length = 0;
  await runJob();
  world.server.trouble = undefined;
  assert.equal(logged.length, 1, logged.join('\n'));
  assert.match(logged[0] ?? '', /the job backups failed.*can't be listed.*refused a GET: SlowDown/);
});

it('a bucket in which nothing may be deleted gets a backup of every project, and the log says what stays', async () => {
  await runJob();
  world.server.trouble = (method) => (method === 'DELETE' ? 'error' : undefined);
  now += every;
  logged.length = 0;
  await runJob();
  world.server.trouble = undefined;
  for (const project of ['one', 'two', 'three']) assert.equal(await made(project), 2, project);
  assert.equal(logged.length, 1, logged.join('\n'));
  assert.match(logged[0] ?? '', /old backups of project '\w+' can't be removed.*refused a DELETE: SlowDown/);
});
