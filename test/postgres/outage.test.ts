import assert from 'node:assert/strict';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { Failure } from '../../src/failure.ts';
import { Pool, type PoolOptions } from '../../src/store/engines/postgres/connection/pool.ts';
import { RequestDeadline } from '../../src/store/engines/postgres/connection/request-deadline.ts';
import { readOnly, transact } from '../../src/store/engines/postgres/connection/transact.ts';
import { openPostgresEngine } from '../../src/store/engines/postgres/engine.ts';
import { bestOf } from '../best-of.ts';
import {
  asSuperuser,
  freshDatabase,
  type PostgresServer,
  sharedPostgres,
  startPostgres,
} from '../postgres-server.ts';
import { resultOf } from '../support.ts';
import { type PostgresApp, startPostgresApp } from './app.ts';
import { until } from './nodes.ts';

const notes = { id: 'notes', fields: { text: { type: 'text' } }, api: { access: 'public' } } as const;
const longest = 10_000;
const wait = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

describe('PostgreSQL that goes away and comes back', () => {
  let server: PostgresServer;
  let app: PostgresApp;
  before(async () => {
    server = await startPostgres();
    const database = await freshDatabase(server.url);
    app = await startPostgresApp({ url: database.url });
    await app.project('p', notes);
  });
  after(async () => {
    await app.close();
    await server.remove();
  });

  const read = () => app.call('GET', '/v1/p/notes');
  const write = () => app.call('POST', '/v1/p/notes', { body: { text: 'x' } });
  const total = async () => Number(resultOf(await read()).total);

  it('is a 503 with Retry-After meanwhile, soon, and all is well afterwards', async () => {
    resultOf(await write(), 201);
    for (const mode of ['fast', 'immediate'] as const) {
      const count = await total();
      await server.stop(mode);
      for (const call of [read, write, read]) {
        const start = Date.now();
        const reply = await call();
        assert.equal(reply.status, 503, reply.text);
        assert.ok(Number(reply.headers.get('retry-after')) > 0);
        assert.ok(Date.now() - start < longest);
      }
      await server.start();
      assert.equal(await total(), count);
      resultOf(await write(), 201);
      assert.equal(await total(), count + 1);
    }
    assert.ok(app.lines.some((line) => line.includes('out of reach')));
    assert.ok(app.lines.some((line) => line.includes('within reach again')));
  });

  it('loses nothing that was acknowledged, and makes nothing twice', async () => {
    const before = await total();
    let going = true;
    const worker = async () => {
      let made = 0;
      let unsure = 0;
      while (going) {
        const reply = await write();
        if (reply.status === 201) made += 1;
        else {
          assert.equal(reply.status, 503, reply.text);
          unsure += 1;
          await wait(5);
        }
      }
      return { made, unsure };
    };
    const workers = Array.from({ length: 8 }, worker);
    await wait(300);
    await server.stop('immediate');
    await wait(200);
    await server.start();
    await wait(500);
    going = false;
    const all = await Promise.all(workers);
    const made = all.reduce((sum, one) => sum + one.made, 0);
    const unsure = all.reduce((sum, one) => sum + one.unsure, 0);
    const found = (await total()) - before;
    assert.ok(made > 0 && unsure > 0, `${made} made, ${unsure} refused`);
    // Those that were on their way at the moment of the crash may have been written or not.
    assert.ok(found >= made && found <= made + unsure, `${found} found, ${made} made, ${unsure} refused`);
    assert.deepEqual(app.errors, []);
  });

  it('that ends our connections alone is not noticed by those who ask', async () => {
    for (let turn = 0; turn < 20; turn++) {
      await Promise.all(Array.from({ length: 5 }, read));
      await asSuperuser(
        app.url,
        `SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE application_name = 'vitrine'`,
      );
      if (turn % 2 === 0) resultOf(await read());
      resultOf(await write(), 201);
    }
  });
});

