import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { adminKey } from '../admin-key.ts';
import { printed, serving, vitrine } from '../auth/process.ts';
import { sqliteStorage } from '../storage.ts';
import { parseMetrics, sumOf } from './exposition.ts';

const metricsKey = 'a-key-for-prometheus-alone';
const trace = '0af7651916cd43dd8448eb211c80319c';

it('with workers one answer is for all, also of one that was killed; log lines have the trace', async () => {
  if (process.platform !== 'linux') return console.log('NOT TRIED: several processes at one port need Linux');
  const storage = await sqliteStorage();
  const environment = { VITRINE_ADMIN_KEY: adminKey, VITRINE_METRICS_KEY: metricsKey };
  const words = ['serve', '--port', '0', '--workers', '2', '--demo', '--log-requests', ...storage.flags];
  words.push('--backup-every', '6h');
  const server = vitrine(words, { environment });
  const base = await serving(server);
  const scrape = async () => {
    // A connection of its own each time: whichever worker has it answers.
    const headers = { authorization: `Bearer ${metricsKey}`, connection: 'close' };
    const response = await fetch(`${base}/metrics`, { headers });
    const text = await response.text();
    assert.equal(response.status, 200, text);
    return parseMetrics(text);
  };
  const views = { operation: 'viewAll', status: '2xx' };
  const ask = async (times: number) => {
    for (let count = 0; count < times; count += 1) {
      const headers = { connection: 'close', traceparent: `00-${trace}-b7ad6b7169203331-01` };
      assert.equal((await fetch(`${base}/v1/demo/products`, { headers })).status, 200);
    }
  };
  await ask(40);
  let first = await scrape();
  // Of a worker that is slow to answer the last numbers count, and what takes long to find out is not known yet.
  const isAllKnown = () =>
    sumOf(first, 'vitrine_requests_total', views) >= 40 && sumOf(first, 'vitrine_database_bytes') > 0;
  for (let tries = 0; tries < 200 && !isAllKnown(); tries += 1) {
    await sleep(50);
    first = await scrape();
  }
  assert.equal(sumOf(first, 'vitrine_requests_total', views), 40);
  assert.ok(sumOf(first, 'vitrine_database_bytes') > 0);
  assert.ok(sumOf(first, 'process_resident_memory_bytes') > 50_000_000);
  assert.equal(sumOf(first, 'vitrine_backup_interval_seconds'), 6 * 3600, 'of all together, not of each');
  assert.ok(sumOf(first, 'vitrine_commit_seconds_count') > 0, 'what the parent writes counts too');
  const forbidden = await fetch(`${base}/v1/_admin/projects`, {
    headers: { authorization: `Bearer ${metricsKey}` },
  });
  assert.equal(forbidden.status, 401, 'the key is good for nothing else');

  const line = await printed(server, /^(.*"path":"\/v1\/demo\/products".*)\n/m);
  assert.ok(line.includes(trace), line);
  const [pid] = await workersOf(server.child.pid ?? 0);
  assert.ok(pid);
  process.kill(pid, 'SIGKILL');
  let total = 0;
  for (let tries = 0; tries < 200 && total < 50; tries += 1) {
    await sleep(50);
    try {
      await ask(10);
      total = sumOf(await scrape(), 'vitrine_requests_total', views);
    } catch {} // it was the connection of the worker that is gone
  }
  assert.ok(total >= 50, `${total}: what the killed worker had counted is kept`);
  server.child.kill('SIGTERM');
  assert.equal(await server.exit, 0);
  await storage.remove();
});

async function workersOf(parent: number): Promise<number[]> {
  const { readFile } = await import('node:fs/promises');
  const text = await readFile(`/proc/${parent}/task/${parent}/children`, 'utf8');
  return text.trim().split(' ').map(Number);
}
