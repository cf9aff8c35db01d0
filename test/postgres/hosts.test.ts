import assert from 'node:assert/strict';
import { connect, createServer, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { after, before, describe, it } from 'node:test';
import { Pool } from '../../src/store/engines/postgres/connection/pool.ts';
import { RequestDeadline } from '../../src/store/engines/postgres/connection/request-deadline.ts';
import { readOnly } from '../../src/store/engines/postgres/connection/transact.ts';
import { bestOf } from '../best-of.ts';
import { freshDatabase, type TestDatabase } from '../postgres-server.ts';
import { NodeProcess } from './node-process.ts';
import { until } from './nodes.ts';

/** A server behind another port, which passes for a standby as long as it is told to. */
interface Host {
  readonly address: string;
  standby: boolean;
  connections: number;
  close(): void;
}

const primary = Buffer.from('in_hot_standby\0off\0');
const standby = Buffer.from('in_hot_standby\0on\0\0');

async function startHost(database: string, own = '127.0.0.1'): Promise<Host> {
  const { hostname, port } = new URL(database);
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    host.connections += 1;
    const beyond = connect(Number(port), hostname);
    for (const socket of [client, beyond]) {
      sockets.add(socket);
      socket.on('error', () => {}).on('close', () => [client, beyond].map((one) => one.destroy()));
    }
    client.pipe(beyond);
    beyond.on('data', (part) => {
      const at = host.standby ? part.indexOf(primary) : -1;
      if (at >= 0) standby.copy(part, at);
      client.write(part);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, own, resolve));
  const listening = server.address();
  const host: Host = {
    address: `${own.includes(':') ? `[${own}]` : own}:${typeof listening === 'object' ? listening?.port : 0}`,
    standby: false,
    connections: 0,
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
  return host;
}

describe('an address of several hosts', () => {
  let database: TestDatabase;
  before(async () => {
    database = await freshDatabase();
  });
  after(() => database.drop());

  const addressOf = (hosts: readonly string[]) => database.url.replace(/@[^/]+/, () => `@${hosts.join(',')}`);
  const poolOf = (...hosts: readonly string[]) =>
    new Pool({
      ...{
        url: addressOf(hosts),
        size: 2,
        statementTimeout: 20_000,
        lockTimeout: 500,
        connectTimeout: 20_000,
      },
      ...{
        acquireTimeout: 20_000,
        queryTimeout: 10_000,
        deadline: new RequestDeadline(20_000),
        log: { info() {} },
      },
    });
  const ask = async (pool: Pool) =>
    (await readOnly(pool, (session) => session.query('SELECT 1', [], true))).rows;
  const dead = '127.0.0.1:1';

  it('leads to the one that is there', async () => {
    const host = await startHost(database.url);
    const pool = poolOf(dead, host.address);
    assert.deepEqual(await Promise.all([ask(pool), ask(pool)]), [[[1]], [[1]]]);
    await pool.close();
    const node = await NodeProcess.start(addressOf([dead, host.address]));
    assert.ok(node.output.includes(`PostgreSQL at ${dead},${host.address}/`), node.output);
    assert.equal((await node.send('GET', '/readyz')).status, 200);
    assert.equal(await node.kill('SIGTERM'), 0);
    host.close();
  });

  it('may have some of IPv6', async () => {
    const addresses = Object.values(networkInterfaces()).flatMap((all) => all ?? []);
    if (!addresses.some(({ address }) => address === '::1'))
      return console.log('NOT TRIED: there is no IPv6 here');
    const host = await startHost(database.url, '::1');
    for (const hosts of [[host.address], [dead, host.address]]) {
      const pool = poolOf(...hosts);
      assert.deepEqual(await ask(pool), [[1]]);
      await pool.close();
    }
    host.close();
  });

  it('leads to the primary, and to another when that is another', async () => {
    const [left, right] = [await startHost(database.url), await startHost(database.url)];
    left.standby = true;
    const pool = poolOf(left.address, right.address);
    assert.deepEqual(await ask(pool), [[1]]);
    const before = left.connections;
    await Promise.all([ask(pool), ask(pool)]);
    await until('there is a second connection', () => right.connections >= 2, 60_000);
    assert.equal(left.connections, before, 'which host it is is not found out again and again');
    right.close();
    await assert.rejects(ask(pool), /ECONNREFUSED|standby|was lost/);
    left.standby = false;
    assert.deepEqual(await ask(pool), [[1]]);
    await pool.close();
    left.close();
  });

  it('with nothing but standbys is out of reach, soon', async () => {
    const hosts = [await startHost(database.url), await startHost(database.url)];
    for (const host of hosts) host.standby = true;
    for (const some of [hosts, hosts.slice(1)]) {
      // In less than it waits for one that says nothing, in the best of some tries.
      const took = await bestOf(async () => {
        const pool = poolOf(...some.map(({ address }) => address));
        for (const host of some) host.connections = 0;
        const start = performance.now();
        await assert.rejects(ask(pool), /was lost|CONNECTION_DESTROYED/);
        const took = performance.now() - start;
        await pool.close();
        assert.ok(some.every(({ connections }) => connections <= 2));
        return took;
      }, 1_500);
      assert.ok(took < 1_500, `${took} ms`);
    }
    for (const host of hosts) host.close();
  });
});
