import { setTimeout as sleep } from 'node:timers/promises';
import { type Admin, createAdmin, type Definition, VitrineError } from '../../client/admin.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { Log } from '../log.ts';
import { localEndpoint } from './api/local-app.ts';

/** Readable by anybody, writable by signed-in users, as usual for a catalogue. */
const api: NonNullable<Definition['api']> = {
  access: 'public',
  methods: { create: { access: 'user' }, update: { access: 'user' }, delete: { access: 'user' } },
};

const brandFields = {
  name: { type: 'text', required: true, unique: true, maxLength: 80 },
  country: { type: 'text', index: true },
  homepage: { type: 'url' },
};

const productFields = {
  title: { type: 'text', required: true, maxLength: 200, index: true },
  sku: { type: 'text', unique: true, pattern: '^[A-Z]{3}-[0-9]+$' },
  price: { type: 'number', min: 0, index: true },
  inStock: { type: 'boolean', default: true },
  body: { type: 'content' },
  releasedAt: { type: 'datetime' },
  tags: { type: 'list', of: { type: 'text', maxLength: 40 }, maxItems: 20 },
  brand: { type: 'relation', to: 'brands', kind: 'single', onDelete: 'restrict' },
};

const brands = [
  { name: 'Fjord', country: 'Norway', homepage: 'https://fjord.example' },
  { name: 'Sakura', country: 'Japan', homepage: 'https://sakura.example' },
  { name: 'Москва', country: 'Россия', homepage: 'https://moskva.example' },
];

const products = [
  ['Wool blanket', 'FJO-1', 89, true, 'Warm on the coldest of nights.', '2025-09-01', ['home', 'winter'], 0],
  ['Enamel kettle', 'FJO-2', 49.5, true, 'Boils a litre in four minutes.', '2025-03-15', ['kitchen'], 0],
  [
    'Rain jacket',
    'FJO-3',
    159,
    false,
    'Keeps out what the coast brings.',
    '2026-02-01',
    ['outdoor', 'winter'],
    0,
  ],
  ['Tea bowl', 'SAK-1', 24, true, 'Thrown by hand, no two alike. 茶碗', '2024-11-20', ['kitchen', 'tea'], 1],
  ['Chef knife', 'SAK-2', 210, true, 'Blue steel, sixty layers. 包丁', '2025-06-06', ['kitchen'], 1],
  ['Paper lamp', 'SAK-3', 75, true, 'A soft light for late reading.', '2026-01-10', ['home', 'light'], 1],
  ['Samovar', 'MOS-1', 320, true, 'Для чая на всю семью.', '2023-12-24', ['kitchen', 'tea'], 2],
  ['Felt boots', 'MOS-2', 64, false, 'Валенки для настоящей зимы.', '2025-10-30', ['winter'], 2],
] as const;

/** The project's name until it is complete. A node that finds it continues where another stopped. */
const unfinished = 'Demo (being made)';

/**
 * Creates the project `demo` if the instance is empty. Several nodes may do so at the same time, and any may be killed: each step
 * can be repeated, and the name tells whether it is complete.
 */
export async function makeDemo(catalog: Catalog, log: Log): Promise<void> {
  const { url, ...endpoint } = localEndpoint(catalog, log);
  const admin = createAdmin(url, endpoint);
  const { total, found } = await admin.projects.list({ perPage: 1 });
  if (total > 1 || (total === 1 && found[0]?.name !== unfinished)) return;
  await unlessThere(() => admin.projects.create({ id: 'demo', name: unfinished }));
  const { collections } = admin.project('demo');
  await unlessThere(() => collections.create({ id: 'brands', name: 'Brands', fields: brandFields, api }));
  await unlessThere(() =>
    collections.create({ id: 'products', name: 'Products', fields: productFields, api }),
  );
  await addRecords(admin);
  await admin.projects.update('demo', { name: 'Demo' });
}

/** All records in one batch, and only once: a second attempt fails as the unique values are taken. */
async function addRecords(admin: Admin): Promise<void> {
  await unlessThere(() =>
    admin.records('demo').batch((batch) => {
      const made = brands.map((brand) => batch.collection('brands').create(brand));
      for (const [title, sku, price, inStock, body, releasedAt, tags, at] of products) {
        const record = { title, sku, price, inStock, body, releasedAt, tags, brand: made[at] ?? null };
        batch.collection('products').create(record);
      }
    }),
  );
}

/** A conflict means that another node did the same. */
async function unlessThere(make: () => Promise<unknown>): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await make();
      return;
    } catch (error) {
      if (!(error instanceof VitrineError)) throw error;
      if (error.status === 409) return;
      if (error.status !== 503 || tries === 10) throw error;
      await sleep(200); // another node is doing it
    }
  }
}
