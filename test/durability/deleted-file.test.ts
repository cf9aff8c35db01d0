import assert from 'node:assert/strict';
import { existsSync, rmSync } from 'node:fs';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { type FaultyApp, startFaultyApp } from './faulty-app.ts';

/** Each is read through a connection that is opened when it is first asked for. */
const openedLate = ['/v1/p/items/export?format=ndjson', '/v1/p/items/export?format=ndjson&sort=title'];

describe('a file that another process has deleted with its project', () => {
  let app: FaultyApp;
  beforeEach(async () => {
    app = await startFaultyApp();
  });
  afterEach(() => app.close());

  for (const path of openedLate) {
    it(`is not made again by ${path}`, async () => {
      assert.equal((await app.call('POST', '/v1/p/items', { title: 'x' })).status, 201);
      for (const part of ['', '-wal', '-shm']) rmSync(`${app.file}${part}`, { force: true });
      const answer = await app.call('GET', path);
      assert.equal(answer.status, 404, answer.text);
      assert.equal(existsSync(app.file), false);
      assert.deepEqual(app.errors, []);
    });
  }
});
