import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { startApp } from '../harness.ts';
import { asAdmin, resultOf } from '../support.ts';
import { startOldStorage } from '../upgrades/fixture.ts';

it('a project of an earlier version that nobody has used yet can be replaced, and what was removed stays so', async () => {
  const storage = await startOldStorage();
  const folder = await mkdtemp(join(tmpdir(), 'vitrine-outdated-'));
  const app = await startApp({ storage, backupFolder: folder });
  const made = resultOf(await app.call('POST', '/v1/_admin/projects/shop/backups', asAdmin), 201);
  const body = { as: 'shop', replace: true };
  resultOf(await app.call('POST', `/v1/_admin/backups/${made._id}/restore`, { ...asAdmin, body }), 201);
  const users = async () => {
    const list = resultOf(await app.call('GET', '/v1/_admin/projects/shop/users', asAdmin));
    return (list.found as Record<string, unknown>[]).map(({ _id }) => String(_id));
  };
  const [first, ...others] = await users();
  assert.ok(first !== undefined && others.length > 0);
  resultOf(await app.call('DELETE', `/v1/_admin/projects/shop/users/${first}`, asAdmin));
  resultOf(await app.call('POST', `/v1/_admin/backups/${made._id}/restore`, { ...asAdmin, body }), 201);
  assert.deepEqual(await users(), others);
  await app.close();
  await storage.remove();
  await rm(folder, { recursive: true, force: true });
});
