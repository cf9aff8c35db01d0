import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import postgres from 'postgres';
import { digest } from '../../src/access/secret.ts';
import type { JsonObject } from '../../src/model/json.ts';
import { loadRuntime } from '../../src/runtime/load-runtime.ts';
import { startApp, type TestApp } from '../harness.ts';
import { type NamedStorage, startStorage, testEngine } from '../storage.ts';
import { assertRefused, resultOf } from '../support.ts';
import { Clock, day, makePeople, type People, type SignedIn, second } from './people.ts';

describe('as many sessions, tokens and workspaces as one user may have', () => {
  const clock = new Clock();
  let storage: NamedStorage;
  let app: TestApp;
  let people: People;
  before(async () => {
    storage = await startStorage();
    app = await startApp({ now: clock.now, storage });
    people = await makePeople(app);
  });
  after(async () => {
    await app.close();
    await storage.remove();
  });

  /** Rows of the project's own table, past the app: through it they would take minutes. `row` has their number as `i`. */
  async function fill(table: string, columns: string, row: string, count: number): Promise<void> {
    const rows = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count}) SELECT ${row} FROM n`;
    const place = storage.flags[1] ?? '';
    if (testEngine === 'sqlite') {
      const file = (await loadRuntime()).sqlite.open(join(place, 'projects/shop.db'));
      file.exec(`PRAGMA busy_timeout = 5000; INSERT INTO ${table} (${columns}) ${rows}`);
      file.close();
      return;
    }
    const db = postgres(place, { max: 1 });
    const [project] = await db`SELECT seq FROM vitrine.projects WHERE id = 'shop'`;
    await db.unsafe(`INSERT INTO vitrine_p${project?.seq}.${table} (${columns}) ${rows}`);
    await db.end();
  }

  const currentOf = async ({ accessToken: token }: SignedIn) => {
    const { found } = resultOf(await people.auth('GET', 'sessions', undefined, { token }));
    return String((found as JsonObject[]).find(({ current }) => current)?._id);
  };
  it('no spent token is forgotten before it expires: a session that is refreshed in a loop ends', async () => {
    const victim = await people.register('ann');
    const id = await currentOf(victim);
    const swap = (spentDigest: string, newDigest: string) =>
      app.catalog().useAccounts('shop', ({ store }) => {
        const now = clock.now();
        const seen = { used: now, address: '', agent: '' };
        const expires = now + 30 * day;
        return store.accounts.exchange({
          ...{ spentDigest, newDigest, replacedDigest: '', now, expires, seen, grace: 0 },
        });
      });
    assert.ok(await swap(digest(victim.refreshToken), 'B second'));
    const columns = 'digest, session, expires, spent';
    await fill('refresh_tokens', columns, `'b' || i, '${id}', ${clock.now() + 31 * day}, 1`, 801);
    await fill('refresh_tokens', columns, `'C' || i, '${id}', 1, 1`, 801);
    assert.ok(await swap('B second', 'AC third'), 'where all have expired');
    assert.equal(await swap('AC third', 'Ab fourth'), undefined);
    clock.move(11 * second);
    assert.equal((await people.refresh(victim.refreshToken)).status, 401);
    assert.equal((await people.me(victim.accessToken)).status, 401);
  });

  it('workspaces', async () => {
    const dora = await people.register('dora');
    await fill('members', 'workspace, "user", role', `'w' || i, '${dora.user._id}', 'member'`, 9_999);
    await people.workspace(dora, 'the last');
    const more = await people.auth('POST', 'workspaces', { name: 'more' }, { token: dora.accessToken });
    assertRefused(more, 409, 'You are in 10000 workspaces already');
  });
});
