import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, describe, it } from 'node:test';
import { type Process, serving, vitrine } from '../auth/process.ts';
import { startChild } from '../children.ts';
import { type NamedStorage, startStorage } from '../storage.ts';
import { pause } from '../support.ts';
import { expensivePaths, items, recordOf } from './expensive.ts';

const count = process.env.VITRINE_LONG === '1' ? 200_000 : 20_000;
/** Milliseconds. What takes longer is hung up on: who waits meanwhile is what matters here. */
const longestRead = 1_500;

/** Milliseconds that others may wait for, beside what the machine itself makes an idle process wait for. */
const bounds = { healthz: 100, view: 100, page: 150, create: 150 } as const;
type Kind = keyof typeof bounds;
const kinds = Object.keys(bounds) as Kind[];

describe('whatever one caller reads', () => {
  let storage: NamedStorage;
  let server: Process;
  let base: string;
  let one: string;
  const headers = { authorization: 'Bearer administrators-key', 'content-type': 'application/json' };
  const post = async (path: string, body: object) => {
    const reply = await fetch(`${base}/v1/${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    assert.ok(reply.ok, await reply.clone().text());
    return reply.arrayBuffer();
  };

  before(async () => {
    storage = await startStorage();
    server = vitrine(['serve', '--port', '0', '--page-limit', '1000', ...storage.flags], {
      environment: { VITRINE_ADMIN_KEY: 'administrators-key' },
    });
    base = await serving(server);
    await post('_admin/projects', { id: 'p' });
    await post('_admin/projects/p/collections', items);
    for (let at = 0; at < count; at += 1_000) {
      await post('p/items/batch', {
        create: Array.from({ length: 1_000 }, (_, index) => recordOf(at + index)),
      });
    }
    const listed = (await (await fetch(`${base}/v1/p/items?perPage=1`)).json()) as {
      result: { found: { _id: string }[] };
    };
    one = listed.result.found[0]?._id ?? '';
  });
  after(async () => {
    server.child.kill('SIGKILL');
    await server.exit;
    await storage.remove();
  });

  const asks: Readonly<Record<Kind, () => Promise<Response>>> = {
    healthz: () => fetch(`${base}/healthz`),
    view: () => fetch(`${base}/v1/p/items/${one}`),
    page: () => fetch(`${base}/v1/p/items?page=2`),
    create: () =>
      fetch(`${base}/v1/p/items`, { method: 'POST', headers, body: JSON.stringify(recordOf(count + 1)) }),
  };

  /** The longest wait of each kind, asked for evenly while `work` goes on. */
  async function longestWaits(work: Promise<unknown>): Promise<Record<Kind, number>> {
    const worst: Record<Kind, number> = { healthz: 0, view: 0, page: 0, create: 0 };
    let over = false;
    void work.finally(() => {
      over = true;
    });
    while (!over) {
      for (const kind of kinds) {
        const start = performance.now();
        const reply = await asks[kind]();
        await reply.arrayBuffer();
        assert.ok(reply.ok, `${kind}: ${reply.status}`);
        worst[kind] = Math.max(worst[kind], performance.now() - start);
        await pause(3);
      }
    }
    return worst;
  }

  /** What a read is the cause of comes again with it; what the machine is does not. */
  async function repeatedly(path: string): Promise<Record<Kind, number>> {
    const waits = await longestWaits(read(path));
    for (let attempt = 1; attempt < 4; attempt++) {
      if (kinds.every((kind) => waits[kind] <= bounds[kind])) break;
      const again = await longestWaits(read(path));
      for (const kind of kinds) waits[kind] = Math.min(waits[kind], again[kind]);
    }
    return waits;
  }

  async function megabytes(): Promise<number> {
    const status = await readFile(`/proc/${server.child.pid}/status`, 'utf8');
    return Number(/RssAnon:\s+(\d+)/.exec(status)?.[1]) / 1024;
  }

  it('others go on: no wait beyond the bound, and no memory', async (t) => {
    const idle = idleProcess();
    const alone = await longestWaits(pause(3_000));
    const rest = await megabytes();
    const worst: Record<Kind, { wait: number; path: string }> = {
      healthz: { wait: 0, path: '' },
      view: { wait: 0, path: '' },
      page: { wait: 0, path: '' },
      create: { wait: 0, path: '' },
    };
    const paths = expensivePaths();
    for (const path of paths) {
      const waits = await repeatedly(path);
      for (const kind of kinds) {
        if (waits[kind] > worst[kind].wait) worst[kind] = { wait: waits[kind], path };
      }
    }
    const grown = (await megabytes()) - rest;
    const machine = await idle.longest();
    t.diagnostic(
      `${paths.length} reads of ${count} records: ${JSON.stringify({ worst, alone, machine, grown })}`,
    );
    for (const kind of kinds) {
      const { wait, path } = worst[kind];
      const allowed = bounds[kind] + Math.max(machine, alone[kind]);
      assert.ok(
        wait <= allowed,
        `${kind} waited ${wait.toFixed(0)} of ${allowed.toFixed(0)} ms during ${path}`,
      );
    }
    assert.ok(grown < 150, `${grown.toFixed(0)} MB more than before`);
  });

  /** One after the other, by a client that does not wait for ever. */
  async function read(path: string): Promise<void> {
    const leaving = AbortSignal.timeout(longestRead);
    try {
      const reply = await fetch(`${base}/v1/p/items${path}`, { signal: leaving });
      assert.ok(reply.status < 500 || reply.status === 504, `${path}: ${reply.status}`);
      await reply.arrayBuffer();
    } catch (error) {
      if (!leaving.aborted) throw error;
    }
  }
});

/** A process that does nothing but look how long the machine kept it from doing so. */
function idleProcess() {
  const script = `
    let [last, worst] = [performance.now(), 0];
    setInterval(() => {
      const now = performance.now();
      worst = Math.max(worst, now - last - 5);
      last = now;
    }, 5);
    process.stdin.on('end', () => { console.log(worst); process.exit(); });
    process.stdin.resume();`;
  const child = startChild(process.execPath, ['-e', script]);
  let output = '';
  child.stdout.on('data', (part: Buffer) => (output += part));
  return {
    async longest(): Promise<number> {
      const closed = new Promise((resolve) => child.once('close', resolve));
      child.stdin.end();
      await closed;
      return Number(output);
    },
  };
}
