import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import postgres from 'postgres';
import { lockToChange } from '../../src/store/engines/postgres/writes/locks.ts';
import { asAdmin, definition, pause, resultOf } from '../support.ts';
import { startPostgresApp } from './app.ts';
import { schemaOf } from './nodes.ts';

it('a backup waits for a change of the schema that takes longer than locks are waited for', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'vitrine-waits-'));
  const app = await startPostgresApp({}, { backupFolder: folder });
  await app.project('p', definition('notes', { text: { type: 'text' } }));
  const change = postgres(app.url, { max: 1 });
  try {
    await change.unsafe(lockToChange(Number((await schemaOf(app.url)).slice('vitrine_p'.length))));
    const asked = app.call('POST', '/v1/_admin/projects/p/backups', asAdmin);
    await pause(4_000);
    await change.end();
    assert.equal(resultOf(await asked, 201).status, 'done');
    assert.deepEqual(app.errors, []);
  } finally {
    await change.end();
    await app.close();
    await rm(folder, { recursive: true, force: true });
  }
});
