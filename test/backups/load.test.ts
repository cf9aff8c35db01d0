import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import { Server } from '../changes/server.ts';
import { type NamedStorage, startStorage } from '../storage.ts';
import { definition, pause } from '../support.ts';

/** Records of the project: a backup of so many takes about a second. */
const many = Number(process.env.VITRINE_BACKUP_RECORDS ?? 10_000);
const clients = 4;
/** Milliseconds that a write may wait longer while a backup is made. */
const longer = 250;
/** The machine may be busy with something else in one round, not in all of them. */
const rounds = 6;

let storage: NamedStorage;
let server: Server;
let folder: string;
before(async () => {
  storage = await startStorage();
  folder = await mkdtemp(join(tmpdir(), 'vitrine-load-'));
  server = await Server.start(storage, '--backup-to', folder);
  await server.send('POST', '/v1/_admin/projects', { id: 'p' });
  const text = { type: 'text', index: true };
  await server.send('POST', '/v1/_admin/projects/p/collections', definition('items', { text }));
  for (let made = 0; made < many; made += 1_000) {
    const create = Array.from({ length: 1_000 }, (_, n) => ({ text: `item ${made + n} ${'x'.repeat(200)}` }));
    await server.send('POST', '/v1/p/items/batch', { create });
  }
});
after(async () => {
  await server.end();
  await storage.remove();
  await rm(folder, { recursive: true, force: true });
});

interface Waits {
  readonly count: number;
  /** Milliseconds, as the others. */
  readonly p99: number;
  readonly longest: number;
  /** For how long the machine kept this process, which has nothing to do with the server's, from what was due. */
  readonly held: number;
}

/** What records take to be created meanwhile. */
async function waitsDuring(work: () => Promise<unknown>): Promise<Waits> {
  const waits: number[] = [];
  let over = false;
  let held = 0;
  const client = async () => {
    while (!over) {
      const start = performance.now();
      await server.send('POST', '/v1/p/items', { text: 'new' });
      waits.push(performance.now() - start);
    }
  };
  const watch = async () => {
    while (!over) {
      const start = performance.now();
      await pause(5);
      held = Math.max(held, performance.now() - start - 5);
    }
  };
  const working = work().finally(() => {
    over = true;
  });
  await Promise.all([working, watch(), ...Array.from({ length: clients }, client)]);
  waits.sort((a, b) => a - b);
  const p99 = waits[Math.ceil(waits.length * 0.99) - 1] ?? 0;
  return { count: waits.length, p99, longest: waits.at(-1) ?? 0, held };
}

async function backUp(): Promise<void> {
  let made = await server.send('POST', '/v1/_admin/projects/p/backups');
  while (made.status === 'running') {
    await pause(100);
    made = await server.send('GET', `/v1/_admin/backups/${made._id}`);
  }
  assert.equal(made.status, 'done');
}

const told = ({ count, ...times }: Waits) =>
  `${count} in ${Object.values(times).map((ms) => ms.toFixed(0))} ms`;

it('while a backup is made, records are created nearly as fast as without', async () => {
  let good = false;
  const seen: string[] = [];
  for (let round = 0; round < rounds && !good; round++) {
    const start = performance.now();
    const during = await waitsDuring(backUp);
    const took = performance.now() - start;
    const without = await waitsDuring(() => pause(took));
    seen.push(`${told(during)}, without ${told(without)}`);
    const p99Holds = during.p99 <= 2 * without.p99 + during.held;
    good = p99Holds && during.longest <= without.longest + longer + during.held;
  }
  console.log(`created beside a backup (p99, longest, held up by the machine): ${seen.join('; ')}`);
  assert.ok(good, 'in every round somebody waited too long');
});
