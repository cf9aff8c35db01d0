import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'node:test';
import { adminKey, startApp } from '../harness.ts';
import { startStorage } from '../storage.ts';
import { pause } from '../support.ts';
import { sent, startWorld, type World } from './world.ts';

describe('webhooks while a request is under way', { timeout: 280_000 }, () => {
  let world: World;
  afterEach(() => world.close());

  /** The first request is answered when `release` is called, all others at once. */
  function holdFirst(): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    world.receiver.answer((_, response) => {
      const isFirst = world.receiver.received.length === 1;
      void (isFirst ? promise : Promise.resolve()).then(() => response.writeHead(204).end());
    });
    return resolve;
  }
  const told = () => world.receiver.received.map((one) => sent(one).type);

  it('tell of a collection that another process makes meanwhile', async () => {
    const storage = await startStorage();
    world = await startWorld({ storage });
    const other = await startApp({ storage });
    const release = holdFirst();
    await world.hook();
    await world.create('products', { title: 'one' });
    let isMade = false;
    await world.sends(async () => {
      if (told().length === 1 && !isMade) {
        isMade = true;
        const orders = { id: 'orders', fields: {}, api: { access: 'public' } };
        const path = '/v1/_admin/projects/shop/collections';
        assert.equal((await other.call('POST', path, { body: orders, token: adminKey })).status, 201);
        assert.equal((await other.call('POST', '/v1/shop/orders', { body: {} })).status, 201);
        await pause(600); // a look or two
        release();
      }
      return told().length > 1;
    });
    assert.deepEqual(told(), ['products.create', 'orders.create']);
    await other.close();
  });

  it('send it once, whatever fails beside it', async () => {
    world = await startWorld();
    const release = holdFirst();
    await world.hook();
    await world.create('products', { title: 'one' });
    const catalog = world.app.catalog();
    const { use } = catalog;
    let failed = 0;
    catalog.use = (id, work, how) => {
      if (world.receiver.received.length === 0 || failed > 0)
        return use.call(catalog, id, work, how) as never;
      failed += 1;
      return Promise.reject(new Error('the database is away')) as never;
    };
    const begun = performance.now();
    await world.sends(() => {
      if (performance.now() - begun > 6_500) release();
      return performance.now() - begun > 8_000;
    });
    assert.equal(failed, 1);
    assert.deepEqual(told(), ['products.create']);
    assert.equal(world.app.errors.length, 1);
  });
});
