import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { asSuperuser } from '../postgres-server.ts';
import { asAdmin, definition, resultOf } from '../support.ts';
import { type PostgresApp, startPostgresApp } from './app.ts';
import { countPending, rowsOf, until } from './nodes.ts';

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
  const create = () => app.call('POST', '/v1/p/notes', { body: { text: 'one more' } });
  const send = (body: object) => app.call('POST', '/v1/p/notes/batch', { body: body as never });
  const total = async (query: string) => resultOf(await app.call('GET', `/v1/p/notes?${query}`)).total;

  it('is brought up to date by nobody who waits for it', async () => {
    resultOf(await create(), 201);
    assert.equal(await isUpToDate(), false);
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
    resultOf(await create(), 201);
    await untilUpToDate();
    assert.equal(await total('search=more'), 2);
  });

  it('is found again where its collection has got other tables', async () => {
    const body = definition('notes', { ...fields, more: { type: 'number', index: true } });
    resultOf(await app.call('PUT', '/v1/_admin/projects/p/collections/notes', { ...asAdmin, body }));
    resultOf(await create(), 201);
    resultOf(await send({ create: large }));
    await untilUpToDate();
    assert.equal(await total('search=word7x'), 2);
    assert.deepEqual(app.errors, []);
  });
});
