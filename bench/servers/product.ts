import { cpSync } from 'node:fs';
import { basename } from 'node:path';
import { answers, temporary } from '../children.ts';
import { call } from '../http.ts';
import { settle } from '../processes.ts';
import type { Server, Work, WorkName } from '../server.ts';
import { commonWork, grownWork, type Spelling } from '../works.ts';
import { type Answer, fill, fillTwins, person, prefix } from './filling.ts';
import { type Launch, launch } from './launch.ts';

export interface ProductOptions {
  readonly name: string;
  /** An empty directory, or the flags of another storage. */
  readonly storage: string | readonly string[];
  readonly records: number;
  /** How many people have 1,000 records each. */
  readonly owners?: number;
}

export const grownNames = [
  'view',
  'list',
  'filter',
  'filter-new',
  'search',
  'search-new',
  'distinct',
] as const;
export type GrownName = (typeof grownNames)[number];

/** Another process of the product. */
export interface Node extends Pick<Server, 'base' | 'pid'> {
  stop(): Promise<void>;
}

export interface Product extends Server {
  readonly records: number;
  /** The same collection twice: at level user, where the caller owns 1,000 records of all, and public. */
  twins(name: 'user-view' | 'user-list'): Promise<{ user: Work; open: Work }>;
  /** What is compared between sizes. */
  grown(name: GrownName): Promise<Work | undefined>;
  exportPath(format: string): string;
  /** Milliseconds from the command to the first answer, on the data that is there. */
  restart(how?: Launch): Promise<number>;
  /** Another one on a copy of the data, or on the same where the storage is not a directory. */
  another(how?: Launch): Promise<Node>;
  stop(): Promise<void>;
}

const items = (collection: string) => `${prefix}/${collection}`;

function spelling(collection: string): Spelling {
  const path = items(collection);
  return {
    items: path,
    view: (id) => `${path}/${id}`,
    list: (page, size = 25, order = '') => `${path}?page=${page}&perPage=${size}${order && `&sort=${order}`}`,
    filter: (group) => `${path}?group=${group}`,
    include: (page, size = 25, order = '') =>
      `${path}?page=${page}&perPage=${size}&include=brand${order && `&sort=${order}`}`,
    search: (word) => `${path}?search=${word}`,
    distinct: `${path}/distinct?field=group`,
    anew: (read) => `${read}&price>=-0.{n}`,
    brand: (id) => id,
  };
}

/** Starts the product on an empty storage and fills it through its own API. */
export async function startProduct({ name, storage, records, owners = 0 }: ProductOptions): Promise<Product> {
  const flags = typeof storage === 'string' ? ['--data', storage] : storage;
  let { child, base } = await launch(flags);
  const stored = await fill(base, records);
  const twins = owners > 0 ? await fillTwins(base, stored.brandIds, owners) : { owned: [], all: [] };
  const token = async () => {
    type Login = Answer<{ readonly accessToken: string }>;
    return (await call<Login>(base, 'POST', `${prefix}/_auth/login`, person)).result.accessToken;
  };
  const ready = (at: string) => answers(`${at}${items('products')}?perPage=1`);
  return {
    name,
    records,
    filled: stored.filled,
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
    async grown(work) {
      const path = items('products');
      if (work === 'view' || work === 'list') return commonWork(spelling('products'), stored, work);
      // A hundred values at every size: the relation, which is always indexed.
      if (work === 'distinct') return { reads: [`${path}/distinct?field=brand`] };
      const name = work.startsWith('filter') ? 'filter' : 'search';
      return grownWork(spelling('products'), stored, name, work.endsWith('new'));
    },
    exportPath: (format) => `${items('products')}/export?format=${format}`,
    stop: () => child.stop(),
    async restart(how) {
      await child.stop();
      const begin = performance.now();
      ({ child, base } = await launch(flags, how));
      await ready(base);
      return performance.now() - begin;
    },
    async another(how) {
      let place = flags;
      if (typeof storage === 'string') {
        await settle(child.pid, 900_000);
        place = ['--data', copyOf(storage)];
      }
      const node = await launch(place, how);
      await ready(node.base);
      return { base: node.base, pid: node.child.pid, stop: () => node.child.stop() };
    },
  };
}

/** Of the files of a server that is at rest: each with its write-ahead log is whole. */
function copyOf(directory: string): string {
  const copy = temporary('copy');
  const left = (path: string) => path.endsWith('-shm') || basename(path).startsWith('serve.lock');
  cpSync(directory, copy, { recursive: true, filter: (path) => !left(path) });
  return copy;
}
