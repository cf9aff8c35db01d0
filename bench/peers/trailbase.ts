import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { answers, freePort, start, temporary } from '../children.ts';
import { chunks, type Item, makeBrands, makeItems } from '../dataset.ts';
import { call } from '../http.ts';
import { progress, sampleIds } from '../seeding.ts';
import { commonWork, type Spelling } from '../works.ts';
import type { PeerAdapter } from './peer.ts';

const path = '/api/records/v1/products';
const page = (number: number, size = 25) => `limit=${size}&offset=${(number - 1) * size}&count=true`;
const contains = (field: string, at: number, word: string) =>
  `filter[$or][${at}][${field}][$like]=%25${word}%25`;

const spelling: Spelling = {
  items: path,
  view: (id) => `${path}/${id}`,
  list: (number, size) => `${path}?${page(number, size)}`,
  filter: (group) => `${path}?${page(1)}&filter[group]=${group}`,
  include: (number, size) => `${path}?${page(number, size)}&expand=brand`,
  search: (word) => `${path}?${page(1)}&${contains('title', 0, word)}&${contains('body', 1, word)}`,
  distinct: undefined,
  anew: (read) => `${read}&filter[price][$gte]=-0.{n}`,
  scansForSearch: true,
  brand: (id) => id,
  boolean: (value) => Number(value),
};

const schema = `
CREATE TABLE brands (
  id BLOB PRIMARY KEY NOT NULL CHECK(is_uuid_v7(id)) DEFAULT (uuid_v7()),
  name TEXT,
  country TEXT,
  created INTEGER DEFAULT (UNIXEPOCH()) NOT NULL,
  updated INTEGER DEFAULT (UNIXEPOCH()) NOT NULL
) STRICT;
CREATE UNIQUE INDEX brands_name ON brands (name);
CREATE TABLE products (
  id BLOB PRIMARY KEY NOT NULL CHECK(is_uuid_v7(id)) DEFAULT (uuid_v7()),
  title TEXT NOT NULL CHECK(length(title) BETWEEN 1 AND 200),
  "group" TEXT,
  sku TEXT,
  price REAL CHECK(price >= 0),
  "inStock" INTEGER,
  "releasedAt" TEXT,
  body TEXT,
  brand BLOB REFERENCES brands(id),
  created INTEGER DEFAULT (UNIXEPOCH()) NOT NULL,
  updated INTEGER DEFAULT (UNIXEPOCH()) NOT NULL
) STRICT;
CREATE INDEX products_group ON products ("group");
CREATE UNIQUE INDEX products_sku ON products (sku);
CREATE INDEX products_brand ON products (brand);
CREATE TRIGGER _products__updated_trigger AFTER UPDATE ON products FOR EACH ROW
  BEGIN
    UPDATE products SET updated = UNIXEPOCH() WHERE id = OLD.id;
  END;
`;

/** Everybody may do everything, as in the product's public collection. */
const settings = (base: string) => `
email {}
server { application_name: "Bench" site_url: "${base}" }
auth {}
jobs {}
record_apis: [
  { name: "brands" table_name: "brands" acl_world: [CREATE, READ, UPDATE, DELETE] },
  { name: "products" table_name: "products" acl_world: [CREATE, READ, UPDATE, DELETE] expand: ["brand"] }
]
`;

/** TrailBase 0.33, by a binary of yours: `--peer trailbase=PATH`. */
export const trailbase: PeerAdapter = {
  goals: { view: 1.8, create: 1.3, update: 1.3, mix: 8, filling: 1.5 },
  async setUp({ place, records }) {
    const data = temporary('trailbase');
    const base = `http://127.0.0.1:${await freePort()}`;
    mkdirSync(join(data, 'migrations/main'), { recursive: true });
    writeFileSync(join(data, 'migrations/main/U1760000000__bench.sql'), schema);
    writeFileSync(join(data, 'config.textproto'), settings(base));
    const child = start(place, ['--depot', data, 'run', '--address', base.slice('http://'.length)]);
    await answers(`${base}/api/healthcheck`);
    const brandIds = await create(base, 'brands', makeBrands());
    const sample = sampleIds(records);
    const report = progress('trailbase', records);
    const sent = (item: Item) => ({
      ...item,
      inStock: Number(item.inStock),
      brand: brandIds[item.brand],
    });
    for (const part of chunks(makeItems(records), 1_000)) {
      for (const id of await create(base, 'products', part.map(sent))) sample.add(id);
      report.add(part.length);
    }
    const stored = { ids: sample.ids(), brandIds, records };
    return {
      name: 'trailbase',
      base,
      pid: child.pid,
      filled: report.perSecond(),
      work: async (name) => commonWork(spelling, stored, name),
    };
  },
};

async function create(base: string, table: string, records: readonly object[]): Promise<readonly string[]> {
  return (await call<{ ids: string[] }>(base, 'POST', `/api/records/v1/${table}`, records)).ids;
}