describe('a server that does not do what PostgreSQL does', () => {
  const listening: Server[] = [];
  after(() => {
    for (const server of listening) server.close();
  });

  const listen = async (server: Server): Promise<string> => {
    listening.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    return `postgres://nobody@127.0.0.1:${port}/nothing`;
  };

  const refused = async (url: string) => {
    const engine = openPostgresEngine({ url, log: { info() {} } });
    const start = Date.now();
    await assert.rejects(engine.findProject('p'), (error) => {
      return error instanceof Failure && error.kind === 'unavailable';
    });
    await engine.close();
    return Date.now() - start;
  };

  it('is given up in time when it accepts connections and says nothing', async () => {
    const sockets = new Set<{ destroy(): void }>();
    const url = await listen(createServer((socket) => void sockets.add(socket)));
    const taken = await refused(url);
    assert.ok(taken < longest, `${taken} ms`);
    for (const socket of sockets) socket.destroy();
  });

  it('is given up in time when it falls silent in the middle, and only once', async () => {
    const { hostname, port } = new URL(await sharedPostgres());
    const sockets: Socket[] = [];
    const proxy = createServer((socket) => {
      const server = connect(Number(port), hostname);
      sockets.push(socket.pipe(server), server.pipe(socket));
      for (const one of [socket, server]) one.on('error', () => {});
    });
    const url = new URL(await listen(proxy));
    const database = await freshDatabase();
    const beyond = new URL(database.url);
    beyond.port = url.port;
    const deadline = new RequestDeadline(2_000);
    const pool = new Pool({
      ...{ url: beyond.href, size: 2, statementTimeout: 50_000, lockTimeout: 500, connectTimeout: 20_000 },
      ...{ acquireTimeout: 20_000, queryTimeout: 10_000, deadline, log: { info() {} } },
    });
    const ask = () => readOnly(pool, (session) => session.query('SELECT 1', [], true));
    const write = () =>
      transact(pool, { begin: 'BEGIN', repeatable: true }, (session) => session.command('SELECT 1'));
    for (const call of [ask, write]) {
      // Once, with the time of one request: tried again it would take twice as long, in every try.
      const taken = await bestOf(async () => {
        await deadline.run(call, 60_000); // however long it takes
        for (const socket of sockets.splice(0)) {
          socket.unpipe();
          socket.pause();
        }
        const start = Date.now();
        await assert.rejects(call(), /was lost/);
        const taken = Date.now() - start;
        await deadline.run(call, 60_000); // by a new connection
        return taken;
      }, 3_500);
      assert.ok(taken < 3_500, `${taken} ms`);
    }
    for (const socket of sockets) socket.destroy();
    await pool.close();
    await database.drop();
  });

  it('is given up at once when it hangs up, and not called again and again', async () => {
    let calls = 0;
    const url = await listen(
      createServer((socket) => {
        calls += 1;
        socket.destroy();
      }),
    );
    const taken = await bestOf(async () => {
      calls = 0;
      const taken = await refused(url);
      assert.ok(calls < 5, `${calls} calls`);
      return taken;
    }, 1_000);
    assert.ok(taken < 1_000, `${taken} ms`);
  });

  it('is given up at once when nobody is there', async () => {
    const url = await listen(createServer());
    await new Promise((resolve) => listening.pop()?.close(resolve));
    const taken = await bestOf(() => refused(url), 1_000);
    assert.ok(taken < 1_000, `${taken} ms`);
  });
});

