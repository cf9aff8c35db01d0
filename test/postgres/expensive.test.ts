import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { assertRefused, definition, resultOf } from '../support.ts';
import { type PostgresApp, startPostgresApp } from './app.ts';
import { watchMachine } from './node-process.ts';
import { rowsOf, schemaOf, until, whileHeld } from './nodes.ts';

const queryTimeout = 800;

describe('a read whose cost grows with its collection', () => {
  let app: PostgresApp;
  /** Over the same database, with a timeout that nothing here reaches. */
  let patient: PostgresApp;
  let big: string;
  before(async () => {
    app = await startPostgresApp({ pool: 3, queryTimeout });
    patient = await startPostgresApp({
      url: app.url,
      pool: 3,
      queryTimeout: 60_000,
      statementTimeout: 60_000,
    });
    const fields = { name: { type: 'text', index: true }, colour: { type: 'text' } };
    await app.project('p', definition('big', fields), definition('small', fields));
    for (let batch = 0; batch < 3; batch++) {
      const create = Array.from({ length: 800 }, (_, at) => ({ name: `n${batch} ${at}`, colour: 'red' }));
      resultOf(await app.call('POST', '/v1/p/big/batch', { body: { create } }));
    }
    resultOf(await app.call('POST', '/v1/p/small', { body: { name: 'x' } }), 201);
    resultOf(await patient.call('GET', '/v1/p/big?colour=red'));
    big = `${await schemaOf(app.url)}.r1`;
  });
  after(async () => {
    await patient.close();
    await app.close();
  });

  /** Whoever reads the big table waits, as if that took long. */
  const slowly = <T>(work: () => Promise<T>) =>
    whileHeld(app.url, `LOCK TABLE ${big} IN ACCESS EXCLUSIVE MODE`, work);
  /** Those that read it. */
  const active = async () => {
    const running = `SELECT count(*)::int FROM pg_stat_activity
      WHERE application_name = 'vitrine' AND datname = current_database() AND state = 'active' AND query LIKE '%${big}%'`;
    return Number((await rowsOf(app.url, running))[0]?.[0]);
  };

  const reads = {
    'colour=red': /give 'colour' an index/,
    'sort=colour': /give 'colour' an index/,
    'search=red': /search for longer words/,
    'after=&colour=red': /give 'colour' an index/,
  };
  for (const [query, advice] of Object.entries(reads)) {
    it(`is ended by its timeout with a 504 that says what to do: ${query}`, async () => {
      // The table stays locked until it is answered: nothing else ends it.
      const reply = await slowly(async () => {
        const refused = await app.call('GET', `/v1/p/big?${query}`);
        assert.equal(await active(), 0);
        return refused;
      });
      assertRefused(reply, 504, advice);
    });
  }

  it('also where distinct values are asked for', async () => {
    const reply = await slowly(() => app.call('GET', '/v1/p/big/distinct?fields=colour'));
    assertRefused(reply, 504, /give 'colour' an index/);
  });

  it('leaves connections to the others, however many there are of it', async () => {
    const { all } = await slowly(async () => {
      let ended = 0;
      const all = Array.from({ length: 4 }, async () => {
        const reply = await patient.call('GET', '/v1/p/big?colour=red');
        ended += 1;
        return reply;
      });
      await until('some of them have begun', async () => (await active()) > 0, 20_000);
      for (let turn = 0; turn < 20; turn++) resultOf(await patient.call('GET', '/v1/p/small?name=x'));
      resultOf(await patient.call('POST', '/v1/p/small', { body: { name: 'y' } }), 201);
      assert.equal(ended, 0, 'before any of those ends');
      return { all };
    });
    for (const reply of await Promise.all(all)) assert.equal(resultOf(reply).total, 2_400);
  });

  it('ends on the server when its client goes away, long before its timeout', async () => {
    await slowly(async () => {
      const client = new AbortController();
      // A page that nobody asked for before: what is remembered takes no time.
      const request = new Request('http://localhost/v1/p/big?colour=red&perPage=7', {
        signal: client.signal,
      });
      const answer = patient.fetch(request).catch(() => undefined);
      await until('it has begun', async () => (await active()) === 1, 20_000);
      client.abort();
      await until('it has ended', async () => (await active()) === 0, 20_000);
      await answer;
    });
    assert.equal(resultOf(await patient.call('GET', '/v1/p/big?colour=red')).total, 2_400);
  });

  /** Where this machine stood still for all of its time, it has rightly not ended in time. */
  const inTime = async (path: string) => {
    for (let tries = 0; ; tries++) {
      const stoodStill = watchMachine();
      const reply = await app.call('GET', path);
      const isExcused = stoodStill() > 0;
      if (reply.status !== 504 || !isExcused || tries === 10) return resultOf(reply);
    }
  };

  it('is as good as any other where it ends in time', async () => {
    assert.equal((await inTime('/v1/p/big?colour=red&perPage=1')).total, 2_400);
    assert.deepEqual(await inTime('/v1/p/big/distinct?fields=colour'), { colour: ['red'] });
    assert.deepEqual(app.errors, []);
  });
});
