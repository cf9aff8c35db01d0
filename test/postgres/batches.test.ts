import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { patientTimes } from '../storage.ts';
import { asAdmin, assertRefused, definition, resultOf } from '../support.ts';
import { type PostgresApp, startPostgresApp } from './app.ts';
import { rowsOf, schemaOf, until, whileHeld } from './nodes.ts';

const fields = { text: { type: 'text' }, tags: { type: 'list', of: { type: 'text' } } };
const large = Array.from({ length: 40 }, (_, n) => ({ text: `${n} ${'long '.repeat(2_000)}`, tags: ['a'] }));

describe('a large batch of new records', () => {
  let app: PostgresApp;
  let schema: string;
  before(async () => {
    // So long may it wait for a lock that a machine which stands still is not the reason for a refusal.
    app = await startPostgresApp({ pool: 3, ...patientTimes });
    await app.project('p', definition('notes', fields));
    schema = await schemaOf(app.url);
  });
  after(() => app.close());

  const create = (text: string) => app.call('POST', '/v1/p/notes', { body: { text } });
  const total = async () => Number(resultOf(await app.call('GET', '/v1/p/notes?perPage=1')).total);
  /** Those of all pages, in the order in which they were created. */
  const texts = async () => {
    const found: string[] = [];
    for (let page = 1; ; page++) {
      const reply = await app.call('GET', `/v1/p/notes?sort=_createdAt&perPage=7&page=${page}`);
      const records = resultOf(reply).found as { text: string }[];
      if (records.length === 0) return found;
      found.push(...records.map(({ text }) => text.split(' ')[0] ?? ''));
    }
  };
  const numbers = large.map((_, n) => String(n));

  /** It waits in the middle, as nobody writes lists, as if that took long. */
  const slowly = async <T>(work: () => Promise<T>) => {
    const lists = `SELECT relname FROM pg_class WHERE relnamespace = '${schema}'::regnamespace
      AND relkind = 'r' AND relname::text ~ '^l[0-9]+_'`;
    const [[list] = []] = await rowsOf(app.url, lists);
    return whileHeld(app.url, `LOCK TABLE ${schema}.${list} IN SHARE MODE`, work);
  };
  const waiting = async () => {
    const sessions = `SELECT count(*)::int FROM pg_stat_activity
      WHERE application_name = 'vitrine' AND datname = current_database() AND wait_event_type = 'Lock'`;
    return Number((await rowsOf(app.url, sessions))[0]?.[0]);
  };
  const begun = () => until('it waits', async () => (await waiting()) === 1, 20_000);

  it('holds up nobody who creates others, and is counted once it is there', async () => {
    resultOf(await create('first'), 201);
    const { batch } = await slowly(async () => {
      const batch = app.call('POST', '/v1/p/notes/batch', { body: { create: large } });
      await begun();
      resultOf(await create('beside'), 201);
      assert.equal(await total(), 2);
      return { batch };
    });
    assert.equal((resultOf(await batch).created as object[]).length, large.length);
    assert.equal(await total(), 2 + large.length);
    assert.deepEqual(await texts(), ['first', ...numbers, 'beside']);
    const stats = resultOf(await app.call('GET', '/v1/_admin/projects/p/collections/notes/stats', asAdmin));
    assert.match(JSON.stringify(stats), new RegExp(`:${2 + large.length}[,}]`));
  });

  it('is undone where its client leaves, and the server has ended it by then', async () => {
    const before = await total();
    await slowly(async () => {
      const client = new AbortController();
      const request = new Request('http://localhost/v1/p/notes/batch', {
        ...{ method: 'POST', signal: client.signal, headers: { 'content-type': 'application/json' } },
        body: JSON.stringify({ create: large }),
      });
      const answer = app.fetch(request);
      await begun();
      client.abort();
      await until('it has ended', async () => (await waiting()) === 0, 90_000);
      // And not because it could not have the lock.
      assert.doesNotMatch(await (await answer).text(), /too busy/);
    });
    assert.equal(await total(), before);
    resultOf(await create('after'), 201);
    assert.deepEqual(await texts(), ['first', ...numbers, 'beside', 'after']);
  });

  it('stays counted when its collection gets other tables', async () => {
    const before = await texts();
    const body = definition('notes', { ...fields, more: { type: 'text', index: true } });
    resultOf(await app.call('PUT', '/v1/_admin/projects/p/collections/notes', { ...asAdmin, body }));
    assert.equal(await total(), before.length);
    assert.deepEqual(await texts(), before);
    const [one] = resultOf(await app.call('GET', '/v1/p/notes?text=after')).found as { _id: string }[];
    resultOf(await app.call('DELETE', `/v1/p/notes/${one?._id}`));
    assert.equal(await total(), before.length - 1);
    assert.deepEqual(app.errors, []);
  });

  it('is answered again under its key', async () => {
    const before = await total();
    const headers = { 'idempotency-key': 'once' };
    const send = () => app.call('POST', '/v1/p/notes/batch', { body: { create: large }, headers });
    const [first, again] = [await send(), await send()];
    assert.deepEqual(resultOf(again), resultOf(first));
    assert.equal(again.headers.get('idempotency-replayed'), 'true');
    assert.equal(await total(), before + large.length);
  });
});

describe('the time that a batch has', () => {
  let app: PostgresApp;
  before(async () => {
    app = await startPostgresApp({ requestTimeout: 6_000 });
    await app.project('p', definition('notes', { text: { type: 'text' } }));
  });
  after(() => app.close());

  /** Each statement that writes texts to be searched takes so many seconds. */
  const slowTexts = async (seconds: number) => {
    const schema = await schemaOf(app.url);
    const tables = await rowsOf(
      app.url,
      `SELECT relname FROM pg_class WHERE relnamespace = '${schema}'::regnamespace
        AND relkind = 'r' AND relname::text ~ '^[sp][0-9]+$'`,
    );
    await rowsOf(
      app.url,
      `CREATE OR REPLACE FUNCTION ${schema}.wait() RETURNS trigger LANGUAGE plpgsql
        AS 'BEGIN PERFORM pg_sleep(${seconds}); RETURN NULL; END'`,
    );
    for (const [texts] of tables) {
      await rowsOf(
        app.url,
        `CREATE OR REPLACE TRIGGER wait AFTER INSERT ON ${schema}.${texts} EXECUTE FUNCTION ${schema}.wait()`,
      );
    }
  };
  const send = (texts: readonly string[]) =>
    app.call('POST', '/v1/p/notes/batch', { body: { create: texts.map((text) => ({ text })) } });
  const total = async () => resultOf(await app.call('GET', '/v1/p/notes?perPage=1')).total;

  it('grows with its texts, and is that of any request where they are short', async () => {
    const long = Array.from({ length: 12 }, (_, n) => `${n} ${'long '.repeat(50_000)}`);
    await slowTexts(0.7); // 8.4 seconds in all
    assert.equal((resultOf(await send(long)).created as object[]).length, long.length);
    await slowTexts(7);
    assertRefused(await send(['short', 'shorter']), 503, 'out of reach');
    assert.equal(await total(), long.length);
  });
});
