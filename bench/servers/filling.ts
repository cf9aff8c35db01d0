import { type Brand, chunks, type Item, makeBrands, makeItems } from '../dataset.ts';
import { call } from '../http.ts';
import { progress, sampleIds } from '../seeding.ts';
import type { Stored } from '../server.ts';
import { adminKey } from './launch.ts';

export const prefix = '/v1/bench';
export const person = { email: 'bench@example.com', password: 'bench-password' };
const ownedEach = 1_000;

export interface Answer<T> {
  readonly result: T;
}
type Created = Answer<{ readonly created: readonly { readonly _id: string }[] }>;

/** What a user owns and what all there is, for the two collections that differ in their level alone. */
export interface Twins {
  readonly owned: readonly string[];
  readonly all: readonly string[];
}

const fields = {
  title: { type: 'text', required: true, maxLength: 200 },
  group: { type: 'text', index: true },
  sku: { type: 'text', unique: true },
  price: { type: 'number', min: 0 },
  inStock: { type: 'boolean' },
  releasedAt: { type: 'datetime' },
  body: { type: 'content' },
  brand: { type: 'relation', to: 'brands', kind: 'single' },
};

export async function fill(base: string, records: number): Promise<Stored & { readonly filled: number }> {
  await call(base, 'POST', '/v1/_admin/projects', { id: 'bench', name: 'Bench' }, adminKey);
  const brandFields = { name: { type: 'text', unique: true }, country: { type: 'text' } };
  await makeCollection(base, 'brands', brandFields, 'public');
  await makeCollection(base, 'products', fields, 'public');
  const brandIds = await create(base, 'brands', makeBrands());
  const sample = sampleIds(records);
  const report = progress('product', records);
  for (const part of chunks(makeItems(records), 1_000)) {
    const ids = await create(base, 'products', part.map(withBrand(brandIds)));
    for (const id of ids) sample.add(id);
    report.add(part.length);
  }
  return { ids: sample.ids(), brandIds, records, filled: report.perSecond() };
}

export async function fillTwins(
  base: string,
  brandIds: readonly string[],
  ownerCount: number,
): Promise<Twins> {
  await makeCollection(base, 'notes', fields, 'user');
  await makeCollection(base, 'open-notes', fields, 'public');
  const owners: string[] = [];
  for (let index = 0; index < ownerCount; index++) {
    const account = index === 0 ? person : { ...person, email: `other-${index}@example.com` };
    const path = '/v1/_admin/projects/bench/users';
    const { result } = await call<Answer<{ _id: string }>>(base, 'POST', path, account, adminKey);
    owners.push(result._id);
  }
  const owned = sampleIds(ownedEach);
  const all = sampleIds(ownerCount * ownedEach);
  const report = progress('product, user level', ownerCount * ownedEach);
  let index = 0;
  for (const part of chunks(makeItems(ownerCount * ownedEach, 2), 1_000)) {
    const records = part.map(withBrand(brandIds));
    const bound = records.map((record) => ({ ...record, _owner: owners[index++ % ownerCount] }));
    for (const [at, id] of (await create(base, 'notes', bound)).entries()) {
      if (at % ownerCount === 0) owned.add(id);
    }
    for (const id of await create(base, 'open-notes', records)) all.add(id);
    report.add(part.length);
  }
  return { owned: owned.ids(), all: all.ids() };
}

export function withBrand(brandIds: readonly string[]) {
  return (item: Item) => ({ ...item, brand: brandIds[item.brand] });
}

async function makeCollection(base: string, id: string, shape: object, access: string): Promise<void> {
  const definition = { id, name: id, fields: shape, api: { access } };
  await call(base, 'POST', '/v1/_admin/projects/bench/collections', definition, adminKey);
}

async function create(base: string, id: string, records: readonly (Brand | object)[]): Promise<string[]> {
  const path = `${prefix}/${id}/batch`;
  const { result } = await call<Created>(base, 'POST', path, { create: records }, adminKey);
  return result.created.map(({ _id }) => _id);
}
