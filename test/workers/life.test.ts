import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, it } from 'node:test';
import type { JsonObject } from '../../src/model/json.ts';
import { freePort } from '../postgres-server.ts';
import { definition, pause } from '../support.ts';
import { adminKey, Cluster } from './cluster.ts';
import { isRunning } from './processes.ts';

const skip = process.platform !== 'linux';

let clusters: Cluster[] = [];
afterEach(async () => {
  for (const cluster of clusters) await cluster.remove();
  clusters = [];
});

async function serving(count: number, directory?: string): Promise<Cluster> {
  const cluster = await Cluster.serving(count, directory);
  clusters.push(cluster);
  return cluster;
}

async function started(...words: readonly string[]): Promise<Cluster> {
  const cluster = await Cluster.start(words);
  clusters.push(cluster);
  return cluster;
}

/** On a connection of its own, so that any worker may get it. undefined: no answer. */
async function send(
  { base }: Cluster,
  verb: string,
  path: string,
  body?: JsonObject,
): Promise<{ status: number; text: string } | undefined> {
  try {
    const answer = await fetch(`${base}${path}`, {
      method: verb,
      headers: {
        authorization: `Bearer ${adminKey}`,
        'content-type': 'application/json',
        connection: 'close',
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: answer.status, text: await answer.text() };
  } catch {
    return undefined;
  }
}

async function withThings(count: number): Promise<Cluster> {
  const cluster = await serving(count);
  const things = definition('things', { title: { type: 'text' } });
  assert.equal((await send(cluster, 'POST', '/v1/_admin/projects', { id: 'p' }))?.status, 201);
  assert.equal((await send(cluster, 'POST', '/v1/_admin/projects/p/collections', things))?.status, 201);
  return cluster;
}

const create = (cluster: Cluster, title: string) => send(cluster, 'POST', '/v1/p/things', { title });

async function total(cluster: Cluster): Promise<number> {
  const answer = await send(cluster, 'GET', '/v1/p/things');
  return JSON.parse(answer?.text ?? '{}').result.total;
}

async function portIsFree(port: number): Promise<boolean> {
  const server = createServer();
  const free = new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true));
  });
  const found = await free;
  if (found) await new Promise((closed) => server.close(closed));
  return found;
}

describe('the life of workers', { skip }, () => {
  it('one that is killed is started again, which is said, and service goes on', async () => {
    const cluster = await withThings(2);
    for (let round = 1; round <= 3; round++) {
      const [first, second] = cluster.workers();
      assert.ok(first); // 0 would be this process and all that it belongs to
      process.kill(first, 'SIGKILL');
      await cluster.says(/worker 1 \(process \d+\) was ended by SIGKILL; another is started/, round);
      assert.equal((await create(cluster, `meanwhile ${round}`))?.status, 201);
      await cluster.connect(2);
      assert.notEqual(cluster.workers()[0], first);
      assert.equal(cluster.workers()[1], second);
      assert.equal(await total(cluster), round);
    }
  });

  it('without their parent they end at once, and leave the port and the data to others', async () => {
    const cluster = await withThings(3);
    assert.equal((await create(cluster, 'kept'))?.status, 201);
    const workers = cluster.workers();
    cluster.kill('SIGKILL');
    await cluster.exit;
    // Their output is closed, or they would be waited for still: what is left is that the system takes them away.
    while (workers.some(isRunning)) await pause(5);
    assert.ok(await portIsFree(Number(new URL(cluster.base).port)));
    const next = await serving(2, cluster.directory);
    assert.equal(await total(next), 1);
  });

  for (const [signal, whom] of [
    ['SIGTERM', 'the parent'],
    ['SIGINT', 'all, as from a terminal'],
  ] as const) {
    it(`answer what is in flight at ${signal} to ${whom}, then end with 0`, async () => {
      const cluster = await withThings(2);
      const made: (number | undefined)[] = [];
      let going = true;
      const load = Array.from({ length: 8 }, async (_, who) => {
        for (let index = 0; going; index++) made.push((await create(cluster, `${who} ${index}`))?.status);
      });
      while (made.length < 50) await pause(5);
      if (whom === 'the parent') cluster.kill(signal);
      else cluster.killGroup(signal);
      assert.equal(await cluster.exit, 0, cluster.output);
      going = false;
      await Promise.all(load);
      assert.deepEqual(
        [...new Set(made)].filter((status) => status !== 201 && status !== 503 && status !== undefined),
        [],
      );
      for (const name of ['instance.db', 'projects/p.db'])
        assert.ok(!existsSync(join(cluster.directory, `${name}-wal`)), `${name} was closed`);
      const next = await serving(1, cluster.directory);
      const acknowledged = made.filter((status) => status === 201).length;
      const found = await total(next);
      assert.ok(found >= acknowledged && found <= acknowledged + 8, `${found} of ${acknowledged}`);
    });
  }

  it('are as many as there are cores with auto', async () => {
    const cluster = await started('--port', '0', '--workers', 'auto');
    await cluster.says(/Vitrine is at/);
    const cores = availableParallelism();
    assert.equal(cluster.workers().length, cores === 1 ? 0 : cores);
  });

  it('do not begin where the port is taken, by whatever program', async () => {
    const other = createServer();
    await new Promise<void>((resolve) =>
      other.listen({ port: 0, host: '127.0.0.1', reusePort: true }, resolve),
    );
    const { port: taken } = other.address() as { port: number };
    const { port } = new URL((await serving(2)).base);
    for (const one of [taken, port]) {
      const refused = await started('--port', String(one), '--workers', '2');
      assert.equal(await refused.exit, 1);
      assert.match(refused.output, /can't listen on 127\.0\.0\.1:\d+: the port is taken/);
      assert.equal(refused.output.trim().split('\n').length, 1, refused.output);
    }
    other.close();
  });

  it('listen on the port that was asked for', async () => {
    const port = String(await freePort());
    const cluster = await started('--port', port, '--workers', '2');
    await cluster.says(/Vitrine is at/);
    assert.equal(new URL(cluster.base).port, port);
    await cluster.connect(2);
  });

  it("that can't start are given up, with a line that says why", async () => {
    const cluster = await serving(2);
    const file = join(cluster.directory, 'instance.db');
    for (const suffix of ['-wal', '-shm', '']) await rm(`${file}${suffix}`, { force: true });
    await writeFile(file, 'something else entirely, longer than a header of SQLite'.repeat(40));
    const [first] = cluster.workers();
    assert.ok(first);
    await pause(1_100); // so that it has not ended in vain
    process.kill(first, 'SIGKILL');
    assert.equal(await cluster.exit, 1);
    assert.match(
      cluster.output,
      /^vitrine: worker 1 \(process \d+\) ended with code 1: .*not a database; 5 times in a row: giving up$/m,
    );
    assert.match(cluster.output, /was ended by SIGKILL; another is started/);
    assert.equal(cluster.output.match(/not a database; another is started/g)?.length, 4, cluster.output);
  });

  it('are refused in numbers that make no sense', async () => {
    for (const number of ['0', '-1', 'many', '1.5', '1000']) {
      const refused = await started('--port', '0', `--workers=${number}`);
      assert.equal(await refused.exit, 2);
      assert.match(refused.output, /^vitrine: --workers must be auto or a number from 1 to 256, not '.*\n$/);
    }
  });
});
