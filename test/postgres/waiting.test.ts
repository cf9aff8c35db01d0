import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import type { JsonObject } from '../../src/model/json.ts';
import { bestOf } from '../best-of.ts';
import { asSuperuser, freshDatabase, type PostgresServer, startPostgres } from '../postgres-server.ts';
import { patientTimes } from '../storage.ts';
import { asAdmin, definition, pause, resultOf } from '../support.ts';
import { startPostgresApp } from './app.ts';
import { marks } from './load.ts';
import { NodeProcess } from './node-process.ts';
import {
  leftovers,
  made,
  refusedForNow,
  rowsOf,
  schemaOf,
  untilChanging,
  untilTidy,
  well,
  whileHeld,
} from './nodes.ts';

let server: PostgresServer;
let database: string;
before(async () => {
  server = await startPostgres({ durable: true });
});
after(() => server.remove());
beforeEach(async () => {
  database = (await freshDatabase(server.url)).url;
});

const others = definition('others', { name: { type: 'text' } });

/** A node with a project `p`: `marks` with a record, in the table r1, and `others` with one. */
async function start(...flags: readonly string[]) {
  // By another, which has more time for it than some of these nodes.
  const maker = await startPostgresApp({ url: database, ...patientTimes });
  await maker.project('p', marks, others);
  const make = async (path: string, body: JsonObject) =>
    resultOf(await maker.call('POST', path, { ...asAdmin, body }), 201);
  const { key } = await make('/v1/_admin/projects/p/keys', { name: 'k' });
  const { _id: id } = await make('/v1/p/marks', { mark: 'first' });
  await make('/v1/p/others', { name: 'other' });
  await maker.close();
  const node = await NodeProcess.start(database, ...flags);
  const tokens = ['', String(key)] as const;
  let count = 0;
  /** Every other request has the key, so that it asks PostgreSQL twice. */
  const send = (verb: string, path: string, body?: object) => {
    count += 1;
    return node.send(verb, path, { token: tokens[count % 2], ...(body && { body: body as never }) });
  };
  const table = `${await schemaOf(database)}.r1`;
  return {
    node,
    table,
    id: String(id),
    change: (mark: string) => send('PATCH', `/v1/p/marks/${id}`, { mark }),
    create: (mark: string) => send('POST', '/v1/p/marks', { mark }),
    read: () => send('GET', '/v1/p/marks'),
    readOthers: () => send('GET', '/v1/p/others'),
    async end() {
      assert.deepEqual(node.errors, []);
      assert.equal(await node.kill('SIGTERM'), 0);
    },
  };
}

describe('a node all of whose connections wait', () => {
  it('refuses in time whoever waits for one of them, and all is well at once afterwards', async () => {
    const { id, change, create, readOthers, node, end, table } = await start('--pool', '2');
    await whileHeld(database, `SELECT 1 FROM ${table} WHERE id = '${id}' FOR UPDATE`, async () => {
      const changes = ['a', 'b', 'c'].map(change);
      await pause(200);
      const all = [...changes, create('x'), create('y'), readOthers(), readOthers()];
      await pause(1_000);
      all.push(change('e'), create('z'), readOthers(), node.send('GET', '/readyz'));
      for (const answer of await Promise.all(all)) if (answer.status >= 300) refusedForNow(answer);
      for (const answer of await Promise.all(changes)) refusedForNow(answer);
    });
    const took = await bestOf(async () => {
      const answer = await readOthers();
      assert.equal(well(answer).total, 1);
      return answer.took;
    }, 1_000);
    assert.ok(took < 1_000, `${took} ms`);
    well(await change('changed'));
    await end();
  });

  it('refuses new records in time, also those behind the first, and does nothing about them later', async () => {
    const { create, readOthers, read, end, table } = await start('--pool', '2');
    await whileHeld(database, `LOCK TABLE ${table} IN EXCLUSIVE MODE`, async () => {
      const answers = [];
      for (let turn = 0; turn < 20; turn++) {
        answers.push(create(`w${turn}`));
        await pause(100);
      }
      assert.equal(well(await readOthers()).total, 1);
      for (const answer of await Promise.all(answers)) refusedForNow(answer);
    });
    well(await create('free'));
    assert.equal(well(await read()).total, 2);
    await end();
  });
});

