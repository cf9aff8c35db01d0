import { authRoutes } from '../../src/http/auth-routes.ts';
import { batchRoutes } from '../../src/http/batch-routes.ts';
import { describeRoutes } from '../../src/http/describe-routes.ts';
import { managementRoutes } from '../../src/http/management/routes.ts';
import { recordRoutes } from '../../src/http/record-routes.ts';
import { defaultLimits, type Services } from '../../src/http/services.ts';
import type { JsonObject } from '../../src/model/json.ts';
import { seed } from '../seed.ts';
import { items, recordOf } from './expensive.ts';

/** A request that takes a server as much as it may. */
export interface Hostile {
  readonly verb: string;
  readonly path: string;
  readonly body?: Uint8Array<ArrayBuffer>;
  /** Its answer is waited for, however long it takes: it goes on where its client leaves. */
  readonly lasting?: boolean;
}

/** Requests that are sent one after the other while others are measured. */
export interface Group {
  readonly name: string;
  /** Makes what they are about, each time that they are sent. */
  prepare?(): Promise<void>;
  requests(): Hostile[];
}

const made = '00000000-0000-7000-8000-000000000000';
const { body: small, batchBody: large, url, records } = defaultLimits;
const bytes = (body: string | JsonObject) =>
  new TextEncoder().encode(typeof body === 'string' ? body : JSON.stringify(body));
const times = <T>(count: number, make: (n: number) => T): T[] =>
  Array.from({ length: count }, (_, n) => make(n));

/** What is deleted with a record that it refers to. */
export const parts: JsonObject = {
  id: 'parts',
  fields: {
    of: { type: 'relation', to: 'items', onDelete: 'cascade' },
    words: { type: 'content' },
    numbers: { type: 'list', of: { type: 'number' } },
  },
};

/** A deletion that takes along few records, which are large and have long lists. `post`: gives the answer's result. */
export function largeCascade(
  post: (path: string, body: JsonObject) => Promise<{ readonly _id?: string }>,
): Group {
  let whole = '';
  return {
    name: 'DELETE of what few large ones are deleted with',
    async prepare() {
      whole = (await post('p/items', recordOf(1)))._id ?? '';
      const numbers = times(10_000, (n) => n);
      const part = () => ({ of: whole, words: words(small.bytes / 2), numbers });
      for (let made = 0; made < 12; made += 4) await post('p/parts/batch', { create: times(4, part) });
    },
    requests: () => [{ verb: 'DELETE', path: `/v1/p/items/${whole}`, lasting: true }],
  };
}

/** Records that make very large pages. */
export const volumes: JsonObject = {
  id: 'volumes',
  fields: { words: { type: 'content' } },
  api: { access: 'public' },
};

/** Pages of two thirds of the bytes that an answer may have. */
export function largePages(post: (path: string, body: JsonObject) => Promise<unknown>): Group {
  const paths = [
    '?perPage=1000',
    '?perPage=1000&after=',
    '?perPage=1000&fields=_createdAt',
    '/export?format=csv',
  ];
  let isMade = false;
  return {
    name: 'GET of pages of 42 MB',
    async prepare() {
      const volume = { words: 'word '.repeat(small.bytes / 10) };
      for (let made = 0; made < 80 && !isMade; made += 20)
        await post('p/volumes/batch', { create: times(20, () => volume) });
      isMade = true;
    },
    requests: () => paths.map((path) => ({ verb: 'GET', path: `/v1/p/volumes${path}` })),
  };
}

