import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import postgres from 'postgres';
import { digest } from '../../src/access/secret.ts';
import { mostTokens } from '../../src/auth/refresh.ts';
import type { JsonObject } from '../../src/model/json.ts';
import { loadRuntime } from '../../src/runtime/load-runtime.ts';
import { defaultAuth } from '../../src/store/project-record.ts';
import { startApp, type TestApp } from '../harness.ts';
import { type NamedStorage, startStorage, testEngine } from '../storage.ts';
import { assertRefused, resultOf } from '../support.ts';
import { Clock, day, makePeople, minute, type People, type SignedIn, second, signedIn } from './people.ts';

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

  const sessionsOf = async ({ accessToken: token }: SignedIn) =>
    resultOf(await people.auth('GET', 'sessions', undefined, { token })).total;
  const currentOf = async ({ accessToken: token }: SignedIn) => {
    const { found } = resultOf(await people.auth('GET', 'sessions', undefined, { token }));
    return String((found as JsonObject[]).find(({ current }) => current)?._id);
  };
  const fillSessions = (of: SignedIn, used: number, since: number | string, count: number) =>
    fill(
      'sessions',
      'id, "user", expires, used, since',
      `'${since} ' || i, '${of.user._id}', ${clock.now() + day}, ${used}, ${since}`,
      count,
    );

  it('no spent token is forgotten before it expires: a session that is refreshed in a loop ends', async () => {
    const victim = await people.register('ann');
    const id = await currentOf(victim);
    const swap = (spentDigest: string, newDigest: string, most = mostTokens(defaultAuth)) =>
      app.catalog().useAccounts('shop', ({ store }) => {
        const now = clock.now();
        const seen = { used: now, address: '', agent: '' };
        const expires = now + 30 * day;
        return store.accounts.exchange({
          ...{ spentDigest, newDigest, replacedDigest: '', now, expires, seen, grace: 0, most },
        });
      });
    assert.ok(await swap(digest(victim.refreshToken), 'B second'));
    const columns = 'digest, session, expires, spent';
    await fill('refresh_tokens', columns, `'b' || i, '${id}', ${clock.now() + 31 * day}, 1`, 801);
    await fill('refresh_tokens', columns, `'C' || i, '${id}', 1, 1`, 801);
    assert.ok(await swap('B second', 'AC third'), 'where all have expired');
    const often = mostTokens({ ...defaultAuth, accessTokenMinutes: 1 });
    assert.ok(often > 2 * 30 * 24 * 60, 'our client renews a token of one minute each half a minute');
    assert.ok(await swap('AC third', 'Ab fourth', often), 'where tokens are renewed so often');
    assert.equal(await swap('Ab fourth', 'Ab fifth'), undefined);
    clock.move(11 * second);
    assert.equal((await people.refresh(victim.refreshToken)).status, 401);
    assert.equal((await people.me(victim.accessToken)).status, 401);
  });

  it('sessions that grow out of one sign-in never end the one that they grew out of', async () => {
    const victim = await people.register('bea');
    const [workspace, since] = [await people.workspace(victim, 'hers'), clock.now()];
    clock.move(minute);
    const { accessToken } = signedIn(await people.refresh(victim.refreshToken));
    const other = await people.login('bea');
    await fillSessions(victim, clock.now() + day, since, 9_997);
    const grown = await people.switch({ ...victim, accessToken }, workspace);
    assert.equal(await sessionsOf(grown), 10_000);
    const switched = await people.auth('POST', 'switch', { workspace }, { token: grown.accessToken });
    assertRefused(switched, 409, 'There are 10000 sessions, nearly all of this sign-in: sign in again');
    assert.equal((await people.me(other.accessToken)).status, 200, 'no other sign-in makes room for a loop');
    clock.move(11 * second);
    assert.equal((await people.refresh(victim.refreshToken)).status, 401);
    for (const token of [accessToken, grown.accessToken]) assert.equal((await people.me(token)).status, 401);
  });

  it('a new sign-in ends those that were not used for longest, and not itself, whatever the clock says', async () => {
    const first = await people.register('cleo');
    const workspace = await people.workspace(first, 'hers');
    await fillSessions(first, clock.now() + day, `${clock.now()} + i`, 9_999);
    clock.move(second);
    const next = await people.login('cleo');
    assert.equal((await people.me(first.accessToken)).status, 401);
    assert.equal(await sessionsOf(next), 9_001);
    await fillSessions(next, clock.now() + day, 0, 999);
    const grown = await people.switch(next, workspace);
    assert.equal(await sessionsOf(grown), 9_001);
    for (const { accessToken } of [next, grown]) assert.equal((await people.me(accessToken)).status, 200);
  });

  it('a sign-in that alone has very many ends before any other, though it was used last', async () => {
    const looped = await people.register('eve');
    const since = clock.now();
    clock.move(second);
    const device = await people.login('eve');
    await fillSessions(looped, clock.now() + day, since, 9_998);
    clock.move(second);
    const next = await people.login('eve');
    assert.equal(await sessionsOf(next), 2);
    assert.equal((await people.me(device.accessToken)).status, 200);
    assert.equal((await people.me(looped.accessToken)).status, 401);
  });

  it('workspaces', async () => {
    const dora = await people.register('dora');
    await fill('members', 'workspace, "user", role', `'w' || i, '${dora.user._id}', 'member'`, 9_999);
    await people.workspace(dora, 'the last');
    const more = await people.auth('POST', 'workspaces', { name: 'more' }, { token: dora.accessToken });
    assertRefused(more, 409, 'You are in 10000 workspaces already');
  });
});