describe('many writes at once', () => {
  it('wait in turn, however many there are before them, and none is refused', async () => {
    // Twelve seconds for a line that stands, which the last in turn waits for longer, and 27 in all: a slow disk is not to be
    // the reason for a refusal.
    const app = await startPostgresApp({ url: database, pool: 2, requestTimeout: 27_000 });
    await app.project('p', marks);
    const create = Array.from({ length: 22 }, (_, at) => ({ mark: `m${at}` }));
    const { created } = resultOf(await app.call('POST', '/v1/p/marks/batch', { body: { create } }));
    await asSuperuser(
      database,
      `CREATE FUNCTION slowly() RETURNS trigger AS 'BEGIN PERFORM pg_sleep(0.6); RETURN OLD; END' LANGUAGE plpgsql;
       CREATE TRIGGER slowly BEFORE DELETE ON ${await schemaOf(database)}.r1 FOR EACH ROW EXECUTE FUNCTION slowly()`,
    );
    const start = performance.now();
    const ids = (created as { _id: string }[]).map(({ _id }) => _id);
    const answers = await Promise.all(ids.map((id) => app.call('DELETE', `/v1/p/marks/${id}`)));
    for (const answer of answers) resultOf(answer);
    assert.ok(performance.now() - start > 12_000, 'nobody has waited for as long as this is about');
    await app.close();
  });
});

describe('a statement that takes too long', () => {
  it('is a 503 with Retry-After, and its connection is as good as before', async () => {
    const { read, readOthers, create, end, table } = await start(
      '--pool',
      '1',
      '--statement-timeout',
      '1500',
    );
    const backends = () =>
      rowsOf(
        database,
        `SELECT pid FROM pg_stat_activity WHERE application_name = 'vitrine' AND datname = current_database()`,
      );
    well(await read());
    const before = await backends();
    await whileHeld(database, `LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`, async () => {
      for (const ask of [read, () => create('x'), read]) {
        const took = await bestOf(async () => {
          const answer = await ask();
          refusedForNow(answer);
          assert.ok(answer.took > 1_400, `${answer.took} ms`);
          return answer.took;
        }, 2_500);
        assert.ok(took < 2_500, `${took} ms`);
      }
      well(await readOthers());
    });
    assert.equal(well(await read()).total, 1);
    well(await create('y'));
    assert.deepEqual(await backends(), before);
    await end();
  });
});

describe("a change of a schema that can't have its table", () => {
  const path = '/v1/_admin/projects/p/collections/marks';
  const body = { ...marks, fields: { ...(marks.fields as object), more: { type: 'number', default: 1 } } };

  it('is a 503, nothing of it is left, and later it is done', async () => {
    const { node, create, end, table } = await start();
    const change = () => node.send('PUT', path, { body });
    // As a transaction of somebody else's does that has written to it.
    await whileHeld(database, `LOCK TABLE ${table} IN ROW EXCLUSIVE MODE`, async () => {
      refusedForNow(await change());
      well(await create('meanwhile'));
    });
    assert.deepEqual(await leftovers(database), []);
    assert.equal('more' in well(await create('under the old')), false);
    well(await change());
    assert.equal(well(await create('under the new')).more, 1);
    assert.equal(well(await node.send('GET', '/v1/p/marks?more=1')).total, 4);
    await end();
  });

  it('is done while others read it: nothing of it waits for them', async () => {
    const { node, create, read, end, table } = await start();
    await whileHeld(database, `LOCK TABLE ${table} IN ACCESS SHARE MODE`, async () => {
      well(await node.send('PUT', `${path}?dryRun=true`, { body }));
      well(await create('under the old'));
      well(await node.send('PUT', path, { body }));
      well(await read());
      assert.equal(well(await create('under the new')).more, 1);
    });
    await untilTidy(database);
    await end();
  });

  it('keeps nobody waiting who writes, where it has to wait for those who search', async () => {
    const { node, create, end } = await start();
    const texts = `${await schemaOf(database)}.s1`;
    await whileHeld(database, `LOCK TABLE ${texts} IN ACCESS SHARE MODE`, async () => {
      let changing = true;
      const change = node.send('PUT', path, { body }).finally(() => {
        changing = false;
      });
      while (changing) well(await create('meanwhile'));
      refusedForNow(await change);
    });
    well(await node.send('PUT', path, { body }));
    assert.equal(well(await create('under the new')).more, 1);
    await end();
  });

  it('nor tidy up after itself leaves that to the node, which does once it can', async () => {
    const { node, create, end, table } = await start();
    const texts = `${await schemaOf(database)}.s1`;
    for (let batch = 0; batch < 3; batch++) {
      const marked = Array.from({ length: 700 }, (_, at) => ({ mark: `${batch} ${at}` }));
      await made(node, '/v1/p/marks/batch', { create: marked });
    }
    // Those who search keep it from its end until it can't have the table either.
    await whileHeld(database, `LOCK TABLE ${texts} IN ACCESS SHARE MODE`, async () => {
      const changing = node.send('PUT', path, { body });
      await untilChanging(database);
      await whileHeld(database, `LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`, async () => {
        refusedForNow(await changing);
        assert.notDeepEqual(await leftovers(database), []);
      });
    });
    assert.equal('more' in well(await create('under the old')), false);
    await untilTidy(database);
    assert.equal(well(await node.send('PUT', path, { body })).id, 'marks');
    await end();
  });
});
