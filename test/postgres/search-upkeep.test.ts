import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { asSuperuser, freshDatabase, startPostgres } from '../postgres-server.ts';
import { asAdmin, definition, resultOf } from '../support.ts';
import { type PostgresApp, startPostgresApp } from './app.ts';
import { countPending, rowsOf, schemaOf, until, whileHeld } from './nodes.ts';
import { startSilentProxy } from './silent-proxy.ts';

const fields = { text: { type: 'text' } };
/** More than is worked in at a time. */
const large = Array.from({ length: 40 }, (_, n) => ({
  text: Array.from({ length: 1_400 }, (_, at) => `word${n}x${at * 7919}`)
    .join(' ')
    .slice(0, 8_000),
}));

describe('the index for search', () => {
  let app: PostgresApp;
  before(async () => {
    app = await startPostgresApp();
    await app.project('p', definition('notes', fields));
    await asSuperuser(app.url, 'CREATE EXTENSION pageinspect');
  });
  after(() => app.close());

  /** No text waits in a table, and none in the list of the index itself. */
  const isUpToDate = async () => {
    const [[listed] = []] = await rowsOf(
      app.url,
      `SELECT sum(n_pending_pages) FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid,
        gin_metapage_info(get_raw_page(indexrelid::regclass::text, 0))
      WHERE relam = (SELECT oid FROM pg_am WHERE amname = 'gin')`,
    );
    return Number(listed) === 0 && (await countPending(app.url)) === 0;
  };
  const untilUpToDate = () => until('all is in the index', isUpToDate, 30_000);
  let made = 0;
  const create = async () => {
    made += 1;
    resultOf(await app.call('POST', '/v1/p/notes', { body: { text: 'one more' } }), 201);
  };
  /** Whether a text is in the index as soon as it is written; undefined where this machine stood still until others have done it. */
  const isIndexedAtOnce = async () => {
    const start = performance.now();
    await create();
    const isIndexed = await isUpToDate();
    return isIndexed && performance.now() - start > 900 ? undefined : isIndexed;
  };
  const send = (body: object) => app.call('POST', '/v1/p/notes/batch', { body: body as never });
  const total = async (query: string) => resultOf(await app.call('GET', `/v1/p/notes?${query}`)).total;

  it('is brought up to date by nobody who waits for it', async () => {
    let isIndexed = await isIndexedAtOnce();
    for (let tries = 0; tries < 10 && isIndexed === undefined; tries++) isIndexed = await isIndexedAtOnce();
    assert.equal(isIndexed, false);
    const { created } = resultOf(await send({ create: large })) as { created: { _id: string }[] };
    await untilUpToDate();
    assert.equal(await total('search=word7x'), 1);
    const update = created.map(({ _id }, n) => ({ _id, text: `changed ${large[n]?.text}` }));
    resultOf(await send({ update }));
    await untilUpToDate();
    assert.equal(await total('search=changed'), large.length);
    assert.deepEqual(app.errors, []);
  });

  it('is so too where little comes, some time later', async () => {
    await create();
    await untilUpToDate();
    assert.equal(await total('search=more'), made);
  });

  it('is found again where its collection has got other tables', async () => {
    const body = definition('notes', { ...fields, more: { type: 'number', index: true } });
    resultOf(await app.call('PUT', '/v1/_admin/projects/p/collections/notes', { ...asAdmin, body }));
    await create();
    resultOf(await send({ create: large }));
    await untilUpToDate();
    assert.equal(await total('search=word7x'), 2);
    assert.deepEqual(app.errors, []);
  });
});

describe('the upkeep of the index for search', () => {
  const many = Array.from({ length: 500 }, (_, n) => ({ text: `word ${n}` }));

  async function startFilled(database: Parameters<typeof startPostgresApp>[0]): Promise<PostgresApp> {
    const app = await startPostgresApp(database);
    await app.project('p', definition('notes', fields));
    for (let batch = 0; batch < 6; batch++)
      resultOf(await app.call('POST', '/v1/p/notes/batch', { body: { create: many } }));
    return app;
  }

  const search = (app: PostgresApp) => app.call('GET', '/v1/p/notes?search=word');

  async function endsSoon(app: PostgresApp): Promise<void> {
    const start = performance.now();
    await app.close();
    assert.ok(performance.now() - start < 5_000);
  }

  it('waits for no standby', async () => {
    const server = await startPostgres();
    try {
      const { url } = await freshDatabase(server.url);
      const app = await startFilled({ url, pool: 4 });
      await asSuperuser(server.url, "ALTER SYSTEM SET synchronous_standby_names = 'gone'");
      await asSuperuser(server.url, 'SELECT pg_reload_conf()');
      await until('all is in the index', async () => (await countPending(url)) === 0, 30_000);
      assert.equal(resultOf(await search(app)).total, 3_000);
      await endsSoon(app);
    } finally {
      await server.remove();
    }
  });

  it('is given up with its project where PostgreSQL does not answer', async () => {
    const { url } = await freshDatabase();
    const proxy = await startSilentProxy(url, 'fitting AS');
    const app = await startFilled({ url: proxy.url, pool: 4 });
    await until('a move is not answered', () => proxy.silenced > 0, 30_000);
    await endsSoon(app);
    await proxy.close();
  });

  it('has what was moved taken away where vacuum does not come by itself, once no read needs it', async () => {
    const { url } = await freshDatabase();
    const app = await startFilled({ url, pool: 4 });
    await until('all is in the index', async () => (await countPending(url)) === 0, 30_000);
    const table = `${await schemaOf(url)}.p1`;
    for (const statement of [
      `ALTER TABLE ${table} SET (autovacuum_enabled = false)`,
      `INSERT INTO ${table} SELECT n, repeat(md5(n::text), 55) FROM generate_series(1000001, 1065000) AS n`,
    ])
      await rowsOf(url, statement);
    const one = async (query: string) => Number((await rowsOf(url, query))[0]?.[0]);
    const size = () => one(`SELECT pg_table_size('${table}')`);
    const vacuums = () =>
      one(`SELECT vacuum_count FROM pg_stat_all_tables WHERE relid = '${table}'::regclass`);
    await whileHeld(url, 'SET TRANSACTION ISOLATION LEVEL REPEATABLE READ; SELECT 1', async () => {
      await rowsOf(url, `DELETE FROM ${table} WHERE seq > 1000000`);
      resultOf(await app.call('POST', '/v1/p/notes', { body: { text: 'one more' } }), 201);
      await until('vacuum has come', async () => (await vacuums()) > 0, 60_000);
      assert.ok((await size()) > 100_000_000);
    });
    await until('it is small again', async () => (await size()) < 10_000_000, 60_000);
    assert.equal(resultOf(await search(app)).total, 3_000);
    await app.close();
  });
});
