import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import type { Answer } from './client.ts';
import { type FaultyApp, startFaultyApp } from './faulty-app.ts';

let app: FaultyApp;
beforeEach(async () => {
  app = await startFaultyApp();
});
afterEach(() => app.close());

const create = (title: string) => app.call('POST', '/v1/p/items', { title });

async function titles(): Promise<string[]> {
  const { text } = await app.call('GET', '/v1/p/items');
  return (JSON.parse(text) as { result: { found: { title: string }[] } }).result.found.map(
    ({ title }) => title,
  );
}

function failCommits(times: number): void {
  const applies = (text: string, path: string) => path === app.file && text === 'COMMIT';
  app.driver.arm({ code: 10, rollsBack: false, applies, after: 0, times });
}

const outcome = ({ status, retryAfter }: Answer) => [status, retryAfter !== null];

describe('a write that the disk fails to save', () => {
  it('is not done, for certain, where something else could be written in its place: 503 with Retry-After', async () => {
    failCommits(1);
    assert.deepEqual(outcome(await create('one')), [503, true]);
    app.driver.mend();
    await app.reopen();
    assert.deepEqual(await titles(), []);
  });

  it('is unknown where nothing could: 503 without; and what comes after it is refused before it is begun', async () => {
    failCommits(Number.POSITIVE_INFINITY);
    const first = await create('one');
    assert.deepEqual(outcome(first), [503, false]);
    assert.match(first.text, /not known.*check before you send it again/);
    assert.deepEqual(outcome(await create('two')), [503, true]);
    app.driver.mend();
    assert.equal((await create('three')).status, 201);
    await app.reopen();
    assert.deepEqual(await titles(), ['three']);
    assert.deepEqual(app.errors, []);
  });
});
