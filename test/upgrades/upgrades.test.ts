import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import postgres from 'postgres';
import { loadRuntime } from '../../src/runtime/load-runtime.ts';
import { upgrades as postgresUpgrades } from '../../src/store/engines/postgres/tables/upgrades.ts';
import { upgrades as sqliteUpgrades } from '../../src/store/engines/sqlite/tables/upgrades.ts';
import { startApp, type TestApp } from '../harness.ts';
import { type NamedStorage, testEngine } from '../storage.ts';
import { asAdmin, assertRefused, type Listed, Records, resultOf } from '../support.ts';
import { made, nextDay, password, startOldStorage, writeOld } from './fixture.ts';

let storage: NamedStorage;
let app: TestApp;
before(async () => {
  storage = await startOldStorage();
  app = await startApp({ storage, now: nextDay });
});
after(async () => {
  await app.close();
  await storage.remove();
});

const products = () => new Records(app, '/v1/shop/products', asAdmin);

describe('data that the first version made', () => {
  it('is there as it was, to the last byte', async () => {
    for (const [collection, records] of Object.entries(made.records)) {
      const reply = await app.call('GET', `/v1/shop/${collection}?perPage=100`, asAdmin);
      assert.deepEqual((resultOf(reply) as unknown as Listed).found, records, collection);
    }
    assert.equal(resultOf(await app.call('GET', '/v1/_admin/projects', asAdmin)).total, 2);
    assert.deepEqual(app.errors, []);
  });

  it('has the users, sign-ins, workspaces, keys and administrators that it had', async () => {
    const auth = '/v1/shop/_auth';
    const body = { email: 'ann@example.com', password };
    const { accessToken } = resultOf(await app.call('POST', `${auth}/login`, { body }));
    const token = String(accessToken);
    for (const collection of ['notes', 'tasks']) {
      assert.equal(resultOf(await app.call('GET', `/v1/shop/${collection}`, { token })).total, 1, collection);
    }
    assert.equal(resultOf(await app.call('GET', `${auth}/workspaces`, { token })).total, 1);
    resultOf(await app.call('POST', `${auth}/refresh`, { body: { refreshToken: made.refreshToken } }));
    assert.equal(resultOf(await app.call('GET', '/v1/shop/notes', { token: made.key })).total, 1);
    const login = { email: 'root@example.com', password };
    resultOf(await app.call('POST', '/v1/_admin/login', { body: login }));
  });

  it('follows the rules of now: unique addresses without regard to case, white space in phrases', async () => {
    for (const contact of ['ANN@EXAMPLE.COM', 'BOB@example.com', 'ann@example.com']) {
      assertRefused(await products().call('POST', '', { title: 'x', contact }), 409, 'contact');
    }
    assert.equal(await products().total('search=%22lamp 3 number two%22'), 1);
    assert.equal(await products().total('search=m4@example.com'), 1);
  });

  it('answers a request with a key that was used again as it did', async () => {
    const body = { create: [{ title: 'From a batch' }] };
    const headers = { 'idempotency-key': 'batch-1' };
    const before = await products().total();
    const reply = await app.call('POST', '/v1/shop/products/batch', { body, headers });
    assert.equal(reply.headers.get('idempotency-replayed'), 'true', reply.text);
    assert.equal(await products().total(), before);
  });

  it('has long texts that are found, sorted and written as before', async () => {
    const bodies = (made.records.products ?? []).map(({ body }) => body);
    const texts = bodies.filter((body) => typeof body === 'string');
    assert.ok(texts.length > 0 && texts.length < bodies.length);
    for (const body of texts)
      assert.equal(await products().total(`body=${encodeURIComponent(body)}`), count(texts, body), body);
    assert.equal(await products().total('body='), bodies.length - texts.length);
    const sorted = (await products().list('sort=-body')).found.map(({ body }) => body);
    assert.deepEqual(sorted.slice(0, texts.length), texts.toSorted().reverse());
    const [first] = (await products().list('sort=-body')).found;
    await products().update(first?._id ?? '', { body: 'zzz written anew' });
    assert.equal(await products().total('body=zzz written anew'), 1);
    await products().update(first?._id ?? '', { body: String(first?.body) });
    assert.equal(await products().total('body=zzz written anew'), 0);
  });

  it('can be written, deleted and changed as any other', async () => {
    const [first] = (await products().list('sort=title')).found;
    assert.ok(first);
    await products().update(first._id, { price: 7, tags: ['new'] });
    assert.equal(await products().total('tags=new'), 1);
    await products().remove(first._id);
    const path = '/v1/_admin/projects/shop/collections/brands';
    const { fields, api } = resultOf(await app.call('GET', path, asAdmin)) as { fields: object; api: object };
    const body = JSON.parse(
      JSON.stringify({ id: 'brands', fields: { ...fields, motto: { type: 'text' } }, api }),
    );
    resultOf(await app.call('PUT', path, { ...asAdmin, body }));
    assert.equal(await new Records(app, '/v1/shop/brands').total('motto='), 3);
    assert.deepEqual(app.errors, []);
  });

  it('has the tables that new data has', async () => {
    resultOf(await app.call('POST', '/v1/_admin/projects', { ...asAdmin, body: { id: 'fresh' } }), 201);
    await app.call('GET', '/v1/_admin/projects/fresh/users', asAdmin);
    await app.call('GET', '/v1/_admin/projects/empty/users', asAdmin);
    const [old, fresh] = await tablesOf('empty', 'fresh');
    assert.ok((old ?? []).length > 10);
    assert.deepEqual(old, fresh);
  });

  it('has the columns that a new collection has', async () => {
    const path = '/v1/_admin/projects/shop/collections/products';
    const { fields, indexes } = JSON.parse(JSON.stringify(resultOf(await app.call('GET', path, asAdmin))));
    for (const body of [
      { id: 'brands', fields: {} },
      { id: 'products', fields, indexes },
    ])
      resultOf(await app.call('POST', '/v1/_admin/projects/fresh/collections', { ...asAdmin, body }), 201);
    const [old, fresh] = await columnsOf('products', 'shop', 'fresh');
    assert.ok((old ?? []).length > 10);
    assert.deepEqual(old, fresh);
  });
});

