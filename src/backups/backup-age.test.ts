import assert from 'node:assert/strict';
import { it } from 'node:test';
import { v7 as uuidv7 } from 'uuid';
import { BackupAge } from './backup-age.ts';

it('a backup by a clock that was far ahead is no reason to call the backups new', async () => {
  const [now, hour] = [1_800_000_000_000, 3_600_000];
  const made = (msecs: number) => ({ project: 'shop', id: uuidv7({ msecs }) });
  const place = { list: async () => [made(now + 9_000 * hour), made(now - 5 * hour)] };
  const catalog = {
    async *allProjects() {
      yield { id: 'shop', created: 0 };
    },
  };
  const age = new BackupAge({ place, catalog, now: () => now } as never);
  assert.equal(await age.seconds(), 5 * 3_600);
});
