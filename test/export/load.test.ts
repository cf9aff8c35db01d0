import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type Process, serving, vitrine } from '../auth/process.ts';
import { bestOf } from '../best-of.ts';
import { pause } from '../support.ts';

/** Of five clients more than memory may grow by, were it all held. */
const count = 30_000;
const text = 'x'.repeat(2500);

describe('a server of its own with a large export running', () => {
  let directory: string;
  let server: Process;
  let base: string;
  let one: string;
  const headers = { authorization: 'Bearer administrators-key', 'content-type': 'application/json' };
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'vitrine-export-'));
    server = vitrine(['serve', '--port', '0', '--data', directory], {
      environment: { VITRINE_ADMIN_KEY: 'administrators-key' },
    });
    base = await serving(server);
    const post = async (path: string, body: object) => {
      const reply = await fetch(`${base}/v1/${path}`, {
        method: 'POST',
        headers,
        body: JSON.stringify(body),
      });
      assert.ok(reply.ok, await reply.clone().text());
      return reply;
    };
    await post('_admin/projects', { id: 'p' });
    const fields = { n: { type: 'number' }, parts: { type: 'list', of: { type: 'content' } } };
    await post('_admin/projects/p/collections', { id: 'items', fields, api: { access: 'public' } });
    for (let at = 0; at < count; at += 1000) {
      const create = Array.from({ length: 1000 }, (_, index) => ({ n: at + index, parts: [text] }));
      await (await post('p/items/batch', { create })).arrayBuffer();
    }
    const listed = (await (await fetch(`${base}/v1/p/items?perPage=1`)).json()) as {
      result: { found: { _id: string }[] };
    };
    one = listed.result.found[0]?._id ?? '';
  });
  after(async () => {
    server.child.kill('SIGKILL');
    await server.exit;
    await rm(directory, { recursive: true, force: true });
  });

  function ask(format: string): Socket {
    const { hostname, port } = new URL(base);
    const socket = connect(Number(port), hostname);
    socket.on('error', () => {});
    socket.write(`GET /v1/p/items/export?format=${format} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    return socket;
  }

  async function megabytes(): Promise<number> {
    const status = await readFile(`/proc/${server.child.pid}/status`, 'utf8');
    return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
  }

  /** How long each of some requests takes. */
  async function delays(requests: number): Promise<number[]> {
    const each: number[] = [];
    for (let index = 0; index < requests; index++) {
      const start = performance.now();
      await (await fetch(`${base}/v1/p/items/${one}`)).arrayBuffer();
      each.push(performance.now() - start);
      await pause(2);
    }
    return each.sort((a, b) => a - b);
  }

  /** How many times as long as is allowed others wait. Of the hiccups of the machine, which a busy one has by the dozen, a few are let pass. */
  const excess = (each: readonly number[], quiet: readonly number[]) => {
    const [half, late] = [each.length >> 1, Math.floor(each.length * 0.95) - 1];
    const of = (at: number, most: number) => (each[at] ?? 0) / Math.max(most, 3 * (quiet[at] ?? 0));
    return Math.max(of(half, 25), of(late, 50));
  };

  it('holds neither other requests nor memory while it is sent to slow clients', async () => {
    await delays(200);
    const rest = await megabytes();
    const worst = await bestOf(async () => {
      const quiet = await delays(300);
      let received = 0;
      const sockets = ['csv', 'xlsx', 'json', 'ndjson', 'ndjson'].map((format) => {
        const socket = ask(format);
        socket.on('data', (part) => {
          received += part.length;
          socket.pause();
          setTimeout(() => socket.resume(), 2);
        });
        return socket;
      });
      const each = await delays(300);
      const grown = (await megabytes()) - rest;
      for (const socket of sockets) socket.destroy();
      assert.ok(received > 1_000_000, `${received} bytes came`);
      console.log(`${grown.toFixed(0)} MB more than ${rest.toFixed(0)} MB at rest`);
      assert.ok(grown < 100, `${grown.toFixed(0)} MB more than at rest`);
      return excess(each, quiet);
    }, 1);
    assert.ok(worst < 1, `${worst} times what is allowed`);
  });

  it('holds no memory for clients that stopped reading', async () => {
    const quiet = await delays(20);
    const rest = await megabytes();
    const sockets = ['csv', 'csv', 'json', 'ndjson', 'ndjson'].map((format) => ask(format).pause());
    let most = 0;
    for (let attempt = 0; attempt < 20; attempt++) {
      await pause(100);
      most = Math.max(most, await megabytes());
    }
    for (const socket of sockets) socket.destroy();
    assert.ok(most - rest < 100, `${(most - rest).toFixed(0)} MB more than at rest`);
    assert.ok((await bestOf(async () => excess(await delays(20), quiet), 1)) < 1);
  });
});
