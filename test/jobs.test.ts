import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Failure } from '../src/failure.ts';
import { type Job, Jobs } from '../src/jobs/jobs.ts';
import type { Log } from '../src/log.ts';
import type { Coordination } from '../src/store/coordination.ts';
import type { Engine } from '../src/store/engine.ts';
import { type Storage, startStorage, testEngine } from './storage.ts';

const log: Log = { info() {}, error() {} };
const skip = testEngine === 'sqlite' && 'a directory has one process that does it';

let storage: Storage;
let engine: Engine;
before(async () => {
  storage = await startStorage();
  engine = storage.open();
});
after(async () => {
  await engine.close();
  await storage.remove();
});

describe('work beside requests', () => {
  it('goes on after a run that failed', async () => {
    let runs = 0;
    const job: Job = {
      name: 'failing',
      every: 5,
      async run() {
        runs += 1;
        throw new Error('not now');
      },
    };
    const jobs = new Jobs([job], { coordination: engine.coordination, log, beat: 20 });
    await until(() => runs >= 2);
    await jobs.stop();
  });

  it('says in the log what is wrong with the machine, once and not with each run', async () => {
    let runs = 0;
    const job: Job = {
      name: 'writing',
      every: 1,
      async run() {
        runs += 1;
        throw new Failure('unavailable', 'try again', { trouble: `can't write to the file "${runs}"` });
      },
    };
    const said: string[] = [];
    const noting = { info: (line: string) => void said.push(line), error() {} };
    const jobs = new Jobs([job], { coordination: engine.coordination, log: noting, beat: 20 });
    await until(() => runs >= 3);
    await jobs.stop();
    assert.deepEqual(said, [`the job writing failed: can't write to the file "1"`]);
  });

  it('is done by one process, and by another soon after that one stopped or was not heard of', {
    skip,
  }, async () => {
    const other = storage.open();
    const done: string[] = [];
    const work = (who: string): Job => ({ name: 'count', every: 5, run: async () => void done.push(who) });
    const beat = 2_000; // of which three may be missed: a machine that stands still for a while misses one
    const first = new Jobs([work('first')], { coordination: engine.coordination, log, beat });
    await until(() => done.includes('first'));
    const second = new Jobs([work('second')], { coordination: other.coordination, log, beat });
    await sleep(beat * 1.2);
    assert.ok(!done.includes('second'), 'one at a time');
    await first.stop();
    done.length = 0;
    await until(() => done.includes('second'));
    await second.stop();
    await other.close();
  });

  it('is taken over from whoever falls silent, and from nobody who is heard of', { skip }, async () => {
    const other = storage.open();
    // Longer where a busy machine let it run out.
    for (const lease of [400, 4_000, 40_000])
      if (await isTakenOver(engine.coordination, other.coordination, lease)) return other.close();
    assert.fail('the machine did not get to renew it');
  });
});

/** Asserts so much of a lease of so many milliseconds; false where it was asked for too late to tell. */
async function isTakenOver(one: Coordination, other: Coordination, lease: number): Promise<boolean> {
  const name = `test ${lease}`;
  let renewed = performance.now();
  const isLate = () => performance.now() - renewed >= lease;
  assert.equal(await one.takeLease(name, 'a', lease), true);
  for (let turn = 0; turn < 4; turn += 1) {
    const taken = await other.takeLease(name, 'b', lease);
    if (isLate()) return false;
    assert.equal(taken, false);
    await sleep(lease * 0.4);
    const asked = performance.now();
    const held = await one.takeLease(name, 'a', lease);
    if (isLate()) return false;
    assert.equal(held, true, 'still there');
    renewed = asked;
  }
  do {
    renewed = performance.now();
    await sleep(lease * 0.1);
  } while (!(await other.takeLease(name, 'b', lease)));
  const taken = await one.takeLease(name, 'a', lease);
  if (isLate()) return false;
  assert.equal(taken, false);
  return true;
}

async function until(isSo: () => boolean): Promise<void> {
  for (let turn = 0; turn < 6_000; turn += 1) {
    if (isSo()) return;
    await sleep(10);
  }
  assert.fail('it did not happen within a minute');
}
