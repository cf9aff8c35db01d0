import { join } from 'node:path';
import { answers, type Child, printed, root, start } from '../children.ts';
import { type Brand, chunks, type Item, makeBrands, makeItems } from '../dataset.ts';
import { call } from '../http.ts';
import { progress, sampleIds } from '../seeding.ts';
import type { Server, Stored, Work, WorkName } from '../server.ts';
import { commonWork, type Spelling } from '../works.ts';

const adminKey = 'bench-administrator-key';
const prefix = '/v1/bench';
const ownedEach = 1_000;
const person = { email: 'bench@example.com', password: 'bench-password' };

interface Answer<T> {
  readonly result: T;
}
type Created = Answer<{ readonly created: readonly { readonly _id: string }[] }>;

export interface Product extends Server {
  /** The same collection twice: at level user, where the caller owns 1,000 records of all, and public. */
  twins(name: 'user-view' | 'user-list'): Promise<{ user: Work; open: Work }>;
  distinctBrand: Work;
  /** Milliseconds from the command to the first answer, on the data that is there. */
  restart(flags?: readonly string[]): Promise<number>;
  stop(): Promise<void>;
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

function spelling(collection: string): Spelling {
  const items = `${prefix}/${collection}`;
  return {
    items,
    view: (id) => `${items}/${id}`,
    list: (page) => `${items}?page=${page}`,
    filter: (group) => `${items}?group=${group}`,
    include: (page) => `${items}?page=${page}&include=brand`,
    search: (word) => `${items}?search=${word}`,
    distinct: `${items}/distinct?field=group`,
    brand: (id) => id,
  };
}

function launch(data: string, flags: readonly string[] = []): Child {
  const words = [...flags, join(root, 'src/main.ts'), 'serve', '--data', data, '--port', '0'];
  return start(process.execPath, words, { VITRINE_ADMIN_KEY: adminKey });
}

/** Starts the product on an empty directory and fills it through its own API; `owners` have 1,000 records each. */
export async function startProduct(
  name: string,
  data: string,
  records: number,
  owners: number,
): Promise<Product> {
  let child = launch(data);
  let base = await printed(child, /Vitrine is at (http:\S+)/);
  const stored = await fill(base, records);
  const twins = owners > 0 ? await fillTwins(base, stored.brandIds, owners) : { owned: [], all: [] };
  const token = async () => {
    type Login = Answer<{ readonly accessToken: string }>;
    return (await call<Login>(base, 'POST', `${prefix}/_auth/login`, person)).result.accessToken;
  };
  return {
    name,
    get base() {
      return base;
    },
    get pid() {
      return child.pid;
    },
    work: async (work: WorkName) => commonWork(spelling('products'), stored, work),
    async twins(work) {
      const common = work === 'user-view' ? 'view' : 'list';
      const sized = (ids: readonly string[]) => ({ ...stored, ids });
      const user = commonWork(spelling('notes'), sized(twins.owned), common);
      const open = commonWork(spelling('open-notes'), sized(twins.all), common);
      if (!user || !open) throw new Error('there is no such work');
      return { user: { ...user, token: await token() }, open };
    },
    distinctBrand: { reads: [`${prefix}/products/distinct?field=brand`] },
    stop: () => child.stop(),
    async restart(flags) {
      await child.stop();
      const begin = performance.now();
      child = launch(data, flags);
      base = await printed(child, /Vitrine is at (http:\S+)/);
      await answers(`${base}${prefix}/products?perPage=1`);
      return performance.now() - begin;
    },
  };
}

async function fill(base: string, records: number): Promise<Stored> {
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
    report(part.length);
  }
  return { ids: sample.ids(), brandIds, records };
}

async function fillTwins(base: string, brandIds: readonly string[], ownerCount: number) {
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
    report(part.length);
  }
  return { owned: owned.ids(), all: all.ids() };
}

function withBrand(brandIds: readonly string[]) {
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