describe('the connections', () => {
  let options: PoolOptions;
  let pool: Pool;
  let drop: () => Promise<void>;
  before(async () => {
    const database = await freshDatabase();
    drop = database.drop;
    options = {
      ...{ url: database.url, size: 2, statementTimeout: 20_000, lockTimeout: 500, connectTimeout: 20_000 },
      ...{
        acquireTimeout: 20_000,
        queryTimeout: 10_000,
        deadline: new RequestDeadline(20_000),
        log: { info() {} },
      },
    };
    pool = new Pool(options);
    await query('CREATE TABLE things (a bigint, b text)');
  });
  after(async () => {
    await pool.close();
    await drop();
  });

  const query = (text: string, values: (string | number)[] = []) =>
    readOnly(pool, async (session) => (await session.query(text, values, true)).rows);
  const isCode = (code: string) => (error: unknown) => (error as { code?: string }).code === code;

  it('are waited for no longer than they may be, and then are there again', async () => {
    const deadline = new RequestDeadline(60_000);
    const held = new Pool({ ...options, deadline, statementTimeout: 60_000, acquireTimeout: 2_000 });
    const ask = (text: string) =>
      readOnly(held, async (session) => (await session.query(text, [], true)).rows);
    // Until they are told to end.
    const busy = Promise.allSettled([ask('SELECT pg_sleep(60)'), ask('SELECT pg_sleep(60)')]);
    const sleeping = `FROM pg_stat_activity WHERE query = 'SELECT pg_sleep(60)' AND datname = current_database()`;
    while (Number((await query(`SELECT count(*) ${sleeping}`))[0]?.[0]) < 2) await wait(10);
    await assert.rejects(ask('SELECT 1'), /no connection is free/);
    await query(`SELECT pg_cancel_backend(pid) ${sleeping}`);
    await busy;
    assert.deepEqual(await ask('SELECT 41 + 1'), [[42]]);
    await held.close();
  });

  it('end a statement that takes too long, and go on', async () => {
    const hurried = new Pool({ ...options, size: 1, statementTimeout: 1_500 });
    const ask = (text: string) =>
      readOnly(hurried, async (session) => (await session.query(text, [], true)).rows);
    await assert.rejects(ask('SELECT pg_sleep(60)'), isCode('57014'));
    assert.deepEqual(await ask('SELECT 1'), [[1]]);
    await hurried.close();
  });

  it('see what was committed while they waited, whatever isolation the database has by default', async () => {
    const database = new URL(options.url).pathname.slice(1);
    const setting = `ALTER DATABASE ${database} SET default_transaction_isolation =`;
    await asSuperuser(await sharedPostgres(), `${setting} 'repeatable read'`);
    const late = new Pool(options);
    const seen = await transact(late, { begin: 'BEGIN', repeatable: false }, async (session) => {
      const count = async () => (await session.command('SELECT count(*) FROM things')).rows[0]?.[0];
      const before = await count();
      await query('INSERT INTO things (a) VALUES (4)');
      return Number(await count()) - Number(before);
    });
    assert.equal(seen, 1);
    await query('DELETE FROM things WHERE a = 4');
    await asSuperuser(await sharedPostgres(), `${setting} DEFAULT`);
    await late.close();
  });

  it('that were made while the database was read-only are not kept once it is not any more', async () => {
    const { url } = options;
    const database = new URL(url).pathname.slice(1);
    const shared = await sharedPostgres();
    await asSuperuser(shared, `ALTER DATABASE ${database} SET default_transaction_read_only = on`);
    const late = new Pool(options);
    const ask = (text: string) => late.use((session) => session.command(text));
    const write = () => ask('UPDATE things SET a = a');
    await Promise.all([ask('SELECT pg_sleep(0.1)'), ask('SELECT pg_sleep(0.1)')]);
    await assert.rejects(write(), isCode('25006'));
    await asSuperuser(shared, `ALTER DATABASE ${database} RESET default_transaction_read_only`);
    await until('it can be written to', async () => (await write().catch(() => {})) !== undefined, 20_000);
    await write();
    await late.close();
  });

  it('are waited for by a request so long in all, and for what goes on after its answer so long each time', async () => {
    const [most, ofRequest] = [4_000, 2_000];
    const deadline = new RequestDeadline(most);
    const hurried = new Pool({ ...options, deadline });
    const sleep = () => readOnly(hurried, (session) => session.command('SELECT pg_sleep(0.5)'));
    /** All of them together take longer than this, of which each has nearly all to spare. */
    const sleepLonger = async (milliseconds: number) => {
      for (let slept = 0; slept <= milliseconds; slept += 500) await sleep();
    };
    let answered = () => {};
    const answer = new Promise<void>((resolve) => {
      answered = resolve;
    });
    let goesOn: Promise<unknown> = Promise.resolve();
    await deadline.run(async () => {
      goesOn = answer.then(() => sleepLonger(most));
      await assert.rejects(sleepLonger(ofRequest), /no answer in time/);
      assert.ok(deadline.remaining <= 0);
      await assert.rejects(sleep(), /no answer in time/);
    }, ofRequest);
    answered();
    await goesOn;
    await hurried.close();
  });

  it('go on with a prepared statement whose table has changed, also in a transaction', async () => {
    const read = () => query('SELECT * FROM things');
    await query('INSERT INTO things VALUES ($1, $2)', [1, 'x']);
    for (let turn = 0; turn < 4; turn++) assert.deepEqual(await read(), [[1, 'x']]);
    await query('ALTER TABLE things ADD c text');
    for (let turn = 0; turn < 4; turn++) assert.deepEqual(await read(), [[1, 'x', null]]);
    await query('ALTER TABLE things ADD d text');
    const inTransaction = await transact(pool, { begin: 'BEGIN', repeatable: true }, async (session) => {
      return (await session.query('SELECT * FROM things', [], true)).rows;
    });
    assert.deepEqual(inTransaction, [[1, 'x', null, null]]);
  });

  it('undo a transaction that is lost on the way, and do it again where that may be done', async () => {
    let turns = 0;
    await transact(pool, { begin: 'BEGIN', repeatable: true }, async (session) => {
      turns += 1;
      await session.query('INSERT INTO things (a) VALUES ($1)', [2], true);
      if (turns === 1) await session.command('SELECT pg_terminate_backend(pg_backend_pid())');
    });
    assert.equal(turns, 2);
    assert.deepEqual(await query('SELECT count(*) FROM things WHERE a = 2'), [[1]]);
  });

  it('do a transaction again that met another in a deadlock', async () => {
    await query('INSERT INTO things (a, b) VALUES (10, $1), (11, $1)', ['']);
    const begin = 'BEGIN; SET LOCAL lock_timeout = 0; SET LOCAL deadlock_timeout = 50';
    let turns = 0;
    const change = (first: number, second: number) =>
      transact(pool, { begin, repeatable: true }, async (session) => {
        await session.query('UPDATE things SET b = b || $1 WHERE a = $2', ['x', first], true);
        turns += 1;
        if (turns <= 2) await wait(100);
        await session.query('UPDATE things SET b = b || $1 WHERE a = $2', ['x', second], true);
      });
    await Promise.all([change(10, 11), change(11, 10)]);
    assert.deepEqual(await query('SELECT b FROM things WHERE a IN (10, 11)'), [['xx'], ['xx']]);
  });
});