const count = (texts: readonly string[], text: string) => texts.filter((other) => other === text).length;

/** The columns of a collection in each project, in words. */
async function columnsOf(collection: string, ...projects: readonly string[]): Promise<string[][]> {
  const place = storage.flags[1] ?? '';
  const inWords = (columns: readonly unknown[][]) =>
    columns.map((parts) => parts.join(' ').replace(/^(f|u)\d+/, '$1')).sort();
  if (testEngine === 'sqlite') {
    const { sqlite } = await loadRuntime();
    return projects.map((id) => {
      const connection = sqlite.open(`${place}/projects/${id}.db`);
      const statement = connection.prepare(
        'SELECT name, type, "notnull", hidden FROM collections, pragma_table_xinfo(\'r\' || key) WHERE id = ?',
      );
      const columns = statement.rows([collection]);
      statement.finalize();
      connection.close();
      return inWords(columns);
    });
  }
  return inPostgres(projects, async (db, schema) => {
    const columns = await db`
      SELECT column_name, data_type, is_nullable, is_generated
      FROM information_schema.columns JOIN ${db(`${schema}.collections`)} AS collections ON table_name = 'r' || key
      WHERE table_schema = ${schema} AND id = ${collection}`.values();
    return inWords(columns);
  });
}

/** What `read` finds in the schema of each project. */
async function inPostgres(
  projects: readonly string[],
  read: (db: postgres.Sql, schema: string) => Promise<string[]>,
): Promise<string[][]> {
  const db = postgres(storage.flags[1] ?? '', { max: 1 });
  const found: string[][] = [];
  for (const id of projects) {
    const [row] = await db`SELECT seq FROM vitrine.projects WHERE id = ${id}`;
    found.push(await read(db, `vitrine_p${row?.seq}`));
  }
  await db.end();
  return found;
}

it('there is a step for each format on each engine', () => {
  assert.equal(sqliteUpgrades.length, postgresUpgrades.length);
});

