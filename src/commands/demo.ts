import { v7 as uuidv7 } from 'uuid';
import type { Catalog } from '../catalog/catalog.ts';
import { findCollection } from '../catalog/catalog.ts';
import type { Project } from '../catalog/open-projects.ts';
import type { JsonObject } from '../model/json.ts';

/** Read by anybody, written by signed-in users, as most catalogues are. */
const api = {
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

/** Makes the project `demo` where the instance is empty. */
export async function makeDemo(catalog: Catalog): Promise<void> {
  const { total } = await catalog.listProjects({ limit: 1, offset: 0 });
  if (total > 0) return;
  await catalog.createProject('demo', 'Demo');
  await catalog.createCollection('demo', { id: 'brands', name: 'Brands', fields: brandFields, api });
  await catalog.createCollection('demo', { id: 'products', name: 'Products', fields: productFields, api });
  await catalog.use('demo', async (project) => {
    const ids: string[] = [];
    for (const brand of brands) ids.push(await add(project, 'brands', brand));
    for (const [title, sku, price, inStock, body, releasedAt, tags, brand] of products) {
      const record = { title, sku, price, inStock, body, releasedAt, tags, brand: ids[brand] ?? null };
      await add(project, 'products', record);
    }
  });
}

async function add(project: Project, id: string, record: JsonObject): Promise<string> {
  const collection = findCollection(project, id);
  const { values } = collection.payload.create(record, false);
  const plan = {
    collection: collection.ref,
    id: uuidv7(),
    at: Date.now(),
    values,
    binding: {},
    references: [],
  };
  await project.store.insert(plan);
  return plan.id;
}
