import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  asSuperuser,
  freshDatabase,
  type PostgresServer,
  sharedPostgres,
  startPostgres,
} from '../postgres-server.ts';
import { pause } from '../support.ts';
import { workersOf } from '../workers/processes.ts';
import { Load, longest, marks } from './load.ts';
import { startLossyProxy } from './lossy-proxy.ts';
import { NodeProcess } from './node-process.ts';
import { made, rowsOf, until } from './nodes.ts';
import { startProxy } from './proxy.ts';

describe('nodes under load over a PostgreSQL in trouble', () => {
  let server: PostgresServer;
  let database: string;
  let nodes: NodeProcess[] = [];
  let load: Load;
  let serverKey: string;
  before(async () => {
    server = await startPostgres({ durable: true });
    database = (await freshDatabase(server.url)).url;
    // One that is alone, and one that answers by two workers.
    nodes = [await NodeProcess.start(database), await NodeProcess.start(database, '--workers', '2')];
    const [node] = nodes as [NodeProcess];
    await made(node, '/v1/_admin/projects', { id: 'p' });
    await made(node, '/v1/_admin/projects/p/collections', marks);
    const { key } = await made(node, '/v1/_admin/projects/p/keys', { name: 'load' });
    serverKey = String(key);
    load = new Load(nodes, serverKey);
  });
  after(async () => {
    await Promise.all(nodes.map((node) => node.kill('SIGTERM')));
    await server.remove();
  });

  const ready = async () =>
    (await Promise.all(nodes.map((node) => node.send('GET', '/readyz')))).map(statusOf);

  for (const mode of ['fast', 'immediate'] as const) {
    it(`that is stopped (${mode}) and started again: 503 meanwhile, nothing lost, nothing twice`, async () => {
      const { seen } = load;
      load.begin(16);
      await pause(700);
      const before = { ...seen };
      await server.stop(mode);
      const stopped = performance.now();
      await until('both say that they are not ready', async () => (await ready()).every(is(503)), longest);
      for (const node of nodes) assert.equal((await node.send('GET', '/healthz')).status, 200);
      await until('requests are refused', () => seen.refused > before.refused, longest);
      await pause(700);
      // What was sent before it stopped may be answered at any time: that may still be on its way to us.
      assert.ok(
        seen.lastDone < stopped,
        `what was sent ${seen.lastDone - stopped} ms after it was stopped is done`,
      );
      const during = seen.done;
      await server.start();
      const back = performance.now();
      await until('both are ready again', async () => (await ready()).every(is(200)), longest);
      await until('requests are answered again', () => seen.done > during + 50, longest);
      await pause(500);
      await load.end();
      assert.ok(
        seen.lastRefused < back + longest,
        `refused what was sent ${seen.lastRefused - back} ms after the start`,
      );
      await load.verify();
      assert.deepEqual(
        nodes.flatMap(({ errors }) => errors),
        [],
      );
    });
  }

  it('that ends all connections again and again: nothing lost, nothing twice', async () => {
    const { seen } = load;
    const before = { ...seen };
    load.begin(16);
    const ended: unknown[] = [0];
    const those = `FROM pg_stat_activity WHERE application_name = 'vitrine'`;
    for (let turn = 0; turn < 12; turn++) {
      await pause(40 + turn * 20);
      for (const [pid] of await rowsOf(database, `SELECT pid, pg_terminate_backend(pid) ${those}`))
        ended.push(pid);
    }
    // Which they do when it is their turn.
    const left = async () =>
      (await rowsOf(database, `SELECT 1 ${those} AND pid IN (${ended.join()})`)).length;
    await until('all have ended', async () => (await left()) === 0, longest);
    const over = performance.now();
    await pause(500);
    await load.end();
    assert.ok(seen.done > before.done + 50, `${seen.done - before.done} done`);
    assert.ok(
      seen.lastRefused < over + 400,
      `refused what was sent ${seen.lastRefused - over} ms afterwards`,
    );
    await load.verify();
    assert.deepEqual(
      nodes.flatMap(({ errors }) => errors),
      [],
    );
  });

  it('that is away while a worker dies: another takes its place all the same', async () => {
    const [, node] = nodes as [NodeProcess, NodeProcess];
    await server.stop();
    const [victim = 0] = workersOf(node.pid);
    process.kill(victim, 'SIGKILL');
    const replaced = () => workersOf(node.pid).length === 2 && !workersOf(node.pid).includes(victim);
    await until('there is another', replaced, longest);
    await pause(2_000);
    assert.doesNotMatch(node.output, /times in a row|ended with code/);
    await server.start();
    for (let turn = 0; turn < 6; turn++) {
      await until('all are ready', async () => (await ready()).every(is(200)), longest);
    }
  });

  it('that is lost during commits, done or not: nothing lost, nothing twice', async () => {
    const proxy = await startLossyProxy(database, 7);
    const node = await NodeProcess.start(proxy.url);
    const lossy = new Load([node], serverKey, 'lossy');
    await made(node, '/v1/_admin/projects/p/collections', { ...marks, id: 'lossy' });
    proxy.breaking(true);
    lossy.begin(8);
    await pause(1_500);
    const often = async () => proxy.broken.done > 5 && proxy.broken.undone > 5;
    await until('commits of both kinds were cut', often, 20_000);
    await lossy.end();
    const { done, undone } = proxy.broken;
    assert.ok(
      done > 5 && undone > 5 && lossy.seen.done > 20,
      JSON.stringify({ ...proxy.broken, ...lossy.seen }),
    );
    proxy.breaking(false);
    const doubted = await lossy.verify();
    assert.ok(doubted >= done, `${doubted} records in doubt`);
    assert.deepEqual(node.errors, []);
    await node.kill('SIGTERM');
    await proxy.close();
  });
});

