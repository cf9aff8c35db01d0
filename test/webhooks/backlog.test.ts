import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { JsonObject } from '../../src/model/json.ts';
import { adminKey } from '../harness.ts';
import { testEngine } from '../storage.ts';
import { type Sent, sent, startWorld, type World } from './world.ts';

/** Changes that wait for a receiver that is down, and of those how many are waited for in the end, once it is back. */
const waiting = Number(process.env.VITRINE_BACKLOG ?? (testEngine === 'postgres' ? 400 : 800));
const delivered = Math.min(waiting, Number(process.env.VITRINE_DELIVERED ?? waiting));
const batch = Math.min(500, waiting / 8);

describe('webhooks of a receiver that is down for long', { timeout: 1_500_000 }, () => {
  let world: World;
  before(async () => {
    world = await startWorld();
  });
  after(() => world.close());

  async function send(body: JsonObject): Promise<string[]> {
    const reply = await world.app.call('POST', '/v1/shop/products/batch', { body, token: adminKey });
    assert.equal(reply.status, 200, reply.text);
    return (reply.body.result.created as { _id: string }[]).map(({ _id }) => _id);
  }

  /** New records; those of the first batch are changed twice at the end. */
  async function write(count: number): Promise<void> {
    let first: string[] | undefined;
    for (let made = 0; made < count; made += batch) {
      const create = Array.from({ length: batch }, (_, index) => ({ title: `${made + index}` }));
      const ids = await send({ create });
      first ??= ids;
    }
    for (const title of ['again', 'at last']) {
      await send({ update: first?.map((_id) => ({ _id, title })) ?? [] });
    }
  }

  const backlog = (id: string) => world.app.catalog().use('shop', ({ store }) => store.webhooks.backlog(id));

  it('wait in the log, not in a queue of their own, and come in order when it is back', async () => {
    const begun = performance.now();
    await write(batch);
    const alone = batch / (performance.now() - begun);
    const { id } = await world.hook();
    let tries = 0;
    world.receiver.answer((_, response) => {
      tries += 1;
      world.receiver.received.length = 0;
      response.writeHead(503).end();
    });
    const memory = () => Math.round(process.memoryUsage.rss() / 1e6);
    const before = memory();
    const start = performance.now();
    let most = 0;
    await Promise.all([
      write(waiting),
      world.sends(async () => {
        most = Math.max(most, (await backlog(id)).waiting);
        return tries > 20;
      }),
    ]);
    const [speed, seconds] = [waiting / (performance.now() - start), (performance.now() - start) / 1000];
    console.log(
      `${waiting} changes in ${seconds.toFixed(1)} s, ${(speed * 1000).toFixed(0)} each second, ${(alone * 1000).toFixed(0)} without a webhook; queue of ${most} at most; ${before} MB before, ${memory()} MB after`,
    );
    assert.ok(most <= 400 + tries, `${most} of them were taken from the log already`);

    const seen = new Map<string, { place: number; title: unknown }>();
    world.receiver.answer((one, response) => {
      world.receiver.received.length = 0;
      const message: Sent = sent(one);
      const place = Number(/_(\d+)-\d+_/.exec(one.headers['webhook-id'] ?? '')?.[1]);
      const { _id, record } = message.data;
      // Whatever is answered too late comes once more.
      assert.ok(place >= (seen.get(String(_id))?.place ?? 0), 'in the order of the record');
      seen.set(String(_id), { place, title: record?.title });
      response.writeHead(204).end();
    });
    world.later(10 * 60_000);
    const [back, cpu] = [performance.now(), process.cpuUsage()];
    const isDone = () => {
      if (seen.size < delivered) return false;
      return (
        delivered < waiting || [...seen.values()].filter(({ title }) => title === 'at last').length === batch
      );
    };
    for (let rounds = 0; !isDone() && rounds < 1_000; rounds++) await world.sendsFor(1_000);
    const took = (performance.now() - back) / 1000;
    const { user, system } = process.cpuUsage(cpu);
    console.log(
      `${seen.size} delivered in ${took.toFixed(1)} s, ${(seen.size / took).toFixed(0)} each second, ${((user + system) / seen.size).toFixed(0)} µs of processor each; ${memory()} MB`,
    );
    assert.deepEqual(world.app.errors, []);
    assert.ok(isDone(), `${seen.size} of ${waiting} came`);
  });
});
