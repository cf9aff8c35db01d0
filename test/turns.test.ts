import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type Caller, nobody } from '../src/access/caller.ts';
import { createTurns, type Release, Turns } from '../src/access/turns.ts';
import { FlagValues } from '../src/commands/flags.ts';
import { limitFlags, readLimits } from '../src/commands/serve-limits.ts';
import { Failure } from '../src/failure.ts';
import { seed } from './seed.ts';

const user = (name: string): Caller => ({ kind: 'user', user: name, workspace: null, session: 's' });
const taker = (caller: Caller, signal = new AbortController().signal, from = '10.0.0.1') => {
  return { caller, address: () => from, signal };
};
const isRefused = (error: unknown) =>
  error instanceof Failure && error.kind === 'tooMany' && error.detail.retryAfter !== undefined;
const settled = () => new Promise((resolve) => setTimeout(resolve));

describe('turns', () => {
  it('of each kind are as many as its flag says', async () => {
    const given = { 'reads-at-once': 1, 'exports-at-once': 3, 'passwords-at-once': 5, 'streams-at-once': 7 };
    const values = Object.entries(limitFlags).map(([name, { fallback = '' }]) => [name, fallback] as const);
    const set = Object.entries(given).map(([name, count]) => [name, `${count}`] as const);
    const turns = createTurns(readLimits(new FlagValues(new Map([...values, ...set]))).atOnce, 100);
    /** How many begin before one has to wait. */
    const begun = async (kind: Turns) => {
      for (let count = 0; ; count++) {
        const client = new AbortController();
        const turn = kind.take(taker(user('ann'), client.signal));
        if (typeof turn === 'function') continue;
        client.abort();
        await assert.rejects(turn, Failure);
        return count;
      }
    };
    const { reads, exports, passwords, streams } = turns;
    assert.deepEqual(await Promise.all([reads, exports, passwords, streams].map(begun)), [1, 3, 5, 7]);
  });

  it('so many at once for each caller, 16 wait, and the next is refused; an address has four times as much', async () => {
    for (const [caller, share] of [
      [user('ann'), 1],
      [nobody, 4],
    ] as const) {
      const turns = new Turns({ what: 'exports', atOnce: 2 });
      let running = 0;
      const all = Array.from({ length: 18 * share }, async () => {
        const release = await turns.take(taker(caller));
        running += 1;
        return release;
      });
      await settled();
      assert.equal(running, 2 * share);
      assert.throws(() => turns.take(taker(caller)), isRefused);
      assert.equal(typeof turns.take(taker(user('another'))), 'function');
      for (const release of all) {
        (await release)();
        assert.ok(running <= 18 * share);
      }
      assert.equal(running, 18 * share);
    }
  });

  it('callers take turns where not all can run: one who asks for much delays only themselves', async () => {
    const turns = new Turns({ what: 'x', atOnce: 4, inAll: 1 });
    const order: string[] = [];
    const work = (name: string) =>
      turns.run(taker(user(name)), async () => {
        order.push(name);
        await settled();
      });
    const all = [...Array.from({ length: 10 }, () => work('much')), work('ann'), work('bob')];
    await Promise.all(all);
    assert.ok(order.indexOf('ann') <= 3, order.join());
    assert.ok(order.indexOf('bob') <= 3, order.join());
  });

  it('whoever waits is refused after a while, or dropped when the client goes away', async () => {
    const turns = new Turns({ what: 'x', atOnce: 1, longestWait: 30 });
    const release = await turns.take(taker(user('ann')));
    await assert.rejects(async () => turns.take(taker(user('ann'))), isRefused);
    const client = new AbortController();
    const waiting = Promise.resolve(turns.take(taker(user('ann'), client.signal)));
    client.abort();
    await assert.rejects(waiting, /went away/);
    assert.throws(() => turns.take(taker(user('ann'), client.signal)), /went away/);
    release();
    release(); // twice is once
    const next = await turns.take(taker(user('ann')));
    const last = Promise.resolve(turns.take(taker(user('ann'))));
    next();
    (await last)();
  });

  it(`never too many at once, and nobody is forgotten (VITRINE_SEED=${seed})`, async () => {
    const step = fc.record({
      who: fc.nat({ max: 4 }),
      what: fc.constantFrom('take', 'take', 'release', 'abort'),
      which: fc.nat({ max: 50 }),
    });
    const walk = async (steps: readonly { who: number; what: string; which: number }[]) => {
      const turns = new Turns({ what: 'x', atOnce: 2, inAll: 3, longestWait: 60_000 });
      const running: { who: number; release: Release }[] = [];
      const clients: AbortController[] = [];
      const outcomes: Promise<unknown>[] = [];
      for (const { who, what, which } of steps) {
        if (what === 'release') running.splice(which % (running.length || 1), 1)[0]?.release();
        if (what === 'abort') clients.at(which % (clients.length || 1))?.abort();
        if (what === 'take') {
          const client = new AbortController();
          clients.push(client);
          const taken = (async () => turns.take(taker(user(String(who)), client.signal)))();
          outcomes.push(taken.then((release) => running.push({ who, release })).catch(() => {}));
        }
        await settled();
        assert.ok(running.length <= 3);
        for (let one = 0; one < 5; one++) {
          assert.ok(running.filter((turn) => turn.who === one).length <= 2);
        }
      }
      while (running.length > 0) {
        running.pop()?.release();
        await settled();
      }
      await Promise.all(outcomes);
    };
    await fc.assert(fc.asyncProperty(fc.array(step, { maxLength: 40 }), walk), { seed, numRuns: 40 });
  });
});
