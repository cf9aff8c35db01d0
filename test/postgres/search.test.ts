import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { asSuperuser, freshDatabase } from '../postgres-server.ts';
import { resultOf } from '../support.ts';
import { type PostgresApp, startPostgresApp } from './app.ts';

const notes = { id: 'notes', fields: { text: { type: 'text' } }, api: { access: 'public' } } as const;
const texts = [
  'Fast red car',
  'fast 100% car_park',
  'ÄRGER mit Straße',
  '日本語のテキスト',
  'back\\slash',
  'xy',
  `${'much of it '.repeat(3_000)}Needle`, // as it is long
];

async function expectFound(app: PostgresApp): Promise<void> {
  await app.project('p', notes);
  for (const text of texts) resultOf(await app.call('POST', '/v1/p/notes', { body: { text } }), 201);
  const search = async (words: string) => {
    const { found } = resultOf(await app.call('GET', `/v1/p/notes?search=${encodeURIComponent(words)}`));
    return (found as { text: string }[]).map(({ text }) => texts.indexOf(text));
  };
  for (const [words, found] of [
    ['FAST', [0, 1]],
    ['car fast', [0, 1]],
    ['"red car"', [0]],
    ['"car red"', []],
    ['100%', [1]],
    ['%', [1]],
    ['_', [1]],
    ['r_p', [1]],
    ['ärger STRASSE', [2]],
    ['本語', [3]],
    ['日', [3]],
    ['\\', [4]],
    ['k\\s', [4]],
    ['x', [5]],
    ['needle', [6]],
    ['"it needle"', [6]],
    ['NEEDLE fast', []],
    ['nothing', []],
  ] as const) {
    assert.deepEqual(await search(words), found, words);
  }
}

/** How many indexes of pg_trgm there are. */
async function countIndexes(url: string, count: number): Promise<void> {
  await asSuperuser(
    url,
    `DO $$ BEGIN
      ASSERT (SELECT count(*) FROM pg_indexes WHERE indexdef LIKE '%gin_trgm_ops%') = ${count};
    END $$`,
  );
}

describe('search', () => {
  it('has an index where pg_trgm can be had, which it makes', async () => {
    const app = await startPostgresApp();
    try {
      await expectFound(app);
      await countIndexes(app.url, 1);
    } finally {
      await app.close();
    }
  });

  it('uses the extension where it is already, in whatever schema', async () => {
    const database = await freshDatabase();
    await asSuperuser(database.url, 'CREATE SCHEMA "its own"; CREATE EXTENSION pg_trgm SCHEMA "its own"');
    const app = await startPostgresApp({ url: database.url });
    try {
      await expectFound(app);
      await countIndexes(app.url, 1);
    } finally {
      await app.close();
      await database.drop();
    }
  });

  it("gives the same answers where it can't be had, and says so once", async () => {
    const database = await freshDatabase();
    await asSuperuser(
      database.url,
      `CREATE FUNCTION refuse() RETURNS event_trigger LANGUAGE plpgsql AS $$
        BEGIN RAISE EXCEPTION 'not here' USING ERRCODE = 'insufficient_privilege'; END $$;
      CREATE EVENT TRIGGER refuse ON ddl_command_start WHEN TAG IN ('CREATE EXTENSION') EXECUTE FUNCTION refuse()`,
    );
    const app = await startPostgresApp({ url: database.url });
    try {
      await expectFound(app);
      await countIndexes(app.url, 0);
      assert.equal(app.lines.filter((line) => line.includes('pg_trgm')).length, 1);
    } finally {
      await app.close();
      await database.drop();
    }
  });
});
