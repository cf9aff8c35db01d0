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
    const measure = async () => {
      const times: Record<string, number[]> = { wrong: [], unknown: [], disabled: [] };
      for (let turn = 0; turn < 12; turn++) {
        for (const [what, [name = '', secret]] of Object.entries(tries)) {
          const start = performance.now();
          await people.tryLogin(name, secret, { peer: `10.0.0.${turn}` });
          times[what]?.push(performance.now() - start);
        }
      }
      // What else the machine does makes times longer, and never shorter.
      const quarters = Object.values(times).map((list) => quantile(list, 0.25));
      return { factor: Math.max(...quarters) / Math.min(...quarters), quarters };
    };
    // a busy machine may spoil a measurement, but not three in a row
    const measured = [];
    for (let attempt = 0; attempt < 3; attempt++) {
      measured.push(await measure());
      if (measured.some(({ factor }) => factor < 1.5)) return;
    }
    assert.fail(JSON.stringify(measured));
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
    const began = performance.now();
    for (let turn = 0; turn < 4; turn++) resultOf(await people.tryLogin('ann', password));
    const alone = (performance.now() - began) / 4;
    let open = 100;
    const logins = Array.from({ length: open }, async (_, index) => {
      const reply = await people.tryLogin('ann', password, { peer: `10.1.0.${index}` });
      open -= 1;
      return reply;
    });
    const times: number[] = [];
    while (open > 0) {
      times.push(await read());
      await pause(2);
    }
    // Some more than can run and wait may have been there at one moment: those are told to come again.
    const replies = await Promise.all(logins);
    const [done, refused] = [200, 429].map((status) => replies.filter((reply) => reply.status === status));
    assert.equal(Number(done?.length) + Number(refused?.length), replies.length);
    // Nobody waits for longer than ten seconds: where a machine does eighty in half of that, they are done.
    const least = Math.min(80, Math.floor(5_000 / alone));
    assert.ok(Number(done?.length) >= least, `${done?.length} of ${replies.length}, each ${alone} ms`);
    for (const { headers } of refused ?? []) assert.ok(headers.has('retry-after'));
    assert.ok(times.length > 50, `${times.length} reads meanwhile`);
    const slow = quantile(times, 0.95);
    // On a busy machine everything takes longer, also without sign-ins.
    assert.ok(slow < 100 + 20 * quantile(calm, 0.95), `p95 of ${times.length} reads: ${slow} ms`);
  });
});
