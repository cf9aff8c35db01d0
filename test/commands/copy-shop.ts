import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { resultOf } from '../support.ts';
import { type CopyWorld, withApp } from './copy-world.ts';

const api = { access: 'public' };
export const shop = {
  id: 'shop',
  collections: [
    { id: 'brands', fields: { name: { type: 'text' } }, api },
    {
      id: 'items',
      fields: { title: { type: 'text', unique: true }, brand: { type: 'relation', to: 'brands' } },
      api,
    },
  ],
};

/** A directory with a brand and two items of it. */
export async function makeShop(world: CopyWorld, name: string): Promise<string> {
  const directory = world.directory(name);
  await world.run('apply', await world.write(`${name}.json`, shop), '--data', directory);
  await withApp(world, directory, async (app) => {
    const make = async (path: string, body: Record<string, string>) =>
      String(resultOf(await app.call('POST', `/v1/shop/${path}`, { body }), 201)._id);
    const brand = await make('brands', { name: 'Fjord' });
    for (const title of ['Kettle', 'Blanket']) await make('items', { title, brand });
  });
  return directory;
}

/** Nothing is there, also no file that was begun. */
export async function assertNothing(world: CopyWorld, place: string): Promise<void> {
  const engine = (await world.storage(place)).open();
  assert.equal(await engine.findProject('shop'), undefined);
  await engine.close();
  const files = join(place, 'projects');
  if (existsSync(files)) assert.deepEqual(await readdir(files), []);
}
