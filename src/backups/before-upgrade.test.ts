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

it('waits for the backup that another process makes, and takes no older one for it, whatever its clock says', async () => {
  const ahead = Date.now() + 60_000;
  let tries = 0;
  const backups = {
    start: async () => {
      tries += 1;
      if (tries < 4) throw new Failure('conflict', 'another is being made');
      return { done: Promise.resolve() };
    },
    newestGood: async () => ahead,
  } as unknown as Backups;
  await backUpBeforeUpgrade(backups, Date.now)('p');
  assert.equal(tries, 4, 'the other came to nothing');
  const made = [1, 1, 2];
  await backUpBeforeUpgrade(
    {
      start: () => Promise.reject(new Failure('conflict', 'another is being made')),
      newestGood: async () => made.shift(),
    } as unknown as Backups,
    Date.now,
  )('p');
  assert.deepEqual(made, []);
});
