import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { loadRuntime } from '../../src/runtime/load-runtime.ts';
import { type FaultyApp, startFaultyApp } from './faulty-app.ts';

let app: FaultyApp;
beforeEach(async () => {
  app = await startFaultyApp();
  await app.reopen();
});
afterEach(() => app.close());

const path = '/v1/_admin/projects/p';

async function change(statement: string): Promise<void> {
  const connection = (await loadRuntime()).sqlite.open(app.file);
  connection.exec(statement);
  connection.close();
}

const ruin: Readonly<Record<string, () => void | Promise<void>>> = {
  'is no database': () => writeFileSync(app.file, 'x'.repeat(5_000)),
  'is of a newer format': () => change('PRAGMA user_version = 900'),
  'is of another program': () => change('PRAGMA application_id = 900'),
};

describe('a project whose file', () => {
  for (const [name, work] of Object.entries(ruin)) {
    it(`${name}: can be deleted by whoever confirms it, and made again`, async () => {
      await work();
      assert.ok((await app.call('GET', '/v1/p/items')).status >= 500);
      assert.equal((await app.call('DELETE', `${path}?confirm=destructive`)).status, 200);
      assert.ok(!existsSync(app.file));
      assert.equal((await app.call('GET', path)).status, 404);
      assert.equal((await app.call('POST', '/v1/_admin/projects', { id: 'p' })).status, 201);
      assert.equal((await app.call('GET', '/v1/p/items')).status, 404);
    });
  }

  it('was marked as deleted though the project is there, as versions before could leave it: can be deleted', async () => {
    await change("UPDATE meta SET value = -1 WHERE name = 'schema'");
    assert.equal((await app.call('DELETE', path)).status, 200);
    assert.equal((await app.call('POST', '/v1/_admin/projects', { id: 'p' })).status, 201);
  });

  it('is deleted twice at the same moment: one of the two is a 404', async () => {
    const confirmed = `${path}?confirm=destructive`;
    const answers = await Promise.all([app.call('DELETE', confirmed), app.call('DELETE', confirmed)]);
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 404]);
  });
});
