import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Pool } from '../../src/store/engines/postgres/connection/pool.ts';
import { RequestDeadline } from '../../src/store/engines/postgres/connection/request-deadline.ts';
import { Signals } from '../../src/store/engines/postgres/connection/signals.ts';
import { ProjectDatabase } from '../../src/store/engines/postgres/project-database.ts';
import { makePeople, type People } from '../auth/people.ts';
import { Dice } from '../durability/dice.ts';
import { freshDatabase } from '../postgres-server.ts';
import { seed } from '../seed.ts';
import { definition, pause, resultOf } from '../support.ts';
import { type PostgresApp, startPostgresApp } from './app.ts';
import { countPending, rowsOf, schemaOf, textsLock, until, whileHeld } from './nodes.ts';

/** Characters that are worked in at once, whenever a node is told of so many. */
const enough = 8_000_000;

/** A node beside that does nothing but work texts into the index. */
async function startUpkeep(url: string, project: string) {
  const pool = new Pool({
    ...{ url, size: 3, statementTimeout: 8_000, lockTimeout: 3_000, connectTimeout: 5_000 },
    ...{ acquireTimeout: 5_000, queryTimeout: 8_000, deadline: new RequestDeadline(9_000) },
    log: { info() {} },
  });
  const signals = new Signals(pool);
  const schema = await schemaOf(url, project);
  const seq = Number(schema.slice('vitrine_p'.length));
  const { searchUpkeep } = new ProjectDatabase(pool, signals, seq, 'public');
  searchUpkeep.watch();
  const keys = await rowsOf(url, `SELECT key FROM ${schema}.collections`);
  return {
    begin() {
      for (const [key] of keys) searchUpkeep.notePending(Number(key), enough);
    },
    async close() {
      await searchUpkeep.stop();
      signals.close();
      await pool.close();
    },
  };
}

describe('texts that wait to be indexed for search', () => {
  let app: PostgresApp;
  let people: People;
  let token: string;
  before(async () => {
    app = await startPostgresApp({ pool: 8 });
    people = await makePeople(app);
    const ann = await people.register('ann');
    token = ann.accessToken;
  });
  after(() => app.close());

  const levels = ['public', 'user'] as const;
  const phrase = (text: string) => encodeURIComponent(`"${text}"`);
  const find = async (level: string, text: string) => {
    const reply = await people.records('GET', `${level}?search=${phrase(text)}`, undefined, { token });
    return (resultOf(reply).found as { text: string }[]).map((record) => record.text);
  };

  it('are found at once, and by what they are now, wherever they are', async () => {
    for (const level of levels) {
      const made = await people.records('POST', level, { text: `${level} waits here` }, { token });
      const { _id } = resultOf(made, 201);
      assert.deepEqual(await find(level, `${level} waits`), [`${level} waits here`]);
      resultOf(await people.records('PATCH', `${level}/${_id}`, { text: `${level} was changed` }, { token }));
      assert.deepEqual(await find(level, `${level} waits`), []);
      assert.deepEqual(await find(level, `${level} was`), [`${level} was changed`]);
      resultOf(await people.records('DELETE', `${level}/${_id}`, undefined, { token }));
      assert.deepEqual(await find(level, `${level} was`), []);
    }
  });

  it(`are one text, old or new, while they are worked in (VITRINE_SEED=${seed})`, async () => {
    const upkeep = await startUpkeep(app.url, people.project);
    let going = true;
    const working = (async () => {
      for (; going; await pause(2)) upkeep.begin();
    })();
    const clients = Array.from({ length: 8 }, async (_, client) => {
      const dice = new Dice(seed + client);
      const level = levels[client % 2] ?? 'public';
      const own = new Map<string, string>();
      for (let step = 0; step < 60; step++) {
        const text = `client ${client} step ${step} of it`;
        const [id, before] = [...own][dice.below(Math.max(1, own.size))] ?? [];
        if (id === undefined || before === undefined || dice.below(3) === 0) {
          const made = resultOf(await people.records('POST', level, { text }, { token }), 201);
          own.set(String(made._id), text);
          assert.deepEqual(await find(level, text), [text]);
        } else if (dice.below(3) > 0) {
          if (dice.below(2) === 0) await pause(dice.below(8));
          resultOf(await people.records('PATCH', `${level}/${id}`, { text }, { token }));
          own.set(id, text);
          assert.deepEqual(await find(level, before), [], 'what it was');
          assert.deepEqual(await find(level, text), [text]);
        } else {
          resultOf(await people.records('DELETE', `${level}/${id}`, undefined, { token }));
          own.delete(id);
          assert.deepEqual(await find(level, before), [], 'what was deleted');
        }
      }
      return { level, texts: [...own.values()] };
    });
    try {
      for (const { level, texts } of await Promise.all(clients))
        for (const text of texts) assert.deepEqual(await find(level, text), [text]);
    } finally {
      going = false;
      await working;
      await upkeep.close();
    }
    assert.deepEqual(app.errors, []);
  });

  it('are those of whoever changes them just now, who is not waited for', async () => {
    const text = 'held by somebody';
    const create = async (one: string) =>
      resultOf(await people.records('POST', 'public', { text: one }, { token }), 201)._id;
    const upkeep = await startUpkeep(app.url, people.project);
    const left = () => {
      upkeep.begin();
      return countPending(app.url, people.project);
    };
    try {
      await until('none waits that was written before', async () => (await left()) === 0, 30_000);
      const schema = await schemaOf(app.url, people.project);
      const ofPublic = `SELECT key FROM ${schema}.collections WHERE id = 'public'`;
      const [[key]] = (await rowsOf(app.url, ofPublic)) as [[unknown]];
      const lock = textsLock(schema, key);
      // It is not worked in before it is held, however long that takes.
      const id = await whileHeld(app.url, `SELECT pg_advisory_lock(${lock})`, async (also) => {
        const made = await create(text);
        await also(`SELECT seq FROM ${schema}.p${key} FOR UPDATE; SELECT pg_advisory_unlock(${lock})`);
        await create('another one');
        await until('only what is held waits', async () => (await left()) === 1, 10_000);
        assert.deepEqual(await find('public', text), [text]);
        return made;
      });
      await until('none waits', async () => (await left()) === 0, 10_000);
      assert.deepEqual(await find('public', text), [text]);
      resultOf(await people.records('DELETE', `public/${id}`, undefined, { token }));
      assert.deepEqual(await find('public', text), []);
    } finally {
      await upkeep.close();
    }
  });

  it('are worked in by another node where theirs has ended', async () => {
    const database = await freshDatabase();
    try {
      const ended = await startPostgresApp(database);
      await ended.project('p', definition('notes', { text: { type: 'text' } }));
      const lock = textsLock(await schemaOf(database.url), 1);
      // So that it does not do it before its end, however late that is.
      await whileHeld(database.url, `SELECT pg_advisory_xact_lock(${lock})`, async () => {
        resultOf(await ended.call('POST', '/v1/p/notes', { body: { text: 'left behind' } }), 201);
        await ended.close();
      });
      assert.equal(await countPending(database.url), 1);
      const next = await startPostgresApp(database);
      try {
        assert.equal(resultOf(await next.call('GET', '/v1/p/notes?search=behind')).total, 1);
        await until('none waits', async () => (await countPending(database.url)) === 0, 30_000);
        assert.equal(resultOf(await next.call('GET', '/v1/p/notes?search=left')).total, 1);
      } finally {
        await next.close();
      }
    } finally {
      await database.drop();
    }
  });
});
