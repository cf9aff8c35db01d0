import { join } from 'node:path';
import { printed, root, start, temporary } from '../../children.ts';
import { chunks, makeBrands, makeItems } from '../../dataset.ts';
import { call } from '../../http.ts';
import { progress, sampleIds } from '../../seeding.ts';
import type { Server } from '../../server.ts';
import { commonWork, type Spelling } from '../../works.ts';

interface Created {
  readonly id: string;
}

const spelling: Spelling = {
  items: '/products',
  view: (id) => `/products/${id}`,
  list: (page, size = 25) => `/products?page=${page}&perPage=${size}`,
  filter: (group) => `/products?group=${group}`,
  include: (page, size = 25) => `/products?page=${page}&perPage=${size}&include=brand`,
  search: (word) => `/products?search=${word}`,
  distinct: '/groups',
  anew: (read) => `${read}&minPrice=-0.{n}`,
  brand: (id) => id,
};

/** Fastify on Node 24: the yardstick that everyone understands. */
export async function startHandwritten(records: number): Promise<Server> {
  const node = join(root, 'node_modules/.bin/node');
  const words = ['--disable-warning=ExperimentalWarning', join(import.meta.dir, 'server.ts')];
  const child = start(node, [...words, temporary('handwritten')], { NODE_ENV: 'production' });
  const base = `http://127.0.0.1:${await printed(child, /peer (\d+)\n/)}`;
  const brands = await call<Created[]>(base, 'POST', '/brands/batch', makeBrands());
  const brandIds = brands.map(({ id }) => id);
  const sample = sampleIds(records);
  const report = progress('hand-written', records);
  for (const part of chunks(makeItems(records), 1_000)) {
    const sent = part.map((item) => ({ ...item, brand: brandIds[item.brand] }));
    for (const { id } of await call<Created[]>(base, 'POST', '/products/batch', sent)) sample.add(id);
    report.add(part.length);
  }
  const stored = { ids: sample.ids(), brandIds, records };
  return {
    name: 'hand-written',
    base,
    pid: child.pid,
    filled: report.perSecond(),
    work: async (name) => commonWork(spelling, stored, name),
  };
}
