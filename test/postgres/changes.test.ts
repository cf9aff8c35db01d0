import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import postgres from 'postgres';
import { adminKey } from '../harness.ts';
import { asSuperuser, freshDatabase, type TestDatabase } from '../postgres-server.ts';
import { patientTimes } from '../storage.ts';
import { pause, resultOf } from '../support.ts';
import { type PostgresApp, startPostgresApp } from './app.ts';
import { watchMachine } from './node-process.ts';
import { schemaOf } from './nodes.ts';

const definition = (fields: object) => ({ id: 'things', fields, api: { access: 'public' } });
const first = { name: { type: 'text', index: true } };
const second = { ...first, size: { type: 'number', default: 1 } };

/** Whether something is true of the database. */
const holds = (url: string, condition: string) =>
  asSuperuser(url, `DO $$ BEGIN ASSERT ${condition}; END $$`).then(
    () => true,
    () => false,
  );

describe('changes of a schema over several nodes', () => {
  let database: TestDatabase;
  let here: PostgresApp;
  let there: PostgresApp;
  before(async () => {
    database = await freshDatabase();
    // Four changes wait for each other: a machine that stands still is not to be the reason for a refusal.
    const patient = { url: database.url, ...patientTimes };
    here = await startPostgresApp(patient);
    there = await startPostgresApp(patient);
    await here.project('p', definition(first) as never);
    const create = Array.from({ length: 300 }, (_, at) => ({ name: `n${at}` }));
    resultOf(await there.call('POST', '/v1/p/things/batch', { body: { create } }));
  });
  after(async () => {
    await Promise.all([here.close(), there.close()]);
    await database.drop();
  });

  const change = (app: PostgresApp, fields: object) =>
    app.call('PUT', '/v1/_admin/projects/p/collections/things?confirm=destructive', {
      body: definition(fields) as never,
      token: adminKey,
    });

  it('are seen by the other at its next request, reads and writes alike', async () => {
    for (let turn = 0; turn < 5; turn++) {
      resultOf(await change(here, second));
      const made = resultOf(
        await there.call('POST', '/v1/p/things', { body: { name: `x${turn}`, size: 5 } }),
        201,
      );
      assert.equal(made.size, 5);
      assert.equal(resultOf(await there.call('GET', '/v1/p/things?size=5')).total, 1);
      resultOf(await change(there, first));
      assert.equal((await here.call('GET', '/v1/p/things?size=5')).status, 400);
      assert.equal((await here.call('POST', '/v1/p/things', { body: { name: 'x', size: 5 } })).status, 400);
    }
  });

  /** Whoever has waited for others for nine seconds is told to try again, which happens where the machine stands still. */
  const changeInTurn = async (app: PostgresApp, fields: object) => {
    for (let tries = 1; ; tries++) {
      const start = performance.now();
      const stoodStill = watchMachine();
      const reply = await change(app, fields);
      const isExcused = stoodStill() > 1_000 && performance.now() - start >= 8_900;
      if (reply.status !== 503 || !isExcused || tries === 3) return reply;
    }
  };

  it('happen one after the other, from whichever node, and lose nothing that is written meanwhile', async () => {
    const before = Number(resultOf(await here.call('GET', '/v1/p/things')).total);
    const changes = Promise.all([
      changeInTurn(here, second),
      changeInTurn(there, first),
      changeInTurn(here, first),
      changeInTurn(there, second),
    ]);
    let made = 0;
    let done = false;
    void changes.finally(() => {
      done = true;
    });
    while (!done) {
      for (const app of [here, there]) {
        resultOf(await app.call('POST', '/v1/p/things', { body: { name: `w${made}` } }), 201);
        made += 1;
      }
    }
    for (const reply of await changes) resultOf(reply);
    for (const app of [here, there]) {
      const { total } = resultOf(await app.call('GET', '/v1/p/things'));
      assert.equal(total, before + made);
    }
    assert.deepEqual([...here.errors, ...there.errors], []);
  });

  it('wait for one that is under way, and are refused with a 503 where that takes long', async () => {
    const held = postgres(database.url, { max: 1, fetch_types: false });
    const hurried = await startPostgresApp({ url: database.url });
    // Of changes; the second half of its name is the number of the project.
    const lock = `${0x56697473}, ${(await schemaOf(database.url)).slice('vitrine_p'.length)}`;
    try {
      await held.unsafe(`SELECT pg_advisory_lock(${lock})`);
      const start = Date.now();
      const third = { ...first, late: { type: 'boolean' } };
      const refused = await change(hurried, third);
      assert.equal(refused.status, 503, refused.text);
      assert.ok(Number(refused.headers.get('retry-after')) > 0);
      assert.ok(Date.now() - start < 30_000); // it would wait for ever
      resultOf(await here.call('POST', '/v1/p/things', { body: { name: 'meanwhile' } }), 201);
      const waiting = change(there, third);
      await pause(300);
      await held.unsafe(`SELECT pg_advisory_unlock(${lock})`);
      resultOf(await waiting);
    } finally {
      await hurried.close();
      await held.end();
    }
  });

  it('of a node that died are tidied up by the next, whose own change is as good as any', async () => {
    resultOf(await change(here, first));
    const schema = await schemaOf(database.url);
    // What a process leaves that is killed in the middle of a change.
    const key = `(SELECT key FROM ${schema}.collections WHERE id = 'things')`;
    await asSuperuser(
      database.url,
      `DO $$ DECLARE k bigint := ${key}; BEGIN
        EXECUTE format('CREATE TABLE ${schema}.m%s (n bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, seq bigint NOT NULL)', k);
        EXECUTE format('CREATE FUNCTION ${schema}.m%s_note() RETURNS trigger LANGUAGE plpgsql AS ''BEGIN INSERT INTO ${schema}.m%s (seq) VALUES (NEW.seq); RETURN NULL; END''', k, k);
        EXECUTE format('CREATE TRIGGER m%s_note AFTER INSERT OR UPDATE ON ${schema}.r%s FOR EACH ROW EXECUTE FUNCTION ${schema}.m%s_note()', k, k, k);
        EXECUTE 'CREATE TABLE ${schema}.r4711 (seq bigint)';
        INSERT INTO ${schema}.garbage (key, ready) VALUES (4711, 0);
      END $$`,
    );
    resultOf(await there.call('POST', '/v1/p/things', { body: { name: 'noted' } }), 201);
    resultOf(await change(there, second));
    assert.equal(resultOf(await here.call('GET', '/v1/p/things?name=noted&size=1')).total, 1);
    const left = `(SELECT count(*) FROM pg_class WHERE relnamespace = '${schema}'::regnamespace AND relkind = 'r'
      AND relname::text ~ '^(m[0-9]+|r4711)$') = 0 AND (SELECT count(*) FROM ${schema}.garbage) = 0`;
    for (let turn = 0; turn < 600 && !(await holds(database.url, left)); turn++) await pause(100);
    assert.ok(await holds(database.url, left), 'the tables of the other are dropped, and the old ones');
    const tables = `(SELECT count(*) FROM pg_class WHERE relnamespace = '${schema}'::regnamespace AND relkind = 'r'
      AND relname::text ~ '^[rsp][0-9]+$') = 3`;
    assert.ok(await holds(database.url, tables), 'one table of records and two of texts are left');
  });

  it('follow a project that is deleted and made again, and leave nothing of the first', async () => {
    await here.project('q', { ...definition(first), id: 'others' } as never);
    resultOf(await there.call('POST', '/v1/q/others', { body: { name: 'old' } }), 201);
    const path = '/v1/_admin/projects/q?confirm=destructive';
    const schema = await schemaOf(database.url, 'q');
    resultOf(await here.call('DELETE', path, { token: adminKey }));
    assert.equal((await there.call('GET', '/v1/q/others')).status, 404);
    await here.project('q', { ...definition(first), id: 'others' } as never);
    assert.equal(resultOf(await there.call('GET', '/v1/q/others')).total, 0);
    assert.ok(await holds(database.url, `to_regnamespace('${schema}') IS NULL`));
    assert.deepEqual([...here.errors, ...there.errors], []);
  });
});

