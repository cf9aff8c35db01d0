import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startWriterThread } from '../../src/runtime/writers.ts';
import { bestOf } from '../best-of.ts';
import { startApp, type TestApp } from '../harness.ts';
import { type Storage, sqliteStorage } from '../storage.ts';
import { commitTime } from './slow-driver.ts';

describe('a disk that takes 20 ms to commit', () => {
  let storage: Storage;
  let app: TestApp;
  const ids: string[] = [];

  before(async () => {
    const driver = new URL('./slow-driver.ts', import.meta.url);
    const failed = (error: unknown) => assert.fail(String(error));
    storage = await sqliteStorage(() => startWriterThread({ driver, failed }));
    app = await startApp({ storage });
    await app.project('p', { id: 'items', api: { access: 'public' }, fields: { title: { type: 'text' } } });
    const create = Array.from({ length: 100 }, (_, index) => ({ title: `item ${index}` }));
    const made = await app.call('POST', '/v1/p/items/batch', { body: { create } });
    assert.equal(made.status, 200, made.text);
    ids.push(...(made.body.result.created as { _id: string }[]).map(({ _id }) => _id));
  });
  after(async () => {
    await app.close();
    await storage.remove();
  });

  /** The p99 of Views, one after the other with a breath between them, in milliseconds. */
  async function viewP99(times: number): Promise<number> {
    const taken: number[] = [];
    for (let index = 0; index < times; index++) {
      const start = performance.now();
      const reply = await app.call('GET', `/v1/p/items/${ids[index % ids.length]}`);
      taken.push(performance.now() - start);
      assert.equal(reply.status, 200);
      await new Promise(setImmediate);
    }
    return taken.sort((a, b) => a - b)[Math.floor(times * 0.99)] ?? 0;
  }

  it('makes a write wait for it', async () => {
    const start = performance.now();
    const reply = await app.call('POST', '/v1/p/items', { body: { title: 'one' } });
    assert.equal(reply.status, 201, reply.text);
    assert.ok(performance.now() - start >= commitTime - 1);
  });

  it('commits what arrives together at once, not one after the other', async () => {
    // One after the other they never take less than 50 commits do.
    const took = await bestOf(async () => {
      const start = performance.now();
      const replies = await Promise.all(
        Array.from({ length: 50 }, () => app.call('POST', '/v1/p/items', { body: { title: 'many' } })),
      );
      assert.ok(replies.every(({ status }) => status === 201));
      return performance.now() - start;
    }, 25 * commitTime);
    assert.ok(took < 25 * commitTime, `${took} ms`);
  });

  it('keeps no read waiting: the p99 of View stays within twice what it is without writes', async () => {
    await viewP99(500);
    // Below a few milliseconds a busy machine decides, not the disk: one commit in the way would be 20, in every try.
    const ratio = await bestOf(async () => {
      const alone = await viewP99(500);
      let writing = true;
      let written = 0;
      const writers = Array.from({ length: 16 }, async () => {
        while (writing) {
          const reply = await app.call('POST', '/v1/p/items', { body: { title: 'more' } });
          assert.equal(reply.status, 201, reply.text);
          written += 1;
        }
      });
      const meanwhile = await viewP99(500);
      writing = false;
      await Promise.all(writers);
      assert.ok(written >= 16, `${written} were written meanwhile`);
      return meanwhile / Math.max(2 * alone, 5);
    }, 1);
    assert.ok(ratio <= 1, `${ratio} of what is allowed`);
  });
});
