import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it, mock } from 'node:test';
import postgres from 'postgres';
import { Failure } from '../../../../failure.ts';
import type { Schemas } from '../../../known-schemas.ts';
import type { InsertPlan } from '../../../write-plans.ts';
import { translate } from '../connection/faults.ts';
import { RequestDeadline } from '../connection/request-deadline.ts';
import type { WriteOptions } from '../project-database.ts';
import { Inserts } from './inserts.ts';

const plan = (id: string) =>
  ({ id, values: {}, collection: { key: 1, version: 1 } }) as unknown as InsertPlan;

const after = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** A database for concurrent inserts; a record on its own takes `each` milliseconds. */
class Writes {
  each = 20;
  /** Why a group is rolled back. */
  refusal: unknown = new Failure('conflict', 'taken');
  /** Records that are refused even on their own. */
  isRefused: (id: string) => boolean = (id) => id.startsWith('taken');
  readonly alone: string[] = [];

  readonly write = async (_step: unknown, { creates = [] }: WriteOptions = {}): Promise<never> => {
    await after(this.each);
    const [first] = creates;
    if (creates.length > 1) throw this.refusal;
    this.alone.push(first?.id ?? '');
    if (this.isRefused(first?.id ?? '')) throw this.refusal;
    return first?.id as never;
  };
}

describe('the line of records that arrive', () => {
  let writes: Writes;
  let deadline: RequestDeadline;
  let inserts: Inserts;
  beforeEach(() => {
    mock.timers.enable({ apis: ['setTimeout', 'setInterval', 'setImmediate', 'Date'] });
    writes = new Writes();
    deadline = new RequestDeadline(9_000);
    inserts = new Inserts(writes, {} as Schemas, deadline);
  });
  afterEach(() => mock.timers.reset());

  const send = (id: string) =>
    inserts.insert(plan(id)).then(
      () => 'saved',
      (error: Failure) => error.kind,
    );

  async function pass(milliseconds: number): Promise<void> {
    for (let at = 0; at < milliseconds; at += 10) {
      mock.timers.tick(10);
      for (let turn = 0; turn < 40; turn++) await Promise.resolve();
    }
  }

  it('moves where records are refused, so that those behind them have their turn', async () => {
    const refused = Array.from({ length: 600 }, (_, at) => send(`taken ${at}`));
    await pass(100);
    const good = Array.from({ length: 20 }, (_, at) => send(`good ${at}`));
    await pass(8_000);
    assert.deepEqual(new Set(await Promise.all(refused)), new Set(['conflict']));
    assert.deepEqual(new Set(await Promise.all(good)), new Set(['saved']));
  });

  it('takes the time that a record waits in it from its request', async () => {
    const [before, left] = await Promise.all([
      deadline.run(async () => {
        await inserts.insert(plan('good'));
        return deadline.remaining;
      }),
      pass(100).then(() => deadline.remaining),
    ]);
    assert.equal(left, 9_000);
    assert.ok(before <= 9_000 - writes.each && before > 8_000, `${before} ms are left`);
  });

  for (const code of ['40P01', '55P03']) {
    it(`writes each alone after ${code}, and gives up where all wait for the same`, async () => {
      writes.refusal = translate(Object.assign(new postgres.PostgresError('' as never), { code }));
      writes.isRefused = (id) => id === 'good 5';
      const some = Array.from({ length: 20 }, (_, at) => send(`good ${at}`));
      await pass(1_000);
      const ends = await Promise.all(some);
      assert.deepEqual(
        ends.flatMap((end, at) => (end === 'saved' ? [] : [[at, end]])),
        [[5, 'unavailable']],
      );
      writes.alone.length = 0;
      writes.isRefused = () => true;
      const all = Array.from({ length: 20 }, (_, at) => send(`good ${at}`));
      await pass(1_000);
      assert.deepEqual(new Set(await Promise.all(all)), new Set(['unavailable']));
      assert.equal(writes.alone.length, 3);
    });
  }
});
