import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { JsonObject } from '../../src/model/json.ts';
import { definition, type Row, resultOf } from '../support.ts';
import { type PostgresApp, startPostgresApp } from './app.ts';
import { rowsOf, schemaOf, until, whileHeld } from './nodes.ts';

describe('a record that is given to another while the one that it belonged to is deleted', () => {
  let app: PostgresApp;
  const tags = { type: 'relation', to: 'tags', kind: 'multiple', onDelete: 'cascade' };
  before(async () => {
    app = await startPostgresApp({ requestTimeout: 60_000 });
    const numbers = { type: 'list', of: { type: 'number' } };
    await app.project(
      'p',
      definition('tags', { name: { type: 'text' } }),
      definition('long', { tags, numbers }),
      definition('notes', { text: { type: 'text' }, tags }),
      definition('pins', { text: { type: 'text' }, tags: { ...tags, onDelete: 'restrict' } }),
    );
  });
  after(() => app.close());

  const create = async (collection: string, body: JsonObject) =>
    resultOf(await app.call('POST', `/v1/p/${collection}`, { body }), 201) as Row;
  const waiting = async (count: number) => {
    const sessions = `SELECT count(*)::int FROM pg_stat_activity
      WHERE application_name = 'vitrine' AND datname = current_database() AND wait_event_type = 'Lock'`;
    await until(`${count} wait`, async () => (await rowsOf(app.url, sessions))[0]?.[0] === count, 40_000);
  };

  const tables = { notes: 'r3', pins: 'r4' };
  /** Begins to delete `old` when the updates have been made, all but that of a last record, which they wait for; then all goes on. */
  const deleteMeanwhile = async (
    old: Row,
    updates: readonly JsonObject[],
    collection: keyof typeof tables = 'notes',
  ) => {
    const other = await create(collection, { text: 'other' });
    const table = `${await schemaOf(app.url)}.${tables[collection]}`;
    const held = `SELECT 1 FROM ${table} WHERE id = '${other._id}' FOR UPDATE`;
    const asked = await whileHeld(app.url, held, async () => {
      const body = { update: [...updates, { _id: other._id, text: 'x' }] };
      const batch = app.call('POST', `/v1/p/${collection}/batch`, { body });
      await waiting(1);
      const deletion = app.call('DELETE', `/v1/p/tags/${old._id}`);
      await waiting(2);
      return { batch, deletion };
    });
    resultOf(await asked.batch);
    resultOf(await asked.deletion);
  };

  const createLists = async (old: Row, count: number) => {
    const numbers = Array.from({ length: 9_000 }, (_, n) => 1e15 + n);
    for (let list = 0; list < count; list++) await create('long', { tags: [old._id], numbers });
  };

  /** How many long lists there are that the deletion takes too: so many that it is found to be large before the others are looked at. */
  for (const [what, lists] of [
    ['at once', 0],
    ['in slices', 4],
  ] as const) {
    it(`stays, also where it is deleted ${what}`, async () => {
      const [old, next] = [await create('tags', { name: 'old' }), await create('tags', { name: 'new' })];
      await createLists(old, lists);
      const moved = await create('notes', { text: 'moved', tags: [old._id] });
      const taken = await create('notes', { text: 'taken', tags: [old._id] });
      await deleteMeanwhile(old, [{ _id: moved._id, tags: [next._id] }]);
      const left = await app.call('GET', `/v1/p/notes/${moved._id}`);
      assert.deepEqual(resultOf(left).tags, [next._id]);
      assert.equal((await app.call('GET', `/v1/p/notes/${taken._id}`)).status, 404);
    });

    it(`forbids it no longer, also where it is deleted ${what}`, async () => {
      const [old, next] = [await create('tags', { name: 'old' }), await create('tags', { name: 'new' })];
      await createLists(old, lists);
      const moved = await create('pins', { text: 'moved', tags: [old._id] });
      await deleteMeanwhile(old, [{ _id: moved._id, tags: [next._id] }], 'pins');
      assert.equal((await app.call('GET', `/v1/p/tags/${old._id}`)).status, 404);
      assert.deepEqual(resultOf(await app.call('GET', `/v1/p/pins/${moved._id}`)).tags, [next._id]);
    });
  }

  it('leaves none behind of more than are deleted at once', async () => {
    const [old, next] = [await create('tags', { name: 'old' }), await create('tags', { name: 'new' })];
    const change = (body: JsonObject) => app.call('POST', '/v1/p/notes/batch', { body });
    const notes = (count: number) => Array.from({ length: count }, () => ({ tags: [old._id] }));
    const { created } = resultOf(await change({ create: notes(1_000) })) as { created: Row[] };
    resultOf(await change({ create: notes(5) }));
    await deleteMeanwhile(
      old,
      created.slice(0, 3).map(({ _id }) => ({ _id, tags: [next._id] })),
    );
    assert.equal(resultOf(await app.call('GET', `/v1/p/notes?tags=${old._id}`)).total, 0);
  });
});
