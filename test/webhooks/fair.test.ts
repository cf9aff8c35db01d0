import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { adminKey } from '../harness.ts';
import { type Receiver, startReceiver } from './receiver.ts';
import { sent, startWorld, type World } from './world.ts';

describe('webhooks whose receivers are slow', { timeout: 280_000 }, () => {
  let world: World;
  let other: Receiver;
  beforeEach(async () => {
    [world, other] = [await startWorld(), await startReceiver()];
  });
  afterEach(async () => {
    await world.close();
    await other.close();
  });

  it('do not hold up others of the project', async () => {
    world.receiver.answer(() => {}); // never
    await world.hook();
    await world.hook({ url: `https://localhost:${other.port}/quick` });
    await world.create('products', { title: 'first' });
    let [changed, came] = [Number.NaN, Number.NaN];
    await world.sends(async () => {
      if (other.received.length >= 1 && world.receiver.received.length >= 1 && Number.isNaN(changed)) {
        await world.create('products', { title: 'second' });
        changed = performance.now();
      }
      if (other.received.length >= 2) came = performance.now();
      return !Number.isNaN(came);
    });
    assert.ok(came - changed < 15_000, `it came after ${Math.round(came - changed)} ms`);
  });

  it('do not hold up other projects for ever', async () => {
    const { app } = world;
    await app.project('zoo', { id: 'notes', fields: {}, api: { access: 'public' } });
    const url = `https://localhost:${other.port}/zoo`;
    const path = '/v1/_admin/projects/zoo/webhooks';
    const made = await app.call('POST', path, { body: { name: 'zoo', url }, token: adminKey });
    assert.equal(made.status, 201, made.text);
    await world.hook();
    world.receiver.answer((_, response) => void setTimeout(() => response.writeHead(204).end(), 500));
    const create = Array.from({ length: 400 }, (_, n) => ({ title: `${n}` }));
    const batch = await app.call('POST', '/v1/shop/products/batch', { body: { create }, token: adminKey });
    assert.equal(batch.status, 200, batch.text);
    let isWritten = false;
    await world.sends(
      async () => {
        if (world.receiver.received.length > 0 && !isWritten) {
          isWritten = true;
          assert.equal((await app.call('POST', '/v1/zoo/notes', { body: {} })).status, 201);
        }
        return other.received.length > 0;
      },
      { mostTogether: 1 },
    );
    assert.deepEqual(
      other.received.map((one) => sent(one).type),
      ['notes.create'],
    );
    assert.ok(world.receiver.received.length < 400, 'after some of the others, and not after all of them');
  });
});
