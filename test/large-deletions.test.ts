import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { JsonObject } from '../src/model/json.ts';
import { bestOf } from './best-of.ts';
import { startApp, type TestApp } from './harness.ts';
import { ServerTimesReader, waitAlone } from './reads/server-times.ts';
import { relation } from './relation-world.ts';
import { databaseOf, type NamedStorage, startStorage } from './storage.ts';
import {
  asAdmin,
  assertRefused,
  definition,
  makeProject,
  pause,
  Records,
  type Row,
  resultOf,
} from './support.ts';

/** 100,000 in the long form. */
const many = Number(process.env.VITRINE_REFERRERS ?? 2_500);

let storage: NamedStorage;
let app: TestApp;
let times: ServerTimesReader;
before(async () => {
  storage = await startStorage();
  app = await startApp({ storage });
  times = new ServerTimesReader(process.pid, databaseOf(storage));
});
after(async () => {
  await app.close();
  await storage.remove();
});

interface World {
  readonly path: string;
  readonly of: (collection: string) => Records;
}

async function makeWorld(...collections: readonly JsonObject[]): Promise<World> {
  const path = await makeProject(app, ...collections);
  return { path, of: (collection) => new Records(app, `${path}/${collection}`, asAdmin) };
}

/** Their ids. */
async function createMany(
  records: Records,
  count: number,
  body: (n: number) => JsonObject,
): Promise<string[]> {
  const ids: string[] = [];
  for (let start = 0; start < count; start += 1_000) {
    const create = Array.from({ length: Math.min(1_000, count - start) }, (_, n) => body(start + n));
    const { created } = resultOf(await records.call('POST', '/batch', { create })) as {
      created: { _id: string }[];
    };
    for (const { _id } of created) ids.push(_id);
  }
  return ids;
}

/** Milliseconds that another write may wait longer than it does when nothing is deleted. */
const longestHold = 250;

/** The longest that a small write waits until `over`, without what the machine kept from whoever does it. */
async function longestCreate(records: Records, over: () => boolean): Promise<number> {
  let longest = 0;
  do {
    const [start, before] = [performance.now(), times.read()];
    await records.create({});
    longest = Math.max(longest, waitAlone('create', performance.now() - start, before, times.read()));
    await pause(5);
  } while (!over());
  return longest;
}

/** Milliseconds for which others who write wait longer while `work` goes on than for as long without it, before and after. */
async function heldUp(what: string, records: Records, work: () => Promise<unknown>): Promise<number> {
  const quietly = (ms: number) => {
    const end = performance.now() + ms;
    return longestCreate(records, () => performance.now() > end);
  };
  const before = await quietly(500);
  let over = false;
  const start = performance.now();
  const working = work().finally(() => {
    over = true;
  });
  const [during] = await Promise.all([longestCreate(records, () => over), working]);
  const after = await quietly(Math.min(many > 10_000 ? 60_000 : 2_000, performance.now() - start));
  const usual = Math.max(before, after);
  console.log(`${what}: longest wait ${during.toFixed(0)} ms, otherwise ${usual.toFixed(0)} ms`);
  return during - usual;
}

/** `work` tells how long it held others up, which it does every time where it is the cause. */
async function holdsUpNobody(work: () => Promise<number>): Promise<void> {
  const held = await bestOf(work, longestHold);
  assert.ok(held < longestHold, `others waited ${held} ms longer`);
}

/** Whether nothing of a deletion is left: what is there can be referred to. */
async function settled(of: World['of'], brand: string, whole: () => Promise<boolean>): Promise<boolean> {
  if (!(await whole())) return false;
  const { status, body } = await of('products').call('POST', '', { brand, n: -1 });
  if (status === 201) await of('products').remove(String(body.result._id));
  return status !== 409;
}

const brands = definition('brands', { name: { type: 'text' } });
const notes = definition('notes', {});

