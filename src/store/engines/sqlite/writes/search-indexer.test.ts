import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Connection } from '../../../sql/dialect.ts';
import type { Sql } from '../../../sql/tag.ts';
import type { Transaction, WriteStep, Writes } from '../../../sql/transaction.ts';
import { SqliteFault } from '../connection/driver.ts';
import { SearchIndexer } from './search-indexer.ts';

const looks = 24;

/** For a number of looks at the load: how many records each step indexed, if one takes a tenth of a millisecond. */
async function steps({ load, left }: { load: number; left: number }): Promise<number[]> {
  const made: number[] = [];
  let clock = 1;
  const now = () => clock;
  const db = {
    rows: ({ values }: Sql) =>
      Array.from({ length: Number(values.at(-1)) }, (_, index) => [index + 1, 'words']),
    row: () => [left],
    run: ({ text }: Sql) => {
      if (!text.includes('(rowid, tokens)')) return 1;
      clock += 0.1;
      made.push((made.pop() ?? 0) + 1);
      return 1;
    },
  } as unknown as Connection;
  const { promise, resolve } = Promise.withResolvers<void>();
  const writes: Writes = { write: async <T>(step: WriteStep<T>) => step({ db } as Transaction) };
  let looked = 0;
  const spent = () => {
    clock += 20;
    if (made.at(-1) !== 0) made.push(0);
    looked += 1;
    if (looked === looks) resolve();
    return clock * load;
  };
  const indexer = new SearchIndexer(writes, spent, { now });
  indexer.wake([1]);
  await promise;
  indexer.stop();
  return made.filter((records) => records > 0);
}

const isAbout = (wanted: number) => (records: number) => Math.abs(records - wanted) <= 1;

describe('the indexer of words', () => {
  it('takes ten milliseconds at a time where nobody writes', async () => {
    const made = await steps({ load: 0, left: 1_000 });
    assert.ok(made.length >= looks - 2 && made.every(isAbout(100)), String(made));
  });

  it('takes two at a time beside other writes', async () => {
    const made = await steps({ load: 0.3, left: 1_000 });
    assert.ok(made.length >= looks - 2 && made.every(isAbout(20)), String(made));
  });

  it('waits for a while where the writer has no time for it, and goes on then', async () => {
    const made = await steps({ load: 0.9, left: 1_000 });
    assert.ok(made.length >= 3 && made.length <= looks / 5 && made.every(isAbout(20)), String(made));
  });

  it('does not wait where far too many are left', async () => {
    const made = await steps({ load: 0.9, left: 300_000 });
    assert.ok(made.length >= looks - 7 && made.every(isAbout(20)), String(made));
  });

  it('logs what it fails by, once until it works again', async () => {
    const mismatch = new SqliteFault(20, 'datatype mismatch', undefined);
    assert.deepEqual(await logged([mismatch, mismatch, mismatch]), [mismatch]);
    assert.deepEqual(await logged([mismatch, undefined, mismatch, mismatch]), [mismatch, mismatch]);
  });

  /** The pauses between five tries of one that always fails. */
  async function pausesOf(): Promise<number[]> {
    const tries: number[] = [];
    const { promise, resolve } = Promise.withResolvers<void>();
    const write = async () => {
      tries.push(performance.now());
      if (tries.length === 5) resolve();
      throw new SqliteFault(13, 'database or disk is full', undefined);
    };
    const indexer = new SearchIndexer({ write } as unknown as Writes, () => 0);
    indexer.wake([1]);
    await promise;
    indexer.stop();
    return tries.slice(1).map((at, index) => at - (tries[index] ?? 0));
  }

  it('tries less and less often where it always fails', async () => {
    let pauses: number[] = [];
    const takes = () => pauses.reduce((sum, pause) => sum + pause, 0);
    // A machine that stood still makes them longer, but not in every try.
    for (let tries = 0; tries < 6 && (tries === 0 || takes() > 1_500); tries++) {
      pauses = await pausesOf();
      // A timer is never early by more than its grain.
      for (const [index, least] of [40, 80, 160, 320].entries())
        assert.ok((pauses[index] ?? 0) > least - 2, `pauses of ${pauses} ms`);
    }
    assert.ok(takes() <= 1_500, `pauses of ${pauses} ms`);
  });

  it('says nothing of trouble with the disk, and of tables that are no more', async () => {
    const full = new SqliteFault(13, 'database or disk is full', undefined);
    const gone = new SqliteFault(1, 'no such table: s1', undefined);
    assert.deepEqual(await logged([full, full]), []);
    assert.deepEqual(await logged([gone]), []);
    const mismatch = new SqliteFault(20, 'datatype mismatch', undefined);
    assert.deepEqual(await logged([full, mismatch]), [mismatch], 'of what comes after it');
  });
});

/** What is logged if the steps fail with these errors, one after another; undefined: the step succeeds. */
async function logged(faults: readonly (Error | undefined)[]): Promise<unknown[]> {
  const { promise: over, resolve } = Promise.withResolvers<void>();
  const left = [...faults];
  let works = false;
  const write = async () => {
    if (works) {
      works = false;
      return false; // there is nothing to merge
    }
    if (left.length === 0) resolve();
    const fault = left.shift();
    if (fault) throw fault;
    works = true;
    return 1; // there are more records
  };
  const errors: unknown[] = [];
  const log = { error: (_: string, error: unknown) => void errors.push(error) };
  const indexer = new SearchIndexer({ write } as unknown as Writes, () => 0, { log });
  indexer.wake([1, 2, 3]); // a collection whose table is gone is not visited again
  await over;
  indexer.stop();
  return errors;
}
