import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import postgres from 'postgres';
import { hashPassword } from '../../src/access/password.ts';
import { Clock, makePeople, People, password, second } from '../auth/people.ts';
import type { Reply } from '../harness.ts';
import { assertRefused, resultOf } from '../support.ts';
import { type PostgresApp, startPostgresApp } from './app.ts';

describe('failed sign-ins are counted by all nodes together', () => {
  const clock = new Clock();
  const apps: PostgresApp[] = [];
  const nodes: People[] = [];
  let count = 0;
  let peer = '';
  before(async () => {
    const first = await startPostgresApp({}, { now: clock.now });
    const other = await startPostgresApp({ url: first.url }, { now: clock.now });
    apps.push(other, first);
    nodes.push(await makePeople(first), new People(other, 'shop'));
    await node(0).register('ann');
  });
  after(async () => {
    for (const app of apps) await app.close();
  });
  beforeEach(() => {
    count += 1;
    peer = `10.9.0.${count}`;
  });

  const node = (turn: number) => nodes[turn % 2] as People;
  const wrong = (turn: number) => node(turn).tryLogin('ann', 'not the password', { peer });
  const right = (turn: number) => node(turn).tryLogin('ann', password, { peer });
  const statuses = (replies: readonly Reply[]) => replies.map(({ status }) => status);

  it('however they are spread, with the right password too, until a minute after the first', async () => {
    assertRefused(await wrong(0), 401);
    clock.move(30 * second);
    for (let turn = 1; turn < 10; turn++) assertRefused(await wrong(turn), 401);
    for (const turn of [0, 1]) {
      const limited = await wrong(turn);
      assertRefused(limited, 429, 'Too many failed sign-ins');
      assert.equal(limited.headers.get('retry-after'), '30');
      assertRefused(await right(turn), 429);
    }
    clock.move(30 * second);
    resultOf(await right(0));
    assertRefused(await wrong(1), 401);
    for (const turn of [0, 1]) assertRefused(await right(turn), 429);
  });

  it('where they come at once: ten are told that they are wrong', async () => {
    const replies = await Promise.all(Array.from({ length: 40 }, (_, turn) => wrong(turn)));
    assert.deepEqual(statuses(replies).toSorted(), [...Array(10).fill(401), ...Array(30).fill(429)]);
    for (const turn of [0, 1]) assertRefused(await right(turn), 429);
  });

  it('and are not what succeeds', async () => {
    const many = await Promise.all(Array.from({ length: 24 }, (_, turn) => right(turn)));
    assert.deepEqual(new Set(statuses(many)), new Set([200]));
  });

  it('of administrators too', async () => {
    const body = { email: 'root@example.com', password: 'not the password' };
    await apps[0]?.catalog().administrators.save(body.email, await hashPassword(password));
    const tryIt = (turn: number) =>
      (apps[turn % 2] as PostgresApp).call('POST', '/v1/_admin/login', { body, peer });
    for (let turn = 0; turn < 10; turn++) assertRefused(await tryIt(turn), 401);
    for (const turn of [0, 1]) assertRefused(await tryIt(turn), 429);
  });

  it('and are removed after a minute, also where a clock was wrong', async () => {
    const [app] = apps as [PostgresApp];
    const db = postgres(app.url, { max: 1, onnotice() {} });
    const kept = async () => (await db`SELECT who FROM vitrine.failed_sign_ins`).length;
    clock.move(24 * 60 * 60 * second);
    assertRefused(await wrong(0), 401);
    clock.move(-23 * 60 * 60 * second);
    peer = `${peer}1`;
    assertRefused(await wrong(0), 401);
    const failures = app.catalog().failedSignIns;
    assert.ok(failures);
    await failures.prune(clock.now());
    assert.equal(await kept(), 1);
    clock.move(60 * second);
    await failures.prune(clock.now());
    assert.equal(await kept(), 0);
    await db.end();
  });
});
