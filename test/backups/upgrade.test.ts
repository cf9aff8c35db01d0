import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import type { BackupFiles } from '../../src/store/backup-files.ts';
import type { Engine } from '../../src/store/engine.ts';
import { startApp, type TestApp } from '../harness.ts';
import { type NamedStorage, testEngine } from '../storage.ts';
import { asAdmin, assertRefused, type Listed, resultOf } from '../support.ts';
import { made, nextDay, startOldStorage, writeOld } from '../upgrades/fixture.ts';

let storage: NamedStorage;
let folder: string;
let app: TestApp;
let now = nextDay();
const { promise: mayGoOn, resolve: goOn } = Promise.withResolvers<void>();
let broken = true;

/** Takes its time with a backup, once it works at all. */
const slow = (engine: Engine): Engine => ({
  ...engine,
  async saveProject(id: string, to: string, files: BackupFiles) {
    if (broken) throw Object.assign(new Error('full'), { code: 'ENOSPC' });
    await mayGoOn;
    await engine.saveProject(id, to, files);
  },
});

before(async () => {
  storage = await startOldStorage();
  const at = testEngine === 'sqlite' ? '' : 'vitrine_p1.';
  await writeOld(
    storage,
    `UPDATE ${at}users SET name = 'ÉVA' WHERE email = 'bob@example.com'; UPDATE ${at}members SET role = 'member'`,
  );
  folder = await mkdtemp(join(tmpdir(), 'vitrine-upgrade-'));
  app = await startApp({ storage, now: () => now, backupFolder: folder, wrap: slow });
});
after(async () => {
  await app.close();
  await storage.remove();
  await rm(folder, { recursive: true, force: true });
});

const read = (project: string, collection: string) =>
  app.call('GET', `/v1/${project}/${collection}?perPage=100`, asAdmin);

it('a project of an earlier version is not upgraded where its backup fails', async () => {
  assertRefused(await read('shop', 'products'), 503, 'shop', 'backup before its upgrade', 'no space');
  assert.equal(app.errors.splice(0).length, 1);
  assertRefused(await read('shop', 'products'), 503, 'no space');
  assert.deepEqual(app.errors, [], 'it was not tried again at once');
  broken = false;
  now += 60_000;
});

it('is backed up when it is first used, and then upgraded; others are answered meanwhile', async () => {
  const first = read('shop', 'products');
  assert.equal((await app.call('GET', '/healthz')).status, 200);
  resultOf(await app.call('GET', '/v1/_admin/projects', asAdmin));
  let running: Record<string, unknown>[] = [];
  while (running.length === 0) {
    const { found } = resultOf(await app.call('GET', '/v1/_admin/backups?project=shop', asAdmin));
    running = (found as Record<string, unknown>[]).filter(({ status }) => status === 'running');
  }
  goOn();
  assert.equal((await first).status, 200);
  await app.reopen();
  for (const [collection, records] of Object.entries(made.records))
    assert.deepEqual((resultOf(await read('shop', collection)) as unknown as Listed).found, records);
  const { found } = resultOf(await app.call('GET', '/v1/_admin/backups?project=shop', asAdmin));
  const done = (found as Record<string, unknown>[]).filter(({ status }) => status === 'done');
  assert.equal(done.length, 1, 'once');
});

it('a backup of an earlier format is brought to this one when it is restored', async () => {
  const { found } = resultOf(await app.call('GET', '/v1/_admin/backups?project=shop', asAdmin));
  const [backup] = (found as Record<string, unknown>[]).filter(({ status }) => status === 'done');
  const path = `/v1/_admin/backups/${backup?._id}/restore`;
  resultOf(await app.call('POST', path, { ...asAdmin, body: { as: 'again' } }), 201);
  for (const [collection, records] of Object.entries(made.records))
    assert.deepEqual((resultOf(await read('again', collection)) as unknown as Listed).found, records);
  const searched = await app.call('GET', '/v1/again/products?search=%22lamp 3 number two%22', asAdmin);
  assert.equal(resultOf(searched).total, 1);
  const users = resultOf(await app.call('GET', '/v1/_admin/projects/again/users?search=%C3%A9va', asAdmin));
  assert.equal(users.total, 1, 'by name');
  for (const project of ['shop', 'again']) {
    const spaces = `/v1/_admin/projects/${project}/workspaces`;
    const [space] = (resultOf(await app.call('GET', spaces, asAdmin)) as unknown as Listed).found;
    const { found: members } = resultOf(await app.call('GET', `${spaces}/${space?._id}/members`, asAdmin));
    assert.deepEqual(
      (members as { role: string }[]).map(({ role }) => role),
      ['owner'],
      project,
    );
  }
  assert.deepEqual(app.errors, []);
});