describe('the deletion of a record that very many refer to', () => {
  it('clears them, holds up nobody, and is answered at the end', async () => {
    await holdsUpNobody(async () => {
      const { of } = await makeWorld(
        brands,
        notes,
        definition('products', {
          brand: relation('brands'),
          others: relation('brands', { kind: 'multiple' }),
          n: { type: 'number' },
        }),
      );
      const gone = await of('brands').create({ name: 'gone' });
      const stays = await of('brands').create({ name: 'stays' });
      await createMany(of('products'), many, (n) =>
        n % 2 === 0 ? { brand: gone._id, n } : { others: [stays._id, gone._id], brand: stays._id, n },
      );
      const held = await heldUp(`clear ${many}`, of('notes'), () => of('brands').remove(gone._id));
      assert.equal((await of('brands').call('GET', `/${gone._id}`)).status, 404);
      assert.equal(await of('products').total(`brand=${gone._id}`), 0);
      assert.equal(await of('products').total(`others=${gone._id}`), 0);
      assert.equal(await of('products').total(`brand=${stays._id}`), Math.floor(many / 2));
      assert.equal(await of('products').total(`others=${stays._id}`), Math.floor(many / 2));
      assert.equal(await of('products').total(), many);
      const [one] = (await of('products').list('n=0')).found;
      assert.deepEqual([one?.brand, one?.others], [null, []]);
      // The schema can be changed again, and the other brand is not marked.
      await of('products').create({ brand: stays._id });
      return held;
    });
  });

  it('takes along what cascades, over several collections and in chains', async () => {
    await holdsUpNobody(async () => {
      const { of } = await makeWorld(
        brands,
        notes,
        definition('products', { brand: relation('brands', { onDelete: 'cascade' }), n: { type: 'number' } }),
        definition('reviews', {
          product: relation('products', { onDelete: 'cascade' }),
          follows: relation('reviews', { onDelete: 'cascade' }),
          about: relation('products'),
        }),
      );
      const gone = await of('brands').create({ name: 'gone' });
      const stays = await of('brands').create({ name: 'stays' });
      const kept = await of('products').create({ brand: stays._id });
      const products = await createMany(of('products'), many, (n) => ({ brand: gone._id, n }));
      await createMany(of('reviews'), many, (n) => ({ product: products[n] ?? '' }));
      await createMany(of('reviews'), 50, (n) => ({ product: kept._id, about: products[n] ?? '' }));
      const what = `cascade ${many} and ${many}`;
      const held = await heldUp(what, of('notes'), () => of('brands').remove(gone._id));
      assert.equal(await of('products').total(), 1);
      assert.equal(await of('reviews').total(), 50);
      assert.equal(await of('reviews').total('about!='), 0);
      return held;
    });
  });

  it('follows a chain to its end, and round a circle', async () => {
    await holdsUpNobody(async () => {
      const { of } = await makeWorld(
        notes,
        definition('links', { to: relation('links', { onDelete: 'cascade' }) }),
      );
      const length = Math.min(many, 1_100);
      let last = (await of('links').create({}))._id;
      const first = last;
      for (let made = 0; made < length; made += 550) {
        const create = Array.from({ length: Math.min(550, length - made) }, (_, n) => ({
          to: n === 0 ? last : { $ref: `create[${n - 1}]` },
        }));
        const { created } = resultOf(await of('links').call('POST', '/batch', { create }));
        last = (created as Row[]).at(-1)?._id ?? '';
      }
      await of('links').update(first, { to: last });
      await of('links').create({});
      const held = await heldUp(`chain ${length}`, of('notes'), () => of('links').remove(first));
      assert.equal(await of('links').total(), 1);
      return held;
    });
  });

  for (const onDelete of ['clear', 'cascade']) {
    it(`meets all of them where it refers to itself too: ${onDelete}`, async () => {
      const { of } = await makeWorld(
        definition('nodes', { parent: relation('nodes', { onDelete }), n: { type: 'number' } }),
      );
      const root = await of('nodes').create({});
      await of('nodes').update(root._id, { parent: root._id });
      await createMany(of('nodes'), 1_100, (n) => ({ parent: root._id, n }));
      await of('nodes').remove(root._id);
      assert.equal(await of('nodes').total('parent!='), 0);
      assert.equal(await of('nodes').total(), onDelete === 'clear' ? 1_100 : 0);
    });
  }

  it('holds up nobody either where they are few, and very large', async () => {
    await holdsUpNobody(async () => {
      const { of } = await makeWorld(
        brands,
        notes,
        definition('products', {
          brand: relation('brands', { onDelete: 'cascade' }),
          maker: relation('brands'),
          words: { type: 'content' },
        }),
      );
      const gone = await of('brands').create({});
      const words = 'word '.repeat(180_000);
      for (let n = 0; n < 20; n++)
        await of('products').create(n % 2 ? { brand: gone._id, words } : { maker: gone._id, words });
      const held = await heldUp('20 large ones', of('notes'), () => of('brands').remove(gone._id));
      assert.equal(await of('products').total(), 10);
      assert.equal(await of('products').total('maker='), 10);
      assert.equal(await of('products').total('search=word'), 10);
      return held;
    });
  });

  it('is a 409 where one of them forbids it, and nothing has changed', async () => {
    const { of } = await makeWorld(
      brands,
      definition('products', { brand: relation('brands', { onDelete: 'cascade' }) }),
      definition('orders', { product: relation('products', { onDelete: 'restrict' }) }),
    );
    const gone = await of('brands').create({});
    const products = await createMany(of('products'), many, () => ({ brand: gone._id }));
    const order = await of('orders').create({ product: products[many - 1] ?? '' });
    assertRefused(await of('brands').call('DELETE', `/${gone._id}`), 409, 'orders.product', 'forbids it');
    assert.equal(await of('products').total(`brand=${gone._id}`), many);
    const another = await of('orders').create({ product: products[0] ?? '' });
    await of('orders').remove(another._id);
    await of('orders').remove(order._id);
    await of('brands').remove(gone._id);
    assert.equal(await of('products').total(), 0);
  });

  it('is a 409 in a batch, which says to delete it alone', async () => {
    const { of } = await makeWorld(brands, definition('products', { brand: relation('brands') }));
    const gone = await of('brands').create({});
    await createMany(of('products'), 1_001, () => ({ brand: gone._id }));
    const reply = await of('brands').call('POST', '/batch', { delete: [gone._id] });
    assertRefused(reply, 409, 'delete[0]', 'delete it alone');
    assert.equal(await of('products').total(`brand=${gone._id}`), 1_001);
    await of('brands').remove(gone._id);
  });

  it('of 1,000 is one step, also in a batch', async () => {
    const { of } = await makeWorld(brands, definition('products', { brand: relation('brands') }));
    const gone = await of('brands').create({});
    await createMany(of('products'), 1_000, () => ({ brand: gone._id }));
    resultOf(await of('brands').call('POST', '/batch', { delete: [gone._id] }));
    assert.equal(await of('products').total('brand='), 1_000);
  });

  it('refuses new references to what it takes, from its beginning on, with 409', async () => {
    const { of } = await makeWorld(
      brands,
      definition('products', { brand: relation('brands'), n: { type: 'number' } }),
    );
    const gone = await of('brands').create({});
    await createMany(of('products'), many, (n) => ({ brand: gone._id, n }));
    let over = false;
    const deleting = of('brands')
      .remove(gone._id)
      .finally(() => {
        over = true;
      });
    const seen = new Set<number>();
    while (!over) {
      const { status } = await of('products').call('POST', '', { brand: gone._id, n: -1 });
      seen.add(status);
      await pause(1);
    }
    await deleting;
    assert.ok(seen.has(409), [...seen].join(' '));
    for (const status of seen) assert.ok([201, 409, 400].includes(status), String(status));
    assert.equal(await of('products').total(`brand=${gone._id}`), 0);
    assert.equal((await of('products').call('POST', '', { brand: gone._id })).status, 400);
  });

  it('that a restart interrupts is finished or undone by itself', async () => {
    for (const delay of [30, 200]) {
      const { of } = await makeWorld(
        brands,
        definition('products', { brand: relation('brands', { onDelete: 'cascade' }), n: { type: 'number' } }),
      );
      const gone = await of('brands').create({});
      await createMany(of('products'), many, (n) => ({ brand: gone._id, n }));
      const answered = of('brands').call('DELETE', `/${gone._id}`);
      await pause(delay);
      await app.reopen();
      const status = await answered.then(
        (reply) => reply.status,
        () => 0,
      );
      const whole = async () => {
        const [left, there] = [await of('products').total(), await of('brands').total()];
        return (left === many && there === 1) || (left === 0 && there === 0);
      };
      for (let tries = 0; tries < 2_400 && !(await settled(of, gone._id, whole)); tries++) await pause(50);
      assert.ok(await whole(), `${delay} ms, answered with ${status}: neither done nor undone`);
      if (status === 200) assert.equal(await of('products').total(), 0);
    }
  });

  it('two of the same record at once: one is a 404', async () => {
    const { of } = await makeWorld(brands, definition('products', { brand: relation('brands') }));
    const gone = await of('brands').create({});
    await createMany(of('products'), 1_500, () => ({ brand: gone._id }));
    const both = await Promise.all([1, 2].map(() => of('brands').call('DELETE', `/${gone._id}`)));
    assert.deepEqual(both.map(({ status }) => status).sort(), [200, 404]);
  });
});
