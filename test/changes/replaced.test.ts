import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { startApp } from '../harness.ts';
import { asAdmin, definition, resultOf } from '../support.ts';
import { followEvents } from './events.ts';

it('a stream of a project that is replaced begins anew, with positions of the new one', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'vitrine-replaced-'));
  const app = await startApp({ backupFolder: folder });
  try {
    const notes = { ...definition('notes', { text: { type: 'text' } }), api: { access: 'public' } };
    for (const id of ['one', 'other']) await app.project(id, notes);
    const create = async () => resultOf(await app.call('POST', '/v1/other/notes', { body: {} }), 201)._id;
    const stream = await followEvents(app, '/v1/other/_changes?after=now');
    const first = await create();
    assert.equal((await stream.next()).data?._id, first);
    const made = resultOf(await app.call('POST', '/v1/_admin/projects/one/backups', asAdmin), 201);
    const body = { as: 'other', replace: true };
    resultOf(await app.call('POST', `/v1/_admin/backups/${made._id}/restore`, { ...asAdmin, body }), 201);
    const reset = await stream.next();
    assert.equal(reset.event, 'reset');
    const second = await create();
    const told = await stream.next();
    assert.equal(told.data?._id, second);
    await stream.close();
    const page = resultOf(await app.call('GET', `/v1/other/_changes?after=${reset.id}`));
    assert.deepEqual(
      (page.changes as { _id: string }[]).map(({ _id }) => _id),
      [second],
    );
  } finally {
    await app.close();
    await rm(folder, { recursive: true, force: true });
  }
});
