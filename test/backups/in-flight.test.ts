import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TestApp } from '../harness.ts';
import { asAdmin, definition, resultOf } from '../support.ts';
import { type Nodes, startNodes } from '../two-nodes.ts';

let nodes: Nodes;
before(async () => {
  nodes = await startNodes();
});
after(() => nodes.close());

/** How many records there are; each is of the same time as all others. */
const many = 30;

it('whoever uses a project while it is replaced sees the old one or the new one, on every node', async () => {
  const { a, b } = nodes;
  await a.project('shop', definition('items', { time: { type: 'text' } }), definition('log', {}));
  const write = async (app: TestApp, time: string) => {
    const found = resultOf(await app.call('GET', '/v1/shop/items?perPage=100', asAdmin)).found as {
      _id: string;
    }[];
    const body = {
      delete: found.map(({ _id }) => _id),
      create: Array.from({ length: many }, () => ({ time })),
    };
    resultOf(await app.call('POST', '/v1/shop/items/batch', { ...asAdmin, body }));
  };
  await write(a, 'then');
  const made = resultOf(await a.call('POST', '/v1/_admin/projects/shop/backups', asAdmin), 201);

  const stop = new AbortController();
  const seen = new Map<string, number>();
  const note = (what: string) => seen.set(what, (seen.get(what) ?? 0) + 1);
  /** Waits until somebody did so from now on. */
  const again = async (what: string) => {
    for (const before = seen.get(what); seen.get(what) === before; ) await Promise.race([failed, sleep(2)]);
  };
  const reading = async (app: TestApp) => {
    while (!stop.signal.aborted) {
      const reply = await app.call('GET', '/v1/shop/items?perPage=100', asAdmin);
      const { found, total } = resultOf(reply) as { found: { time: string }[]; total: number };
      assert.equal(total, many);
      assert.equal(new Set(found.map(({ time }) => time)).size, 1, 'of one time');
      note(`read ${found[0]?.time}`);
      await sleep(2);
    }
  };
  const writing = async (app: TestApp) => {
    while (!stop.signal.aborted) {
      resultOf(await app.call('POST', '/v1/shop/log', { ...asAdmin, body: {} }), 201);
      note('written');
      await sleep(2);
    }
  };
  const busy = [a, b].flatMap((app) => [reading(app), writing(app)]);
  const failed = Promise.race(busy);
  for (let round = 0; round < 3; round++) {
    await write(b, 'now');
    await again('read now');
    const body = { as: 'shop', replace: true };
    const replace = a.call('POST', `/v1/_admin/backups/${made._id}/restore`, { ...asAdmin, body });
    await Promise.race([failed, replace]);
    resultOf(await replace, 201);
    for (const app of [a, b]) {
      const { found } = resultOf(await app.call('GET', '/v1/shop/items', asAdmin)) as {
        found: { time: string }[];
      };
      assert.equal(found[0]?.time, 'then', 'once it is answered all see it');
    }
    await again('read then');
    await again('written');
  }
  stop.abort();
  await Promise.all(busy);
  assert.deepEqual([...a.errors, ...b.errors], []);
});
