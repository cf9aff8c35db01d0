import assert from 'node:assert/strict';
import { it, mock } from 'node:test';
import type { Pool } from './pool.ts';
import type { Session } from './session.ts';
import { Signals } from './signals.ts';

/** Once dropped, never answers, like a connection that the network has silently cut. */
class Listener {
  isDropped = false;
  lost = false;
  #fail = () => {};

  command(): Promise<unknown> {
    if (!this.isDropped) return Promise.resolve();
    return new Promise((_, reject) => {
      this.#fail = () => reject(new Error('it is destroyed'));
    });
  }

  destroy(): void {
    this.lost = true;
    this.#fail();
  }
}

it('a connection to listen by that is lost without a word is replaced', async () => {
  mock.timers.enable({ apis: ['setTimeout'] });
  const sessions: Listener[] = [];
  const listener = () => {
    const session = new Listener();
    sessions.push(session);
    return session as unknown as Session;
  };
  const signals = new Signals({ listener } as unknown as Pool);
  const pass = async (seconds: number) => {
    for (let tenths = 0; tenths < 10 * seconds; tenths++) {
      mock.timers.tick(100);
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  signals.watch('p1', () => {});
  await pass(10);
  assert.equal(sessions.length, 1);
  for (const session of sessions) session.isDropped = true;
  await pass(20);
  assert.deepEqual(
    sessions.map(({ lost }) => lost),
    [true, false],
  );
  signals.close();
  mock.timers.reset();
});
