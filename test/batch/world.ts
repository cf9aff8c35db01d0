import assert from 'node:assert/strict';
import type { Json, JsonObject } from '../../src/model/json.ts';
import { adminKey, type Reply, type TestApp } from '../harness.ts';
import { asAdmin, definition, type Listed, makeProject, Records, type Row, resultOf } from '../support.ts';

/** Brands, products of brands, reviews that go with their product, and orders that hold theirs back. */
const collections: readonly JsonObject[] = [
  definition('brands', { name: { type: 'text', required: true, unique: true } }),
  definition('products', {
    title: { type: 'text', required: true, maxLength: 40 },
    sku: { type: 'text', unique: true },
    price: { type: 'number', min: 0, index: true },
    tags: { type: 'list', of: { type: 'text' } },
    brand: { type: 'relation', to: 'brands' },
    similar: { type: 'relation', to: 'products', kind: 'multiple' },
  }),
  definition('reviews', {
    text: { type: 'content' },
    product: { type: 'relation', to: 'products', onDelete: 'cascade', required: true },
    previous: { type: 'relation', to: 'reviews' },
  }),
  definition('orders', { product: { type: 'relation', to: 'products', onDelete: 'restrict' } }),
];

export const ids = ['brands', 'products', 'reviews', 'orders'] as const;

export interface Operation {
  readonly method: 'create' | 'update' | 'delete';
  readonly collection: string;
  readonly id?: string;
  readonly data?: JsonObject;
}

/** One project with these collections, and both ways to send several writes at once. */
export class World {
  readonly app: TestApp;
  readonly path: string;
  readonly brands: Records;
  readonly products: Records;
  readonly reviews: Records;
  readonly orders: Records;

  constructor(app: TestApp, path: string) {
    this.app = app;
    this.path = path;
    [this.brands, this.products, this.reviews, this.orders] = ids.map(
      (id) => new Records(app, `${path}/${id}`),
    ) as [Records, Records, Records, Records];
  }

  /** POST :collection/batch */
  batch(collection: string, body: Json, token?: string): Promise<Reply> {
    return this.app.call('POST', `${this.path}/${collection}/batch`, { body, token });
  }

  /** POST _batch */
  operations(operations: Json, token?: string): Promise<Reply> {
    return this.app.call('POST', `${this.path}/_batch`, { body: { operations }, token });
  }

  async results(operations: readonly Operation[]): Promise<Row[]> {
    const result = resultOf(await this.operations(operations as unknown as Json));
    assert.deepEqual(Object.keys(result), ['results']);
    return result.results as Row[];
  }

  /** The same operation in a request of its own. */
  alone({ method, collection, id = '', data }: Operation): Promise<Reply> {
    const verb = { create: 'POST', update: 'PATCH', delete: 'DELETE' }[method];
    const rest = method === 'create' ? '' : `/${id}`;
    return this.app.call(verb, `${this.path}/${collection}${rest}`, { body: data, ...asAdmin });
  }

  /** All that the API tells of the project: every record, counts, distinct values and what searches find. */
  async dump(words: readonly string[] = ['new', 'poison']): Promise<Json> {
    const all: Record<string, Json> = {};
    const get = async (rest: string): Promise<Json> => {
      return resultOf(await this.app.call('GET', `${this.path}/${rest}`, { token: adminKey })) as JsonObject;
    };
    for (const id of ids) {
      const found: Json[] = [];
      for (let page = 1, pages = 1; page <= pages; page++) {
        const list = (await get(`${id}?perPage=1000&page=${page}`)) as unknown as Listed;
        pages = list.totalPages;
        found.push(list.total, ...list.found);
      }
      all[id] = found;
      all[`bindings of ${id}`] = await get(`${id}?perPage=1000&fields=_owner,_workspace`);
      for (const word of words) all[`'${word}' in ${id}`] = await get(`${id}?perPage=1000&search=${word}`);
    }
    all.tags = await get('products/distinct?fields=tags,brand,similar,price,sku');
    all.dear = await get('products?price>=10&sort=-price,title&fields=price&perPage=1000');
    all.cheap = await get('products?price<10&tags!=new&include=brand,similar&perPage=1000');
    return all;
  }

  /** The request is refused, and nothing is different after it. */
  async changesNothing(send: () => Promise<Reply>): Promise<Reply> {
    const before = await this.dump();
    const reply = await send();
    assert.ok(reply.status >= 400 && reply.status < 500, reply.text);
    assert.deepEqual(await this.dump(), before);
    assert.deepEqual(this.app.errors, []);
    return reply;
  }
}

export async function makeWorld(app: TestApp): Promise<World> {
  return new World(app, await makeProject(app, ...collections));
}
