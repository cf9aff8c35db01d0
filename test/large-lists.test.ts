import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { bestOf } from './best-of.ts';
import { startApp, type TestApp } from './harness.ts';
import { asAdmin, definition, makeProject, Records } from './support.ts';

const texts = (prefix: string, count: number) => Array.from({ length: count }, (_, n) => `${prefix}${n}`);

let app: TestApp;
before(async () => {
  app = await startApp();
});
after(() => app.close());

/** Milliseconds to replace every element of a list of so many, at best of a few tries. */
async function timeToReplace(records: Records, count: number): Promise<number> {
  const { _id } = await records.create({ words: texts('a', count) });
  const times: number[] = [];
  for (const prefix of ['b', 'c', 'd']) {
    const start = performance.now();
    await records.update(_id, { words: texts(prefix, count) });
    times.push(performance.now() - start);
  }
  assert.deepEqual((await records.view(_id)).words, texts('d', count));
  assert.equal(await records.total(`words=d${count - 1}`), 1);
  assert.equal(await records.total(`words=a0,b0,c0`), 0);
  await records.remove(_id);
  return Math.min(...times);
}

describe('a list of 10,000 elements', () => {
  const lists = {
    'with a bounded length': { type: 'list', of: { type: 'text', maxLength: 40 } },
    'of any texts': { type: 'list', of: { type: 'text' } },
  };
  for (const [name, words] of Object.entries(lists)) {
    it(`${name}: replacing all of it takes time in proportion to its length`, async () => {
      const path = await makeProject(app, definition('notes', { words }));
      const records = new Records(app, `${path}/notes`, asAdmin);
      await timeToReplace(records, 100);
      // Four times the elements: a step that compares each with each would take sixteen times as long.
      const times = await bestOf(async () => {
        const small = await timeToReplace(records, 2_500);
        return (await timeToReplace(records, 10_000)) / (small + 12);
      }, 8);
      assert.ok(times < 8, `${times.toFixed(1)} times as long for 10,000 as for 2,500`);
    });
  }
});
