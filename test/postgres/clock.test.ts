import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { freshDatabase, type TestDatabase } from '../postgres-server.ts';
import { definition, resultOf } from '../support.ts';
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
