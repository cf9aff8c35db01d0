import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startApp, type TestApp } from '../harness.ts';
import { pause, resultOf } from '../support.ts';
import { assertUnauthenticated, makePeople, type People, password } from './people.ts';

let app: TestApp;
let people: People;
before(async () => {
  app = await startApp();
  people = await makePeople(app);
  await people.register('ann');
  const gone = await people.register('gone');
  resultOf(await people.manage('PATCH', `/users/${gone.user._id}`, { disabled: true }));
});
after(() => app.close());

function quantile(times: readonly number[], part: number): number {
  const sorted = [...times].sort((one, two) => one - two);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
}

describe('a wrong password, an unknown address and a disabled account', () => {
  const tries = {
    wrong: ['ann', 'not the password'],
    unknown: ['nobody', password],
    disabled: ['gone', password],
  };

  it('are told apart neither by status, headers and body', async () => {
    const replies = await Promise.all(
      Object.values(tries).map(([name = '', secret]) => people.tryLogin(name, secret)),
    );
    const bytes = replies.map(({ status, headers, text }) => [status, [...headers], text]);
    assert.deepEqual(bytes[1], bytes[0]);
    assert.deepEqual(bytes[2], bytes[0]);
    for (const reply of replies) assertUnauthenticated(reply);
  });

  it('nor by time', async () => {
    // What else the machine does makes times longer, and never shorter: the shortest ones are those of the product.
    const shortest: Record<string, number> = {};
    const factor = () => Math.max(...Object.values(shortest)) / Math.min(...Object.values(shortest));
    for (let turn = 0; turn < 12 || (turn < 120 && factor() >= 1.5); turn++) {
      for (const [what, [name = '', secret]] of Object.entries(tries)) {
        const start = performance.now();
        assertUnauthenticated(await people.tryLogin(name, secret, { peer: `10.0.0.${turn}` }));
        shortest[what] = Math.min(shortest[what] ?? Number.POSITIVE_INFINITY, performance.now() - start);
      }
    }
    assert.ok(factor() < 1.5, JSON.stringify(shortest));
  });
});

describe('a hundred sign-ins at once', () => {
  it('succeed as far as they may wait, and meanwhile records are read as before', async () => {
    const made = await people.records('POST', 'public', { text: 'x' });
    const path = `public/${String(resultOf(made, 201)._id)}`;
    const read = async () => {
      const start = performance.now();
      resultOf(await people.records('GET', path));
      return performance.now() - start;
    };
    const calm: number[] = [];
    for (let turn = 0; turn < 50; turn++) calm.push(await read());
    let open = 100;
    const logins = Array.from({ length: open }, async (_, index) => {
      const start = performance.now();
      const reply = await people.tryLogin('ann', password, { peer: `10.1.0.${index}` });
      open -= 1;
      return { ...reply, waited: performance.now() - start };
    });
    const times: number[] = [];
    while (open > 0) {
      times.push(await read());
      await pause(2);
    }
    // Nobody waits for longer than ten seconds: who was not served by then is told to come again, and nobody before.
    const replies = await Promise.all(logins);
    assert.ok(replies.some(({ status }) => status === 200));
    for (const { status, headers, waited, text } of replies) {
      if (status === 200) continue;
      assert.equal(status, 429, text);
      assert.ok(headers.has('retry-after'));
      assert.ok(waited > 9_900, `refused after ${waited} ms`);
    }
    assert.ok(times.length > 20, `${times.length} reads meanwhile`);
    const slow = quantile(times, 0.95);
    // On a busy machine everything takes longer, also without sign-ins.
    assert.ok(slow < 100 + 20 * quantile(calm, 0.95), `p95 of ${times.length} reads: ${slow} ms`);
  });
});
