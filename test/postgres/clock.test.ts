import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { JsonObject } from '../../src/model/json.ts';
import { Dice } from '../durability/dice.ts';
import { freshDatabase, type TestDatabase } from '../postgres-server.ts';
import { seed } from '../seed.ts';
import { definition, type Row, resultOf } from '../support.ts';
import { type PostgresApp, startPostgresApp } from './app.ts';

const day = 24 * 60 * 60_000;

describe('a node whose clock is a day ahead', () => {
  let database: TestDatabase;
  let right: PostgresApp;
  let ahead: PostgresApp;
  before(async () => {
    database = await freshDatabase();
    right = await startPostgresApp({ url: database.url });
    ahead = await startPostgresApp({ url: database.url }, { now: () => Date.now() + day });
    await right.project('p', definition('notes', { text: { type: 'text' } }));
  });
  after(async () => {
    await Promise.all([right.close(), ahead.close()]);
    await database.drop();
  });

  const creations = {
    alone: async (app: PostgresApp) => [
      resultOf(await app.call('POST', '/v1/p/notes', { body: { text: 'x' } }), 201),
    ],
    together: async (app: PostgresApp) => {
      const bodies = Array.from({ length: 5 }, () => ({ body: { text: 'x' } }));
      const replies = await Promise.all(bodies.map((body) => app.call('POST', '/v1/p/notes', body)));
      return replies.map((reply) => resultOf(reply, 201));
    },
    'in a batch': async (app: PostgresApp) => {
      const body = { create: [{ text: 'x' }, { text: 'y' }] };
      return resultOf(await app.call('POST', '/v1/p/notes/batch', { body })).created as object[];
    },
  };

  for (const [how, create] of Object.entries(creations)) {
    it(`gives new records no time that is far ahead, nor do those after it: ${how}`, async () => {
      for (const app of [ahead, right, ahead, right]) {
        for (const record of await create(app)) {
          const { _createdAt: created } = record as { _createdAt: string };
          const late = Date.parse(created) - Date.now();
          assert.ok(late < 5_000, `${late} ms ahead`);
        }
      }
      const { found } = resultOf(await right.call('GET', '/v1/p/notes?perPage=1000&sort=_createdAt'));
      const times = (found as { _createdAt: string }[]).map(({ _createdAt }) => _createdAt);
      assert.deepEqual(times, times.toSorted());
    });
  }
});

describe('nodes whose clocks are wrong, each in its own way', () => {
  let database: TestDatabase;
  let nodes: PostgresApp[];
  const random = new Dice(seed);
  before(async () => {
    database = await freshDatabase();
    const clocks = [0, day, -day, Number.NaN].map(
      (ahead) => () => Date.now() + (Number.isNaN(ahead) ? random.below(2 * day) - day : ahead),
    );
    nodes = await Promise.all(clocks.map((now) => startPostgresApp({ url: database.url, pool: 2 }, { now })));
    const brand = { type: 'relation', to: 'brands' };
    const collections = [
      definition('brands', { name: { type: 'text' } }),
      definition('notes', { text: { type: 'text' }, brand }),
    ];
    await nodes[0]?.project('p', ...collections);
  });
  after(async () => {
    await Promise.all(nodes.map((node) => node.close()));
    await database.drop();
  });

  it('give no record a time far ahead, and every change of one a later time', async () => {
    console.log(`clocks: VITRINE_SEED=${seed}`);
    const call = async (verb: string, path: string, body?: JsonObject) => {
      const node = random.pick(nodes);
      assert.ok(node);
      return resultOf(
        await node.call(verb, path, { body }),
        verb === 'POST' && body?.create === undefined ? 201 : 200,
      );
    };
    const known = new Map<string, Row>();
    const brands: string[] = [];
    const inTime = (time: string) => {
      const late = Date.parse(time) - Date.now();
      assert.ok(late < 5_000, `${late} ms ahead`);
    };
    const keep = (row: Row) => {
      const before = known.get(row._id);
      if (before)
        assert.ok(row._updatedAt > before._updatedAt, `${before._updatedAt}, then ${row._updatedAt}`);
      known.set(row._id, row);
      inTime(row._updatedAt);
      inTime(row._createdAt);
    };
    const note = (): JsonObject => ({ text: 'x', brand: random.pick(brands) ?? null });
    const steps = [
      async () => void brands.push(String((await call('POST', '/v1/p/brands', { name: 'b' }))._id)),
      async () => keep((await call('POST', '/v1/p/notes', note())) as Row),
      async () => {
        const id = random.pick([...known.keys()]);
        if (id) keep((await call('PATCH', `/v1/p/notes/${id}`, note())) as Row);
      },
      async () => {
        const update = random.some([...known.keys()], 3).map((_id) => ({ _id, ...note() }));
        const done = await call('POST', '/v1/p/notes/batch', { create: [note(), note()], update });
        for (const row of [...(done.created as Row[]), ...(done.updated as Row[])]) keep(row);
      },
      async () => {
        const [brand] = brands.splice(random.below(brands.length), 1);
        if (!brand) return;
        await call('DELETE', `/v1/p/brands/${brand}`);
        for (const row of [...known.values()].filter((each) => each.brand === brand)) {
          const cleared = (await call('GET', `/v1/p/notes/${row._id}`)) as Row;
          assert.equal(cleared.brand, null);
          keep(cleared);
        }
      },
    ];
    for (let turn = 0; turn < 150; turn++) await random.pick(steps)?.();
    const { found } = await call('GET', '/v1/p/notes?perPage=1000&sort=_createdAt');
    assert.deepEqual(found, [...known.values()], 'in the order in which they were created');
    const { changes } = await call('GET', '/v1/p/_changes?after=&perPage=1000');
    for (const { at } of changes as { at: string }[]) inTime(at);
  });
});
