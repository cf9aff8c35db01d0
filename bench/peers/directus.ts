import { chunks, makeBrands, makeItems } from '../dataset.ts';
import { call } from '../http.ts';
import { progress, sampleIds } from '../seeding.ts';
import { commonWork, type Spelling } from '../works.ts';
import { everywhere, type PeerAdapter } from './peer.ts';

const path = '/items/bench_products';
const meta = 'meta=filter_count';

const spelling: Spelling = {
  items: path,
  view: (id) => `${path}/${id}`,
  list: (page) => `${path}?limit=25&page=${page}&${meta}`,
  filter: (group) => `${path}?limit=25&filter[group][_eq]=${group}&${meta}`,
  include: (page) => `${path}?limit=25&page=${page}&fields=*,brand.*&${meta}`,
  search: (word) => `${path}?limit=25&search=${word}&${meta}`,
  anew: (read) => `${read}&filter[price][_gte]=-0.{n}`,
  distinct: `${path}?aggregate[count]=id&groupBy[]=group&limit=-1`,
  brand: (id) => id,
};

/**
 * A Directus that runs already: `--peer directus=URL`, with an administrator's static token in DIRECTUS_TOKEN.
 * The public policy must let anybody create, read and update bench_products and bench_brands.
 */
export const directus: PeerAdapter = {
  goals: everywhere(50),
  async setUp({ place, records }) {
    const base = place.replace(/\/$/, '');
    const token = process.env.DIRECTUS_TOKEN ?? '';
    await makeCollection(base, token, 'bench_brands', [
      { field: 'name', type: 'string', schema: { is_unique: true } },
      { field: 'country', type: 'string' },
    ]);
    await makeCollection(base, token, 'bench_products', [
      { field: 'title', type: 'string', schema: { is_nullable: false } },
      { field: 'group', type: 'string', schema: { is_indexed: true } },
      { field: 'sku', type: 'string', schema: { is_unique: true } },
      { field: 'price', type: 'float' },
      { field: 'inStock', type: 'boolean' },
      { field: 'releasedAt', type: 'timestamp' },
      { field: 'body', type: 'text' },
      { field: 'brand', type: 'uuid' },
    ]);
    const relation = { collection: 'bench_products', field: 'brand', related_collection: 'bench_brands' };
    await call(base, 'POST', '/relations', relation, token);
    const brandIds = await create(base, token, 'bench_brands', makeBrands());
    const sample = sampleIds(records);
    const report = progress('directus', records);
    for (const part of chunks(makeItems(records), 1_000)) {
      const sent = part.map((item) => ({ ...item, brand: brandIds[item.brand] }));
      for (const id of await create(base, token, 'bench_products', sent)) sample.add(id);
      report.add(part.length);
    }
    const stored = { ids: sample.ids(), brandIds, records };
    return {
      name: 'directus',
      base,
      pid: undefined,
      work: async (name) => commonWork(spelling, stored, name),
    };
  },
};

async function makeCollection(base: string, token: string, collection: string, fields: object[]) {
  const id = {
    field: 'id',
    type: 'uuid',
    meta: { special: ['uuid'] },
    schema: { is_primary_key: true },
  };
  await call(base, 'POST', '/collections', { collection, schema: {}, fields: [id, ...fields] }, token);
}

async function create(base: string, token: string, collection: string, records: readonly object[]) {
  const { data } = await call<{ data: { id: string }[] }>(
    base,
    'POST',
    `/items/${collection}`,
    records,
    token,
  );
  return data.map(({ id }) => id);
}
