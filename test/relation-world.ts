import type { JsonObject } from '../src/model/json.ts';
import type { TestApp } from './harness.ts';
import { definition, makeProject, Records } from './support.ts';

export const relation = (to: string, more: JsonObject = {}): JsonObject => ({
  type: 'relation',
  to,
  ...more,
});

export const several = (to: string, more: JsonObject = {}) => relation(to, { kind: 'multiple', ...more });

/** Brands, and products whose `rel` points to them. */
export async function makeShop(app: TestApp, rel: JsonObject): Promise<[Records, Records]> {
  const name = { type: 'text' };
  const path = await makeProject(app, definition('brands', { name }), definition('products', { name, rel }));
  return [new Records(app, `${path}/brands`), new Records(app, `${path}/products`)];
}

/** Every record of a collection, to show that nothing changed. */
export const everything = async (of: Records) => (await of.list('perPage=1000')).found;
