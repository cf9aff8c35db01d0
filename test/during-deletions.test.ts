import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { JsonObject } from '../src/model/json.ts';
import { startApp, type TestApp } from './harness.ts';
import { relation } from './relation-world.ts';
import { asAdmin, definition, makeProject, pause, Records, type Row, resultOf } from './support.ts';

/** More than one transaction deletes. */
const many = 2_500;
const some = 60;

let app: TestApp;
before(async () => {
  app = await startApp();
});
after(() => app.close());

/** A brand whose deletion takes along so many products, and one that nothing refers to. */
async function makeShop(count = many, ...more: readonly JsonObject[]) {
  const products = definition('products', {
    brand: relation('brands', { onDelete: 'cascade' }),
    n: { type: 'number' },
  });
  const path = await makeProject(app, definition('brands', {}), products, ...more);
  const of = (collection: string) => new Records(app, `${path}/${collection}`, asAdmin);
  const [gone, stays] = await of('brands').createAll([{}, {}]);
  assert.ok(gone && stays);
  const taken = await createMany(of('products'), count, (n) => ({ brand: gone._id, n }));
  return { of, gone, stays, taken };
}

async function createMany(records: Records, count: number, body: (n: number) => JsonObject): Promise<Row[]> {
  const rows: Row[] = [];
  for (let start = 0; start < count; start += 500) {
    const create = Array.from({ length: Math.min(500, count - start) }, (_, n) => body(start + n));
    rows.push(...(resultOf(await records.call('POST', '/batch', { create })).created as Row[]));
  }
  return rows;
}

describe('while a large deletion is under way', () => {
  it('a record that it takes is not moved away: what was answered with 200 stays', async () => {
    const { of, gone, stays, taken } = await makeShop();
    const products = of('products');
    const deleting = of('brands').call('DELETE', `/${gone._id}`);
    const moved: string[] = [];
    const seen = new Set<number>();
    for (const [n, { _id }] of taken.slice(0, some).entries()) {
      const { status } = await products.call('PATCH', `/${_id}`, { brand: n % 2 ? stays._id : null });
      seen.add(status);
      if (status === 200) moved.push(_id);
      await pause(1);
    }
    resultOf(await deleting);
    for (const status of seen) assert.ok([200, 404, 409].includes(status), String(status));
    const left = (await products.list('perPage=1000&sort=_id')).found.map(({ _id }) => _id);
    assert.deepEqual(left, moved.toSorted(), [...seen].join(' '));
  });

  it('other changes of a record that it takes go on', async () => {
    // More of them where a busy machine asked for the change after the record, or all, had gone.
    for (const count of [many, 4 * many, 16 * many]) {
      const { of, gone, taken } = await makeShop(count);
      const deleting = of('brands').call('DELETE', `/${gone._id}`);
      const { status, text } = await of('products').call('PATCH', `/${taken.at(-1)?._id}`, {
        n: -1,
        brand: gone._id,
      });
      resultOf(await deleting);
      assert.equal(await of('products').total(), 0);
      if (status === 404 || (status === 400 && text.includes('there is no record'))) continue;
      assert.equal(status, 200, text);
      return;
    }
    assert.fail('the machine did not get to ask for it in time');
  });

  it('a small deletion leaves nothing empty that needs what the large one is about to take', async () => {
    const items = relation('products', { kind: 'multiple', required: true });
    const { of, gone, taken } = await makeShop(many, definition('sets', { items }));
    const products = of('products');
    const others = await createMany(products, some, () => ({}));
    const sets = await createMany(of('sets'), some, (n) => {
      return { items: [taken[n]?._id ?? '', others[n]?._id ?? ''] };
    });
    let over = false;
    const deleting = of('brands')
      .call('DELETE', `/${gone._id}`)
      .finally(() => {
        over = true;
      });
    while (!over && (await products.total()) === many + some) await pause(1);
    const statuses = await Promise.all(
      others.map(async ({ _id }) => (await products.call('DELETE', `/${_id}`)).status),
    );
    resultOf(await deleting);
    for (const { _id } of sets) {
      const { items: left } = await of('sets').view(_id);
      assert.ok(Array.isArray(left) && left.length > 0, `${_id} has none: ${statuses.join(' ')}`);
    }
    assert.deepEqual(new Set(statuses), new Set([409]));
  });
});
