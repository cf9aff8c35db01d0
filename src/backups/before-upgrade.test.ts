import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Failure } from '../failure.ts';
import type { Backups } from './backups.ts';
import { backUpBeforeUpgrade } from './before-upgrade.ts';

it('a backup before an upgrade that fails for what is in the project is not tried again and again', async () => {
  let begun = 0;
  const backups = {
    start: async () => {
      begun += 1;
      if (begun === 1) throw new Failure('conflict', 'another is being made');
      return { done: Promise.reject(new Failure('conflict', 'it has 3 records, and not 4')) };
    },
    newestGood: async () => undefined,
  } as unknown as Backups;
  const before = backUpBeforeUpgrade(backups, Date.now);
  for (let request = 0; request < 2; request++) {
    await assert.rejects(before('p'), (error) => error instanceof Failure && error.kind === 'unavailable');
  }
  assert.equal(begun, 2);
});
