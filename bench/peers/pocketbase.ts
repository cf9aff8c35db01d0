import { answers, freePort, start, temporary } from '../children.ts';
import { chunks, makeBrands, makeItems } from '../dataset.ts';
import { call } from '../http.ts';
import { progress, sampleIds } from '../seeding.ts';
import { commonWork, type Spelling } from '../works.ts';
import { everywhere, type PeerAdapter } from './peer.ts';

const email = 'bench@example.com';
const password = 'bench-password';
/** Everybody may do everything, as in the product's public collection. */
const open = { listRule: '', viewRule: '', createRule: '', updateRule: '', deleteRule: '' };
const stamps = [
  { name: 'created', type: 'autodate', onCreate: true, onUpdate: false },
  { name: 'updated', type: 'autodate', onCreate: true, onUpdate: true },
];
const path = '/api/collections/products/records';
const filter = (expression: string) => `filter=${encodeURIComponent(expression)}`;

const spelling: Spelling = {
  items: path,
  view: (id) => `${path}/${id}`,
  list: (page, size = 25) => `${path}?page=${page}&perPage=${size}`,
  filter: (group) => `${path}?page=1&perPage=25&${filter(`group = '${group}'`)}`,
  include: (page, size = 25) => `${path}?page=${page}&perPage=${size}&expand=brand`,
  search: (word) => `${path}?page=1&perPage=25&${filter(`(title ~ '${word}' || body ~ '${word}')`)}`,
  distinct: undefined,
  anew: (read) => `${read}${encodeURIComponent(' && price >= -0.')}{n}`,
  scansForSearch: true,
  brand: (id) => id,
};

/** PocketBase 0.23 and newer, by a binary of yours: `--peer pocketbase=PATH`. */
export const pocketbase: PeerAdapter = {
  goals: everywhere(4),
  async setUp({ place, records }) {
    const data = temporary('pocketbase');
    const made = start(place, ['superuser', 'upsert', email, password, '--dir', data, '--automigrate=false']);
    if ((await made.exit) !== 0) throw new Error(`pocketbase superuser upsert: ${made.output()}`);
    const base = `http://127.0.0.1:${await freePort()}`;
    const child = start(place, [
      'serve',
      '--http',
      base.slice('http://'.length),
      '--dir',
      data,
      '--automigrate=false',
    ]);
    await answers(`${base}/api/health`);
    const token = await signIn(base);
    await call(base, 'PATCH', '/api/settings', { batch: batchSettings, logs: { maxDays: 0 } }, token);
    await makeCollections(base, token);
    const brandIds = await create(base, token, 'brands', makeBrands());
    const sample = sampleIds(records);
    const report = progress('pocketbase', records);
    for (const part of chunks(makeItems(records), 1_000)) {
      const sent = part.map((item) => ({ ...item, brand: brandIds[item.brand] }));
      for (const id of await create(base, token, 'products', sent)) sample.add(id);
      report.add(part.length);
    }
    const stored = { ids: sample.ids(), brandIds, records };
    return {
      name: 'pocketbase',
      base,
      pid: child.pid,
      filled: report.perSecond(),
      work: async (name) => commonWork(spelling, stored, name),
    };
  },
};

const batchSettings = { enabled: true, maxRequests: 1_000, timeout: 60, maxBodySize: 16_777_216 };

async function signIn(base: string): Promise<string> {
  const body = { identity: email, password };
  const at = '/api/collections/_superusers/auth-with-password';
  return (await call<{ token: string }>(base, 'POST', at, body)).token;
}

async function makeCollections(base: string, token: string): Promise<void> {
  const brands = await call<{ id: string }>(
    base,
    'POST',
    '/api/collections',
    {
      name: 'brands',
      type: 'base',
      ...open,
      fields: [{ name: 'name', type: 'text' }, { name: 'country', type: 'text' }, ...stamps],
      indexes: ['CREATE UNIQUE INDEX brands_name ON brands (name)'],
    },
    token,
  );
  await call(
    base,
    'POST',
    '/api/collections',
    {
      name: 'products',
      type: 'base',
      ...open,
      fields: [
        { name: 'title', type: 'text', required: true, max: 200 },
        { name: 'group', type: 'text' },
        { name: 'sku', type: 'text' },
        { name: 'price', type: 'number', min: 0 },
        { name: 'inStock', type: 'bool' },
        { name: 'releasedAt', type: 'date' },
        { name: 'body', type: 'text' },
        { name: 'brand', type: 'relation', collectionId: brands.id, maxSelect: 1 },
        ...stamps,
      ],
      indexes: [
        'CREATE INDEX products_group ON products (`group`)',
        'CREATE UNIQUE INDEX products_sku ON products (sku)',
        'CREATE INDEX products_brand ON products (brand)',
      ],
    },
    token,
  );
}

async function create(
  base: string,
  token: string,
  collection: string,
  records: readonly object[],
): Promise<string[]> {
  const url = `/api/collections/${collection}/records`;
  const requests = records.map((body) => ({ method: 'POST', url, body }));
  const results = await call<{ body: { id: string } }[]>(base, 'POST', '/api/batch', { requests }, token);
  return results.map(({ body }) => body.id);
}