describe('a single relation', () => {
  it('is a foreign key, which follows when either side gets new tables', async () => {
    const app = await startPostgresApp();
    const relation = { owner: { type: 'relation', to: 'people', kind: 'single', onDelete: 'clear' } };
    const people = (fields: object) => ({
      id: 'people',
      fields: { ...first, ...fields },
      api: { access: 'public' },
    });
    const things = (fields: object) => definition({ ...first, ...relation, ...fields });
    const keys = async (count: number) =>
      holds(
        app.url,
        `(SELECT count(*) FROM pg_constraint WHERE contype = 'f' AND connamespace = '${await schemaOf(app.url)}'::regnamespace) = ${count}`,
      );
    try {
      await app.project(
        'p',
        people({ boss: { type: 'relation', to: 'people', kind: 'single' } }) as never,
        things({}) as never,
      );
      assert.ok(await keys(2));
      const put = (id: string, body: object) =>
        app.call('PUT', `/v1/_admin/projects/p/collections/${id}`, { body: body as never, token: adminKey });
      const boss = { boss: { type: 'relation', to: 'people', kind: 'single' } };
      for (const [id, body] of [
        ['people', people({ ...boss, age: { type: 'number' } })],
        ['things', things({ more: { type: 'text' } })],
      ] as const) {
        const { _id: ann } = resultOf(await app.call('POST', '/v1/p/people', { body: { name: 'Ann' } }), 201);
        const { _id: ben } = resultOf(
          await app.call('POST', '/v1/p/people', { body: { name: 'Ben', boss: ann as string } }),
          201,
        );
        resultOf(
          await app.call('POST', '/v1/p/things', { body: { name: 'thing', owner: ann as string } }),
          201,
        );
        resultOf(await put(id, body));
        assert.ok(await keys(2));
        resultOf(
          await app.call('POST', '/v1/p/things', { body: { name: 'new', owner: ben as string } }),
          201,
        );
        resultOf(await app.call('DELETE', `/v1/p/people/${ann}`));
        resultOf(await app.call('DELETE', `/v1/p/people/${ben}`));
      }
      assert.deepEqual(app.errors, []);
    } finally {
      await app.close();
    }
  });
});
