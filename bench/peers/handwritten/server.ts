/** What a good engineer writes in an hour: a fixed schema, minimal validation, rows as JSON, WAL, durable. */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import Fastify from 'fastify';

const db = new DatabaseSync(join(process.argv[2] ?? '.', 'peer.db'));
db.exec(`
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = FULL;
  PRAGMA cache_size = -16000;
  CREATE TABLE brands (seq INTEGER PRIMARY KEY, id TEXT UNIQUE, name TEXT UNIQUE, country TEXT);
  CREATE TABLE products (
    seq INTEGER PRIMARY KEY, id TEXT UNIQUE, title TEXT NOT NULL, "group" TEXT, sku TEXT UNIQUE, price REAL,
    inStock INTEGER, releasedAt TEXT, body TEXT, brand TEXT, createdAt TEXT, updatedAt TEXT
  );
  CREATE INDEX products_group ON products ("group");
  CREATE INDEX products_brand ON products (brand);
`);

type Row = Record<string, SQLInputValue>;
interface Payload {
  title: string;
  group: string;
  sku: string;
  price: number;
  inStock: boolean;
  releasedAt: string;
  body: string;
  brand: string;
}
interface Find {
  page?: number;
  perPage?: number;
  group?: string;
  include?: string;
  search?: string;
  minPrice?: number;
}

const columns = 'id, title, "group", sku, price, inStock, releasedAt, body, brand, createdAt, updatedAt';
const byId = db.prepare(`SELECT ${columns} FROM products WHERE id = ?`);
const count = db.prepare('SELECT count(*) AS total FROM products');
const page = db.prepare(`SELECT ${columns} FROM products ORDER BY seq LIMIT ? OFFSET ?`);
const byGroup = found('"group" = ?1');
const bySearch = found('(title LIKE ?1 OR body LIKE ?1)');
const byGroupAndPrice = found('"group" = ?1 AND price >= ?2');
const bySearchAndPrice = found('(title LIKE ?1 OR body LIKE ?1) AND price >= ?2');
const groups = db.prepare('SELECT DISTINCT "group" AS value FROM products ORDER BY 1');
const brandById = db.prepare('SELECT id, name, country FROM brands WHERE id = ?');
const insert = db.prepare(`INSERT INTO products (${columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`);
const insertBrand = db.prepare('INSERT INTO brands (id, name, country) VALUES (?, ?, ?)');
const setPrice = db.prepare('UPDATE products SET price = ?, updatedAt = ? WHERE id = ?');

/** How many there are, and a page of them. */
function found(where: string) {
  return {
    count: db.prepare(`SELECT count(*) AS total FROM products WHERE ${where}`),
    page: db.prepare(`SELECT ${columns} FROM products WHERE ${where} ORDER BY seq LIMIT ? OFFSET ?`),
  };
}

function record(row: Row): Row | object {
  return { ...row, inStock: row.inStock === 1 };
}

function add({ title, group, sku, price, inStock, releasedAt, body, brand }: Payload): object {
  const id = randomUUID();
  const now = new Date().toISOString();
  insert.run(id, title, group, sku, price, inStock ? 1 : 0, releasedAt, body, brand, now, now);
  return { id, title, group, sku, price, inStock, releasedAt, body, brand, createdAt: now, updatedAt: now };
}

function total(row: Row | undefined): number {
  return Number(row?.total ?? 0);
}

const app = Fastify({ bodyLimit: 16 * 1024 * 1024 });

const payload = {
  type: 'object',
  required: ['title'],
  properties: {
    title: { type: 'string', maxLength: 200 },
    group: { type: 'string' },
    sku: { type: 'string' },
    price: { type: 'number', minimum: 0 },
    inStock: { type: 'boolean' },
    releasedAt: { type: 'string' },
    body: { type: 'string' },
    brand: { type: 'string' },
  },
};
const query = {
  type: 'object',
  properties: {
    page: { type: 'integer', minimum: 1 },
    perPage: { type: 'integer', minimum: 1, maximum: 1000 },
    group: { type: 'string' },
    include: { type: 'string' },
    search: { type: 'string' },
    minPrice: { type: 'number' },
  },
};

app.get<{ Params: { id: string } }>('/products/:id', (request, reply) => {
  const row = byId.get(request.params.id);
  if (!row) return reply.code(404).send({ error: 'not found' });
  return reply.send(record(row));
});

app.get<{ Querystring: Find }>('/products', { schema: { querystring: query } }, (request, reply) => {
  const { page: number = 1, perPage = 25, group, include, search, minPrice } = request.query;
  const at = (number - 1) * perPage;
  const word = group ?? (search === undefined ? undefined : `%${search}%`);
  let all: number;
  let rows: Row[];
  if (word === undefined) {
    all = total(count.get());
    rows = page.all(perPage, at);
  } else if (minPrice === undefined) {
    const find = group === undefined ? bySearch : byGroup;
    all = total(find.count.get(word));
    rows = find.page.all(word, perPage, at);
  } else {
    const find = group === undefined ? bySearchAndPrice : byGroupAndPrice;
    all = total(find.count.get(word, minPrice));
    rows = find.page.all(word, minPrice, perPage, at);
  }
  const related =
    include === 'brand'
      ? { brands: [...new Set(rows.map((row) => row.brand))].map((id) => brandById.get(id ?? null)) }
      : {};
  return reply.send({ page: number, perPage, total: all, found: rows.map(record), ...related });
});

app.get('/groups', (_, reply) => reply.send({ values: groups.all().map(({ value }) => value) }));

app.post<{ Body: Payload }>('/products', { schema: { body: payload } }, (request, reply) => {
  return reply.code(201).send(add(request.body));
});

app.patch<{ Params: { id: string }; Body: { price: number } }>('/products/:id', (request, reply) => {
  const { price } = request.body;
  if (typeof price !== 'number') return reply.code(400).send({ error: 'price must be a number' });
  const { changes } = setPrice.run(price, new Date().toISOString(), request.params.id);
  const row = changes === 0 ? undefined : byId.get(request.params.id);
  return row ? reply.send(record(row)) : reply.code(404).send({ error: 'not found' });
});

app.post<{ Body: Payload[] }>('/products/batch', (request, reply) => {
  db.exec('BEGIN IMMEDIATE');
  const created = request.body.map(add);
  db.exec('COMMIT');
  return reply.send(created);
});

app.post<{ Body: { name: string; country: string }[] }>('/brands/batch', (request, reply) => {
  const created = request.body.map(({ name, country }) => {
    const id = randomUUID();
    insertBrand.run(id, name, country);
    return { id };
  });
  return reply.send(created);
});

await app.listen({ host: '127.0.0.1', port: 0 });
const address = app.server.address();
console.log(`peer ${typeof address === 'object' ? address?.port : ''}`);
process.once('SIGTERM', () => process.exit(0));