/** The tables and indexes of each project, in words that do not depend on how they came about. */
async function tablesOf(...projects: readonly string[]): Promise<string[][]> {
  const place = storage.flags[1] ?? '';
  if (testEngine === 'sqlite') {
    const { sqlite } = await loadRuntime();
    return projects.map((id) => {
      const connection = sqlite.open(`${place}/projects/${id}.db`);
      const statement = connection.prepare("SELECT sql FROM sqlite_schema WHERE sql <> '' ORDER BY name");
      const texts = statement.rows([]).map(([text]) =>
        String(text)
          .replaceAll('"', '')
          .replace(/\s+/g, ' ')
          .replace(/\( | \)| ,/g, (sign) => sign.trim()),
      );
      statement.finalize();
      connection.close();
      return texts.filter((text) => !/CREATE (VIRTUAL )?TABLE '?t\d/.test(text));
    });
  }
  return inPostgres(projects, async (db, schema) => {
    const columns = await db`
      SELECT table_name || ' ' || column_name || ' ' || data_type || ' ' || is_nullable AS text
      FROM information_schema.columns WHERE table_schema = ${schema} ORDER BY 1`;
    const indexes =
      await db`SELECT replace(indexdef, ${`${schema}.`}, '') AS text FROM pg_indexes WHERE schemaname = ${schema} ORDER BY 1`;
    return [...columns, ...indexes].map(({ text }) => String(text));
  });
}

describe('an upgrade', () => {
  it('keeps every unique index, also where the first version saved them in another order than it made them in', async () => {
    const old = await startOldStorage();
    const nulls = testEngine === 'sqlite' ? '' : ' NULLS FIRST';
    const at = testEngine === 'sqlite' ? '' : 'vitrine_p1.';
    const saved = '"indexes":[{"fields":["title","price"],"unique":true},';
    await writeOld(
      old,
      `CREATE UNIQUE INDEX r2_i1 ON ${at}r2 (f1${nulls}, f3${nulls});
      UPDATE ${at}collections SET definition = replace(definition, '"indexes":[', '${saved}') WHERE id = 'products'`,
    );
    const node = await startApp({ storage: old, now: nextDay });
    const [brand] = (await new Records(node, '/v1/shop/brands').list()).found;
    const records = new Records(node, '/v1/shop/products');
    await records.create({ title: 'One', price: 77, brand: brand?._id ?? '', contact: 'X@example.com' });
    assertRefused(await records.call('POST', '', { title: 'One', price: 77 }), 409, 'title, price');
    await records.create({ title: 'One', price: 78 });
    const taken = { title: 'Two', brand: brand?._id, contact: 'x@EXAMPLE.com' } as never;
    assertRefused(await records.call('POST', '', taken), 409, 'brand, contact');
    assert.deepEqual(node.errors, []);
    await node.close();
    await old.remove();
  });

  it('has records found by ss that have a capital ẞ, which was kept as ß', async () => {
    const old = await startOldStorage();
    const at = testEngine === 'sqlite' ? '' : 'vitrine_p1.';
    const set = "SET text = 'hohe straße ' || text WHERE seq = (SELECT min(seq) FROM";
    await writeOld(old, `UPDATE ${at}s2 ${set} ${at}s2)`);
    const node = await startApp({ storage: old, now: nextDay });
    const records = new Records(node, '/v1/shop/products');
    for (const word of ['strasse', 'STRAẞE', 'straße'])
      assert.equal(await records.total(`search=${word}`), 1);
    assert.deepEqual(node.errors, []);
    await node.close();
    await old.remove();
  });

  it('names an owner of each workspace that had none', async () => {
    const old = await startOldStorage();
    const at = testEngine === 'sqlite' ? '' : 'vitrine_p1.';
    await writeOld(old, `UPDATE ${at}members SET role = 'member'`);
    const node = await startApp({ storage: old, now: nextDay });
    const path = '/v1/_admin/projects/shop/workspaces';
    const { found } = resultOf(await node.call('GET', path, asAdmin)) as { found: { _id: string }[] };
    assert.ok(found.length > 0);
    for (const { _id } of found) {
      const members = resultOf(await node.call('GET', `${path}/${_id}/members`, asAdmin)).found;
      const roles = (members as { role: string }[]).map(({ role }) => role);
      assert.deepEqual(roles.slice(0, 1), ['owner'], 'the longest member');
      assert.ok(!roles.slice(1).includes('owner'));
    }
    await node.close();
    await old.remove();
  });

  it('by two nodes at the same time is made once', async () => {
    const shared = await startOldStorage();
    const first = await startApp({ storage: shared, now: nextDay });
    // In one thread nobody can wait for a lock of SQLite that another has here.
    if (testEngine === 'sqlite') resultOf(await first.call('GET', '/v1/_admin/projects', asAdmin));
    const nodes = [first, await startApp({ storage: shared, now: nextDay })];
    const replies = await Promise.all(nodes.map((node) => node.call('GET', '/v1/shop/products', asAdmin)));
    for (const reply of replies) assert.equal(resultOf(reply).total, made.records.products?.length);
    for (const node of nodes) {
      assert.deepEqual(node.errors, []);
      await node.close();
    }
    await shared.remove();
  });
});
