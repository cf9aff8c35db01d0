import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { loadRuntime } from '../../src/runtime/load-runtime.ts';
import { format } from '../../src/store/engines/sqlite/tables/upgrades.ts';
import { type FaultyApp, startFaultyApp } from './faulty-app.ts';

let app: FaultyApp;
beforeEach(async () => {
  app = await startFaultyApp();
});
afterEach(() => app.close());

async function setFormat(number: number): Promise<void> {
  const connection = (await loadRuntime()).sqlite.open(app.file);
  connection.exec(`PRAGMA user_version = ${number}`);
  connection.close();
}

describe('a project whose file a newer version made', () => {
  it('is refused with one sentence that says what to do, and is left as it is', async () => {
    await app.reopen();
    await setFormat(format + 1);
    for (const verb of ['GET', 'POST'] as const) {
      const answer = await app.call(verb, '/v1/p/items', verb === 'POST' ? { title: 'x' } : undefined);
      assert.deepEqual([answer.status, answer.retryAfter], [503, '60'], answer.text);
      const { error } = JSON.parse(answer.text) as { error: string };
      assert.match(error, /^The data has format \d+, made by a newer Vitrine, .*: upgrade Vitrine$/);
    }
    assert.deepEqual(app.errors, [], 'it is no bug of ours');
    await setFormat(format);
    assert.equal((await app.call('POST', '/v1/p/items', { title: 'x' })).status, 201);
  });
});
