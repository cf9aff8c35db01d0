import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import postgres from 'postgres';
import { loadRuntime } from '../../src/runtime/load-runtime.ts';
import { startApp, type TestApp } from '../harness.ts';
import { type NamedStorage, startStorage, testEngine } from '../storage.ts';
import { asAdmin, resultOf } from '../support.ts';

const many = 200_000;
/** Of a hundred entries one is of this project. */
const every = 100;
const idOf = (n: number) => `01900000-0000-7000-8000-${String(n).padStart(12, '0')}`;

let storage: NamedStorage;
let app: TestApp;
before(async () => {
  storage = await startStorage();
  app = await startApp({ storage });
  await list(''); // makes the tables
  const columns = 'id, at, actor, action, project, target, address, request, outcome';
  const number = "substr('000000000000' || i, -12)";
  const values = (digits: string, table: string) => `
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${many})
    INSERT INTO ${table} (${columns})
    SELECT '01900000-0000-7000-8000-' || ${digits}, ${Date.now()}, 'ann', 'project.update',
      CASE WHEN i % ${every} = 0 THEN 'rare' ELSE 'usual' END, 't', '', 'r', 'done' FROM n`;
  const place = storage.flags[1] ?? '';
  if (testEngine === 'sqlite') {
    const file = (await loadRuntime()).sqlite.open(join(place, 'instance.db'));
    file.exec(`PRAGMA busy_timeout = 5000; DELETE FROM audit; ${values(number, 'audit')}`);
    file.close();
    return;
  }
  const db = postgres(place, { max: 1 });
  await db.unsafe('DELETE FROM vitrine.audit');
  await db.unsafe(values("lpad(i::text, 12, '0')", 'vitrine.audit'));
  await db.unsafe('ANALYZE vitrine.audit');
  await db.end();
});
after(async () => {
  await app.close();
  await storage.remove();
});

/** The answer, and how often others had their turn meanwhile. */
async function list(query: string) {
  let [turns, isOver] = [0, false];
  const others = (async () => {
    for (; !isOver; turns++) await turn();
  })();
  const result = resultOf(await app.call('GET', `/v1/_admin/audit?${query}`, asAdmin));
  isOver = true;
  await others;
  const ids = (result.found as { _id: string }[]).map(({ _id }) => _id);
  return { turns, ids, total: result.total, next: result.next };
}

/** PostgreSQL does its work elsewhere. */
const assertServed = (turns: number) =>
  assert.ok(testEngine !== 'sqlite' || turns >= many / 10_000, `${turns} turns`);

describe('an audit of very many entries', () => {
  for (const [name, filter, total, nth] of [
    ['all', '', many, (n: number) => many - n],
    ['by two filters', '&actor=ann&project=rare', many / every, (n: number) => many - n * every],
  ] as const) {
    it(`is counted and read by pages in slices between which others are served: ${name}`, async () => {
      const perPage = 150;
      for (const page of [1, 2, Math.ceil(total / perPage), Math.ceil(total / perPage) + 1]) {
        const { turns, ids, total: counted } = await list(`page=${page}&perPage=${perPage}${filter}`);
        const from = (page - 1) * perPage;
        const length = Math.max(0, Math.min(perPage, total - from));
        assert.equal(counted, total);
        assert.deepEqual(
          ids,
          Array.from({ length }, (_, index) => idOf(nth(from + index))),
        );
        assertServed(turns);
      }
    });

    it(`is read by a cursor to its end: ${name}`, async () => {
      const [first] = (await list(`perPage=1${filter}`)).ids;
      assert.equal(first, idOf(nth(0)));
      const { ids, next } = await list(`after=${idOf(nth(total - 3))}&perPage=1000${filter}`);
      assert.deepEqual([ids, next], [[idOf(nth(total - 2)), idOf(nth(total - 1))], null]);
    });
  }

  it('is read along an index where there is one filter, as far as it finds some', async () => {
    const { turns: least } = await list('after=&perPage=1');
    const rare = await list('perPage=1&project=rare');
    assert.deepEqual([rare.total, rare.ids], [many / every, [idOf(many)]]);
    const isFew = rare.turns < least + 5;
    assert.ok(testEngine !== 'sqlite' || isFew, `${rare.turns} turns, ${least} for the newest of all`);
    for (const [filter, total] of [
      ['project=usual', many - many / every],
      ['actor=ann', many],
      ['action=project.update', many],
    ] as const) {
      const { turns, total: counted } = await list(`page=1&${filter}`);
      assert.equal(counted, total);
      assertServed(turns);
    }
  });

  it('of which a filter finds none takes turns too', async () => {
    for (const query of ['page=1&actor=ann&project=none', 'after=&actor=ann&project=none']) {
      const { turns, ids } = await list(query);
      assert.deepEqual(ids, []);
      assertServed(turns);
    }
  });
});