/** Every address and verb there is, so that one that is added is tried too. */
export function hostileGroups(one: string, drawnOf: 'some' | 'all'): Group[] {
  const services = { catalog: {}, limits: {} } as unknown as Services; // what answers is not asked here
  const routes = [
    ...[...recordRoutes(services), ...batchRoutes(services), ...authRoutes(services)],
    ...[...describeRoutes(services), ...managementRoutes(services)],
  ];
  const groups = routes.flatMap(({ path, verbs }) =>
    Object.keys(verbs).map((verb) => ({
      name: `${verb} ${path}`,
      isOfRecords: path.startsWith('/v1/:project/') && !path.includes('_auth'),
      generic: () => generic(verb, path),
      special: () => special(verb, path, one),
    })),
  );
  const whole = groups.map((group) => ({
    ...group,
    requests: () => [...group.generic(), ...group.special()],
  }));
  if (drawnOf === 'all') return whole;
  const others = groups.filter(({ isOfRecords }) => !isOfRecords);
  return [
    ...whole.filter(({ isOfRecords }) => isOfRecords),
    ...others
      .filter(({ special }) => special().length > 0)
      .map(({ name, special }) => ({ name, requests: special })),
    ...times(Math.ceil(others.length / together), (n) => {
      const some = others.slice(n * together, (n + 1) * together);
      const requests = () => some.flatMap((group) => few(group.generic()));
      return { name: some.map(({ name }) => name).join(', '), requests };
    }),
  ];
}

/** Of what is read the same way everywhere a few forms are tried at each address, and of several addresses together. */
const together = 8;
function few<T>(all: readonly T[]): T[] {
  return times(3, () => all[draw(all.length)] as T);
}

/** What no request may do to the world that the others are asked about. */
const protectedPaths = [
  '/v1/_admin/projects/:project',
  '/v1/_admin/projects/:project/collections/:collection',
];

/** At every limit, whatever the request is for: queries, and bodies of each shape. */
function generic(verb: string, path: string): Hostile[] {
  const safe = verb === 'GET' || !protectedPaths.includes(path);
  const address = path
    .replace(':project', safe ? 'p' : 'none')
    .replace(':collection', safe ? 'items' : 'none')
    .replaceAll(/:\w+/g, made);
  if (verb === 'GET' || verb === 'DELETE') return queries(address).map((query) => ({ verb, path: query }));
  const limit = /batch$/.test(path) ? large : small;
  return shapes(limit).map((body) => ({ verb, path: address, body: bytes(body) }));
}

/** Addresses as long as they may be. */
function queries(address: string): string[] {
  const room = url - address.length - 40;
  const fill = (part: (n: number) => string) => {
    const parts: string[] = [];
    for (let n = 0, length = 0; length < room; n++) {
      parts.push(part(n));
      length += part(n).length + 1;
    }
    return parts.slice(0, -1).join('&');
  };
  return [
    `${address}?search=${'e'.repeat(room)}`,
    `${address}?search=${times(room / 4, (n) => (n % 36).toString(36)).join('%20')}`,
    `${address}?sort=${times(room / 7, () => 'a_text').join(',')}`,
    `${address}?${fill((n) => `a_number>=${n}`)}`,
    `${address}?${fill((n) => `a_contnt${n}=x`)}`,
    `${address}?include=${times(room / 11, () => 'a_relation').join('.')}`,
    `${address}?after=${'A'.repeat(room)}`,
    `${address}?page=${Number.MAX_SAFE_INTEGER}&perPage=${records.perPage}`,
  ];
}