const statusOf = ({ status }: { status: number }) => status;
const is = (wanted: number) => (status: number) => status === wanted;

describe('vitrine serve without its PostgreSQL', () => {
  it('says what is wrong in one line, and exits with 1', async () => {
    const nobody = 'postgres://vitrine@127.0.0.1:1/vitrine';
    for (const flags of [[], ['--workers', '2']]) {
      const node = new NodeProcess(nobody, ...flags);
      assert.equal(await node.exit, 1);
      assert.match(
        node.output,
        /^vitrine: PostgreSQL at 127\.0\.0\.1:1\/vitrine can't be used: nothing listens there\n$/,
      );
    }
  });

  /** Starts a node, and helps once it says that it waits. */
  async function startsAfter(url: string, help: () => unknown): Promise<void> {
    const node = new NodeProcess(url);
    const says = (text: string) => until(text, () => node.output.includes(text), 60_000);
    await says('PostgreSQL takes no connection yet, waiting for it: ');
    await help();
    await says('Vitrine is at');
    assert.equal(node.output.split('waiting for it').length, 2, node.output);
    assert.equal(await node.kill('SIGTERM'), 0);
  }

  it('waits for one that takes no further connection right now', async () => {
    const { url, drop } = await freshDatabase();
    const name = new URL(url).pathname.slice(1);
    await asSuperuser(url, `CREATE ROLE ${name} LOGIN CONNECTION LIMIT 0`);
    await asSuperuser(url, `ALTER DATABASE ${name} OWNER TO ${name}`);
    const limited = url.replace(/\/\/[^@]*@/, `//${name}@`);
    await startsAfter(limited, () => asSuperuser(url, `ALTER ROLE ${name} CONNECTION LIMIT 5`));
    await drop();
    await asSuperuser(await sharedPostgres(), `DROP ROLE ${name}`);
  });

  it('waits for one that is slow to answer', async () => {
    const { url, drop } = await freshDatabase();
    let silent = true;
    const proxy = await startProxy(url, (client, beyond) => {
      for (const [from, to] of [
        [client, beyond],
        [beyond, client],
      ] as const)
        from.on('data', (part) => silent || to.write(part));
    });
    await startsAfter(proxy.url, () => {
      silent = false;
    });
    await proxy.close();
    await drop();
  });
});
