import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import type { Engine } from '../../src/store/engine.ts';
import { startApp, type TestApp } from '../harness.ts';
import { type NamedStorage, startStorage } from '../storage.ts';
import { asAdmin, resultOf } from '../support.ts';

let storage: NamedStorage;
let folder: string;
let app: TestApp;
const admin = '/v1/_admin/projects';

/** Somebody else changes the project right before the moment of its backup. */
const interrupted = (engine: Engine): Engine => ({
  ...engine,
  async saveProject(...args) {
    const auth = { profile: { alias: { type: 'text', renamedFrom: 'nick' } } };
    resultOf(await app.call('PATCH', `${admin}/shop`, { ...asAdmin, body: { auth } }));
    await engine.saveProject(...args);
  },
});

before(async () => {
  storage = await startStorage();
  folder = await mkdtemp(join(tmpdir(), 'vitrine-settings-'));
  app = await startApp({ storage, backupFolder: folder, wrap: interrupted });
});
after(async () => {
  await app.close();
  await storage.remove();
  await rm(folder, { recursive: true, force: true });
});

it('profiles in a backup are shown by the definitions they were written by, also where these are as new', async () => {
  const auth = { profile: { nick: { type: 'text' } } };
  resultOf(await app.call('POST', admin, { ...asAdmin, body: { id: 'shop', name: 'Shop', auth } }), 201);
  const user = { email: 'ann@example.com', password: 'correct horse', profile: { nick: 'Annie' } };
  resultOf(await app.call('POST', '/v1/shop/_auth/register', { body: user }), 201);
  const { _id } = resultOf(await app.call('POST', `${admin}/shop/backups`, asAdmin), 201);
  const restore = `/v1/_admin/backups/${_id}/restore`;
  resultOf(await app.call('POST', restore, { ...asAdmin, body: { as: 'again' } }), 201);
  const { found } = resultOf(await app.call('GET', `${admin}/again/users`, asAdmin));
  assert.deepEqual((found as { profile: object }[])[0]?.profile, { alias: 'Annie' });
});
