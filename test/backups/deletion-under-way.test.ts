import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import { startApp, type TestApp } from '../harness.ts';
import { asAdmin, definition, pause, Records, resultOf } from '../support.ts';

let app: TestApp;
let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vitrine-deleting-'));
  app = await startApp({ backupFolder: folder });
});
after(async () => {
  await app.close();
  await rm(folder, { recursive: true, force: true });
});

const of = (project: string, collection: string) => new Records(app, `/v1/${project}/${collection}`, asAdmin);

/** A project with one brand that so many products go with, and as many refer to otherwise. */
async function makeWorld(project: string, count: number): Promise<string> {
  await app.project(
    project,
    definition('brands', { name: { type: 'text' } }),
    definition('products', { brand: { type: 'relation', to: 'brands', onDelete: 'cascade' } }),
    definition('notes', { brand: { type: 'relation', to: 'brands' } }),
  );
  const { _id } = await of(project, 'brands').create({ name: 'gone' });
  for (const collection of ['products', 'notes'])
    for (let start = 0; start < count; start += 1_000) {
      const create = Array.from({ length: 1_000 }, () => ({ brand: _id }));
      resultOf(await of(project, collection).call('POST', '/batch', { create }));
    }
  return _id;
}

/** A backup in the middle of the deletion; undefined: that was over before. */
async function backedUp(project: string, count: number, brand: string): Promise<string | undefined> {
  const deleting = of(project, 'brands').remove(brand);
  while ((await of(project, 'products').total()) === count) await pause(1);
  const made = resultOf(await app.call('POST', `/v1/_admin/projects/${project}/backups`, asAdmin), 201);
  await deleting;
  const records = Number(made.records);
  return records > count && records < 2 * count + 1 ? String(made._id) : undefined;
}

it('a large deletion that was under way in a backup is completed where it is restored', async () => {
  let [backup, count]: [string | undefined, number] = [undefined, 4_000];
  for (; backup === undefined; count *= 2) {
    const project = `shop${count}`;
    backup = await backedUp(project, count, await makeWorld(project, count));
  }
  const body = { as: 'again' };
  resultOf(await app.call('POST', `/v1/_admin/backups/${backup}/restore`, { ...asAdmin, body }), 201);
  const left = async () => ({
    brands: await of('again', 'brands').total(),
    products: await of('again', 'products').total(),
  });
  while ((await left()).brands > 0) await pause(50); // for as long as a test may take: there may be very many
  assert.deepEqual(await left(), { brands: 0, products: 0 });
  const { found } = await of('again', 'notes').list('perPage=1000');
  assert.equal(found.length, 1_000);
  assert.ok(found.every(({ brand }) => brand === null));
});
