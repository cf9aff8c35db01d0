import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import postgres from 'postgres';
import { lockPosition } from '../../src/store/engines/postgres/writes/locks.ts';
import { adminKey } from '../harness.ts';
import { asSuperuser } from '../postgres-server.ts';
import { pause, resultOf } from '../support.ts';
import { type PostgresApp, startPostgresApp } from './app.ts';
import { rowsOf, schemaOf } from './nodes.ts';

const notes = { id: 'notes', fields: { text: { type: 'text' } }, api: { access: 'user' } } as const;

/** Whoever writes to the log without a lock from a lower number on is refused. */
const guard = (schema: string) => `
  CREATE FUNCTION ${schema}.require_lock() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF EXISTS (
        SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid() AND granted
          AND classid::bigint = 4294967296 - ${schema.slice('vitrine_p'.length)} AND objid::bigint < NEW.pos
      ) THEN RETURN NEW; END IF;
      RAISE 'position % without a lock', NEW.pos;
    END $$;
  CREATE TRIGGER require_lock BEFORE INSERT ON ${schema}.changes
    FOR EACH ROW EXECUTE FUNCTION ${schema}.require_lock()`;

describe('a write and its place in the log', () => {
  let app: PostgresApp;
  let schema: string;
  const people: string[] = [];
  before(async () => {
    app = await startPostgresApp();
    await app.project('p', notes);
    for (const name of ['ann', 'ben']) {
      const body = { email: `${name}@example.com`, password: 'correct horse' };
      const made = await app.call('POST', '/v1/p/_auth/register', { body });
      people.push((resultOf(made, 201) as { user: { _id: string } }).user._id);
    }
    schema = await schemaOf(app.url);
    await asSuperuser(app.url, guard(schema));
  });
  after(() => app.close());

  const [ann, ben] = [() => people[0] ?? '', () => people[1] ?? ''];
  const call = (verb: string, path: string, body?: object) =>
    app.call(verb, `/v1/p/notes${path}`, { body: body as never, token: adminKey });
  const create = async () => String(resultOf(await call('POST', '', { text: 'a', _owner: ann() }), 201)._id);
  const logged = (columns: string, from = 0) =>
    rowsOf(app.url, `SELECT ${columns} FROM ${schema}.changes WHERE kind > 0 AND pos > ${from} ORDER BY pos`);

  it('are told by a lock before the position is drawn: one change, several, and those that hand over', async () => {
    const one = await create();
    const other = await create();
    resultOf(await call('PATCH', `/${one}`, { text: 'b' }));
    resultOf(await call('PATCH', `/${one}`, { _owner: ben() }));
    const update = [
      { _id: one, text: 'c' },
      { _id: other, text: 'c', _owner: ben() },
    ];
    resultOf(await call('POST', '/batch', { create: [{ text: '"d", \\' }, { text: 'NULL' }], update }));
    resultOf(await call('POST', '/batch', { delete: [one] }));
    resultOf(await call('DELETE', `/${other}`));
    const rows = await logged('kind::integer, id, owner, old_owner');
    const names = new Map([
      [one, 'one'],
      [other, 'other'],
      [ann(), 'ann'],
      [ben(), 'ben'],
    ]);
    assert.deepEqual(
      rows.map((row) =>
        row.map((cell) => names.get(String(cell)) ?? (typeof cell === 'string' ? 'new' : cell)),
      ),
      [
        [1, 'one', 'ann', null],
        [1, 'other', 'ann', null],
        [2, 'one', 'ann', null],
        [5, 'one', 'ben', 'ann'],
        [1, 'new', null, null],
        [1, 'new', null, null],
        [2, 'one', 'ben', null],
        [5, 'other', 'ben', 'ann'],
        [3, 'one', 'ben', null],
        [3, 'other', 'ben', null],
      ],
    );
    assert.deepEqual(app.errors, []);
  });

  it('wait for whoever writes before them: a page that says it is up to date has what was answered before', async () => {
    const { next } = resultOf(await call('GET', '/_changes?after=now'));
    const other = postgres(app.url, { max: 1, fetch_types: false });
    try {
      await other.unsafe(`BEGIN; SELECT ${lockPosition(schema)}`);
      const made = await create();
      const page = call('GET', `/_changes?after=${next}`);
      await Promise.race([page, pause(50)]);
      await other.unsafe('COMMIT');
      const { upToDate, changes } = resultOf(await page) as { upToDate: boolean; changes: { _id: string }[] };
      assert.ok(upToDate);
      assert.deepEqual(
        changes.map(({ _id }) => _id),
        [made],
      );
    } finally {
      await other.end();
    }
  });

  it('are one statement for all records that arrive together, in the order of their creation', async () => {
    const [last] = (await logged('pos')).at(-1) ?? [];
    const made = await Promise.all(Array.from({ length: 150 }, create));
    const rows = await logged('id, mark, xmin::text, at', Number(last));
    const distinct = (column: number) => new Set(rows.map((row) => row[column])).size;
    assert.deepEqual(rows.map(([id]) => id).sort(), made.sort());
    assert.equal(distinct(1), distinct(2), 'a statement gives one mark, and a transaction has one statement');
    assert.ok(distinct(2) < made.length / 2, `${distinct(2)} transactions`);
    const times = rows.map(([, , , at]) => Number(at));
    assert.deepEqual(
      times,
      [...times].sort((first, second) => first - second),
    );
  });
});
