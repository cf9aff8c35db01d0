import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Dice } from '../durability/dice.ts';
import { seed } from '../seed.ts';
import { type Sent, sent, startWorld, type World } from './world.ts';

const rounds = process.env.VITRINE_LONG === '1' ? 400 : 25;

describe('webhooks with a receiver that fails at random', { timeout: 300_000 }, () => {
  let world: World;
  before(async () => {
    world = await startWorld();
  });
  after(() => world.close());

  it(`the changes of each record come in order, and at the end the receiver has what is there (seed ${seed})`, async () => {
    const dice = new Dice(seed);
    await world.hook();
    const taken: { id: string; message: Sent }[] = [];
    const tries = new Map<string, number>();
    world.receiver.answer((one, response) => {
      const id = one.headers['webhook-id'] ?? '';
      tries.set(id, (tries.get(id) ?? 0) + 1);
      const good = dice.chance(60) || tries.get(id) === 4; // before it is given up
      if (good) taken.push({ id, message: sent(one) });
      // Not a byte on a connection that was kept: it comes once more at once.
      if (!good && dice.chance(50)) response.socket?.destroy();
      else response.writeHead(good ? 204 : 503).end();
    });
    const ids: string[] = [];
    for (let round = 0; round < rounds; round++) {
      for (let deed = 0; deed < 6; deed++) {
        const id = dice.chance(40) ? undefined : dice.pick(ids);
        if (id === undefined) ids.push(await world.create('products', { title: `${round} ${deed}` }));
        else if (dice.chance(80)) await world.update('products', id, { title: `${round} ${deed}` });
        else {
          await world.delete('products', id);
          ids.splice(ids.indexOf(id), 1);
        }
      }
      await world.sendsFor(dice.below(60));
      world.later(dice.below(6) * 60_000);
    }
    const waits = async () => {
      const { found } = (await world.admin('GET', '')).body.result as { found: { _id: string }[] };
      const rows = await world.deliveries(found[0]?._id ?? '');
      return rows.filter(({ status }) => status === 'waiting').length;
    };
    world.receiver.answer((one, response) => {
      taken.push({ id: one.headers['webhook-id'] ?? '', message: sent(one) });
      response.writeHead(204).end();
    });
    world.later(12 * 3_600_000);
    // Once the last of the log has come, all before it was taken from there, and is found among those that wait.
    const last = await world.create('products', { title: 'last' });
    const hasCome = () => taken.some(({ message }) => message.data._id === last);
    await world.sends(async () => hasCome() && (await waits()) === 0);

    const copy = new Map<string, unknown>();
    const places = new Map<string, number>();
    for (const { id, message } of taken) {
      const { _id, record } = message.data;
      const place = Number(/_(\d+)-\d+_/.exec(id)?.[1]);
      assert.ok(place > (places.get(String(_id)) ?? 0), `${id} came late`);
      places.set(String(_id), place);
      if (record === null) copy.delete(String(_id));
      else copy.set(String(_id), record);
    }
    const { found } = (await world.app.call('GET', '/v1/shop/products?perPage=1000')).body.result;
    const there = new Map((found as { _id: string }[]).map((record) => [record._id, record]));
    assert.deepEqual(new Map([...copy].sort()), new Map([...there].sort()));
    assert.deepEqual(world.app.errors, []);
  });
});