/** Bodies as large, as deep and with as many parts as they may have, and a little beyond. */
function shapes({ bytes: most, depth }: { readonly bytes: number; readonly depth: number }): string[] {
  const fill = (part: string, open: string, close: string) =>
    `${open}${Array(Math.floor((most - 100) / (part.length + 1)))
      .fill(part)
      .join(',')}${close}`;
  const nested = (levels: number) => `{"a":${'['.repeat(levels)}${']'.repeat(levels)}}`;
  return [
    `{"email":"a@example.com","password":"x","name":"${'n'.repeat(most - 100)}"}`,
    `{"name":"${'\\u0000'.repeat(Math.floor((most - 100) / 6))}"}`,
    `{"name":"${'\\"'.repeat(Math.floor((most - 100) / 2))}"}`,
    `{"${'\\u0041'.repeat(Math.floor((most - 100) / 6))}":0}`,
    fill('0', '{"create":[', ']}'),
    fill('{}', '{"operations":[', ']}'),
    fill('""', '{"delete":[', ']}'),
    fill(`{"a":${'['.repeat(depth - 3)}${']'.repeat(depth - 3)}}`, '{"update":[', ']}'),
    `{${times(Math.floor(most / 12), (n) => `"k${n.toString(36)}":0`).join(',')}}`.slice(0, most),
    nested(depth - 1),
    nested(Math.floor(most / 2) - 10),
    `{"a":"${'x'.repeat(most)}"}`,
    ' '.repeat(most - 2).concat('{}'),
  ];
}

/** The most that a legal write may ask for. */
function special(verb: string, path: string, one: string): Hostile[] {
  const { batchOperations: operations } = records;
  /** As many as a batch may write, less what the rest of it takes. */
  const lists = 56;
  const wide = (n: number, length: number) => ({ ...recordOf(n), a_content: words(length) });
  const list = { a_list: times(1_000, (n) => `item ${n}`) };
  switch (`${verb} ${path}`) {
    case 'POST /v1/:project/:collection':
      return [wide(1, small.bytes - 2_000), { ...recordOf(2), ...list }].map((body) => ({
        verb,
        path: '/v1/p/items',
        body: bytes(body),
      }));
    case 'PATCH /v1/:project/:collection/:id':
      return [{ a_content: words(small.bytes - 2_000) }, { a_content: 'short', ...list }].map((body) => ({
        verb,
        path: `/v1/p/items/${one}`,
        body: bytes(body),
      }));
    case 'POST /v1/:project/:collection/batch':
      return [
        { create: times(operations, (n) => recordOf(n)) },
        { create: times(15, (n) => wide(n, small.bytes - 2_000)) },
        { create: times(operations, (n) => wide(n, 14_000)) },
        { create: times(lists, (n) => ({ ...recordOf(n), ...list })) },
      ].map((body) => ({ verb, path: '/v1/p/items/batch', body: bytes(body) }));
    case 'POST /v1/:project/_batch':
      return [
        times(operations, (n) => ({ method: 'create', collection: 'items', data: wide(n, 14_000) })),
        times(operations, (n) => ({ method: 'update', collection: 'items', id: one, data: { a_number: n } })),
        times(operations, () => ({ method: 'delete', collection: 'items', id: made })),
        times(lists / 2, (n) => ({
          ...{ method: 'update', collection: 'items', id: one },
          data: { a_list: times(1_000, (m) => `item ${n} ${m}`) },
        })),
      ].map((body) => ({ verb, path: '/v1/p/_batch', body: bytes({ operations: body }) }));
    case 'PUT /v1/_admin/projects/:project/collections/:collection': {
      const more = {
        ...items,
        fields: { ...(items.fields as JsonObject), more: { type: 'text', index: true } },
      };
      const address = '/v1/_admin/projects/p/collections/items';
      return [
        { verb, path: address, body: bytes(more), lasting: true },
        { verb, path: `${address}?confirm=destructive`, body: bytes(items), lasting: true },
      ];
    }
    default:
      return [];
  }
}

let drawn = seed;
/** A whole number below `most`, the next under the seed. */
function draw(most: number): number {
  drawn = (Math.imul(drawn, 1_664_525) + 1_013_904_223) >>> 0;
  return Math.floor((drawn / 2 ** 32) * most);
}

/** Different ones, as far as they go: each is indexed for search. */
function words(length: number): string {
  const parts: string[] = [];
  for (let at = 0; at < length; at += 7)
    parts.push(
      draw(36 ** 6)
        .toString(36)
        .padStart(6, '0'),
    );
  return parts.join(' ').slice(0, length);
}
