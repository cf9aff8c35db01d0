import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { asSuperuser, freshDatabase, type PostgresServer, startPostgres } from '../postgres-server.ts';
import { definition, pause } from '../support.ts';
import { NodeProcess } from './node-process.ts';
import { made, rowsOf, until, well } from './nodes.ts';

/** Milliseconds that the standby is away. */
const away = process.env.VITRINE_LONG === '1' ? 300_000 : 25_000;
/** Milliseconds: a write that waited for the standby would take longer than it is away. */
const longest = 20_000;
const pool = 6;

let primary: PostgresServer;
let standby: PostgresServer;
let database: string;
before(async () => {
  primary = await startPostgres();
  database = (await freshDatabase(primary.url)).url;
  standby = await primary.standby();
  await asSuperuser(primary.url, "ALTER SYSTEM SET synchronous_standby_names = '*'");
  await asSuperuser(primary.url, 'SELECT pg_reload_conf()');
});
after(async () => {
  await standby.remove();
  await primary.remove();
});

const notes = definition('notes', { text: { type: 'text' } });

describe('a synchronous standby that is gone', () => {
  it('stops writes but no read, and nothing piles up in PostgreSQL', { timeout: away + 90_000 }, async () => {
    const node = await NodeProcess.start(database, '--pool', String(pool));
    await made(node, '/v1/_admin/projects', { id: 'p' });
    await made(node, '/v1/_admin/projects/p/collections', notes);
    const [email, password] = ['a@example.com', 'a good password'];
    await made(node, '/v1/p/_auth/register', { email, password, name: 'A' });
    const { _id: id } = await made(node, '/v1/p/notes', { text: 'first' });
    await standby.stop();
    const end = performance.now() + away;
    const seen = { reads: 0, slowestRead: 0, writes: 0, backends: 0 };
    const repeat = async (work: () => Promise<void>) => {
      while (performance.now() < end) await work();
    };
    const read = async () => {
      const answer = await node.send('GET', `/v1/p/notes${seen.reads % 2 ? '' : `/${id}`}`);
      well(answer);
      seen.reads += 1;
      seen.slowestRead = Math.max(seen.slowestRead, answer.took - answer.held);
      await pause(20);
    };
    const write = async (verb: string, path: string, body: object) => {
      const { status, headers, body: told, took } = await node.send(verb, path, { body: body as never });
      assert.equal(status, 503, JSON.stringify(told));
      assert.ok(took < longest, `${took} ms`);
      // It is committed there, though not on the standby: nobody may be told to send it again.
      if (/check whether this was saved/.test(told.error)) assert.equal(headers.get('retry-after'), null);
      seen.writes += 1;
    };
    const watch = async () => {
      const [[count]] = (await rowsOf(
        database,
        `SELECT count(*) FROM pg_stat_activity WHERE application_name = 'vitrine'`,
      )) as [[unknown]];
      seen.backends = Math.max(seen.backends, Number(count));
      await pause(500);
    };
    await Promise.all([
      ...Array.from({ length: 3 }, () => repeat(read)),
      ...Array.from({ length: 6 }, () => repeat(() => write('POST', '/v1/p/notes', { text: 'x' }))),
      ...Array.from({ length: 4 }, () => repeat(() => write('PATCH', `/v1/p/notes/${id}`, { text: 'y' }))),
      ...Array.from({ length: 4 }, () =>
        repeat(() => write('POST', '/v1/p/_auth/login', { email, password })),
      ),
      repeat(watch),
    ]);
    console.log(`standby gone for ${away} ms: ${JSON.stringify(seen)}`);
    assert.ok(seen.backends <= pool + 1, `${seen.backends} connections`);
    assert.ok(seen.slowestRead < 5_000, `a read took ${seen.slowestRead} ms`);
    await standby.start();
    const again = async () =>
      (await node.send('POST', '/v1/p/notes', { body: { text: 'z' } })).status === 201;
    await until('records are created again', again, 60_000);
    assert.deepEqual(node.errors, []);
    assert.equal(await node.kill('SIGTERM'), 0);
  });
});
