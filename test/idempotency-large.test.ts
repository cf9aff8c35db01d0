import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { loadRuntime } from '../src/runtime/load-runtime.ts';
import { startApp, type TestApp } from './harness.ts';
import { asSuperuser } from './postgres-server.ts';
import { type NamedStorage, startStorage, testEngine } from './storage.ts';
import { asAdmin, assertRefused, definition, Records, resultOf } from './support.ts';

let storage: NamedStorage;
let app: TestApp;
before(async () => {
  storage = await startStorage();
  app = await startApp({ storage });
});
after(async () => {
  await app.close();
  await storage.remove();
});

/** In the project `p`: no record is removed from its second collection, whatever is tried. */
const refusing =
  testEngine === 'sqlite'
    ? {
        begin: "CREATE TRIGGER refuse BEFORE DELETE ON r2 BEGIN SELECT RAISE(ABORT, 'not now'); END",
        end: 'DROP TRIGGER refuse',
      }
    : {
        begin: `
          CREATE FUNCTION public.refuse() RETURNS trigger AS 'BEGIN RAISE ''not now''; END' LANGUAGE plpgsql;
          DO $$ BEGIN EXECUTE (
            SELECT format('CREATE TRIGGER refuse BEFORE DELETE ON %I.r2 FOR EACH ROW EXECUTE FUNCTION public.refuse()', schemaname)
            FROM pg_catalog.pg_tables WHERE tablename = 'r2'
          ); END $$`,
        end: 'DROP FUNCTION public.refuse() CASCADE',
      };

async function run(statement: string): Promise<void> {
  const [, place = ''] = storage.flags;
  if (testEngine === 'postgres') return asSuperuser(place, statement);
  const db = (await loadRuntime()).sqlite.open(join(place, 'projects', 'p.db'));
  db.exec(`PRAGMA busy_timeout = 5000; ${statement}`); // words may be being indexed
  db.close();
}

describe('Idempotency-Key on a Delete that is done in slices', () => {
  it('answers it again once it is done, also where it was interrupted after it had been decided', async () => {
    const product = { type: 'relation', to: 'brands', onDelete: 'cascade' };
    await app.project('p', definition('brands', {}), definition('products', { brand: product }));
    const [brands, products] = ['brands', 'products'].map((id) => new Records(app, `/v1/p/${id}`, asAdmin));
    assert.ok(brands && products);
    const { _id } = await brands.create({});
    for (const count of [1_000, 1]) {
      const create = Array.from({ length: count }, () => ({ brand: _id }));
      resultOf(await products.call('POST', '/batch', { create }));
    }
    const send = () =>
      app.call('DELETE', `/v1/p/brands/${_id}`, { ...asAdmin, headers: { 'idempotency-key': 'once' } });
    await run(refusing.begin);
    assertRefused(await send(), 503, 'has begun and will be completed');
    assert.equal(await products.total(), 1_001);
    await run(refusing.end);
    const again = await send();
    assert.deepEqual(resultOf(again), { _id });
    assert.equal(again.headers.get('idempotency-replayed'), 'true');
    assert.deepEqual([await brands.total(), await products.total()], [0, 0]);
  });
});
