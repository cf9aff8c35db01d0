import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { JsonObject } from '../../src/model/json.ts';
import { loadRuntime } from '../../src/runtime/load-runtime.ts';
import type { SqliteDriver } from '../../src/store/engines/sqlite/connection/driver.ts';
import { Writer } from '../../src/store/engines/sqlite/writes/group-writer.ts';
import { openProjectFile } from '../../src/store/engines/sqlite/writes/open-project-file.ts';
import { Schemas } from '../../src/store/known-schemas.ts';
import { Deletions } from '../../src/store/sql/records/deletions.ts';
import { loadSchema } from '../../src/store/sql/schema/load-schema.ts';
import { sql, table } from '../../src/store/sql/tag.ts';
import type { Writes } from '../../src/store/sql/transaction.ts';
import { startApp } from '../harness.ts';
import { relation } from '../relation-world.ts';
import { sqliteStorage } from '../storage.ts';
import { asAdmin, definition, Records, resultOf } from '../support.ts';
import { quickRoom } from './crash-recorder.ts';
import { wrapStatements } from './wrap-statements.ts';

/** As sizes.ts has it: what a slice does, and what a deletion does that is not done in slices. */
const [slice, whole] = [4 * 1024 * 1024, 8 * 1024 * 1024];
/** Of one record that a slice takes beyond the others. */
const largest = 1024 * 1024;

/** What the transactions did: each one's work, and the characters that it read. */
interface Done {
  readonly work: number[];
  readonly read: number[];
}

/** Counts the characters of the rows that are read through it. */
function countingDriver(driver: SqliteDriver, count: (characters: number) => void): SqliteDriver {
  return wrapStatements(driver, (statement) => ({
    ...statement,
    rows(values) {
      const rows = statement.rows(values);
      for (const row of rows) for (const cell of row) count(String(cell).length);
      return rows;
    },
  }));
}

describe('a deletion that touches few records, which are large', () => {
  let sqlite: SqliteDriver;
  let room: string;
  before(async () => {
    ({ sqlite } = await loadRuntime());
    room = mkdtempSync(join(quickRoom, 'vitrine-bounds-'));
  });
  after(() => rmSync(room, { recursive: true, force: true }));

  /** Deletes the brand that so many products refer to; what is left of them, and what was done. */
  async function deletionOf(fields: JsonObject, count: number, product: (brand: string) => JsonObject) {
    const storage = await sqliteStorage();
    const app = await startApp({ storage });
    await app.project('p', definition('brands', {}), definition('products', fields));
    const of = (collection: string) => new Records(app, `/v1/p/${collection}`, asAdmin);
    const { _id: id } = await of('brands').create({});
    for (let made = 0; made < count; made += 15) {
      const create = Array.from({ length: Math.min(15, count - made) }, () => product(id));
      resultOf(await of('products').call('POST', '/batch', { create }));
    }
    await app.close();

    let read = 0;
    const done: Done = { work: [], read: [] };
    const driver = countingDriver(sqlite, (characters) => {
      read += characters;
    });
    const db = await openProjectFile(driver, join(storage.flags[1] ?? '', 'projects', 'p.db'));
    const writer = new Writer(db, new Schemas(), () => {});
    const writes: Writes = {
      write: (step) =>
        writer.write(async (transaction) => {
          const before = read;
          try {
            return await step(transaction);
          } finally {
            done.work.push(transaction.work);
            done.read.push(read - before);
          }
        }),
    };
    const deletions = new Deletions(writes, (work) => work(writes));
    const { collections } = await loadSchema(db);
    const [brands, products] = [collections.get('brands'), collections.get('products')];
    assert.ok(brands && products);
    assert.ok(await deletions.delete({ collection: brands.ref, id, scope: { kind: 'all' }, at: 1 }));
    assert.deepEqual(db.rows(sql`SELECT count(*) FROM ${table(`r${brands.key}`)}`), [[0]]);
    const left = db.rows(sql`SELECT json FROM ${table(`r${products.key}`)}`);
    db.close();
    await storage.remove();
    return { left: left.map(([json]) => JSON.parse(String(json)) as JsonObject), done };
  }

  const isBounded = ({ work, read }: Done) => {
    assert.ok(Math.max(...work) < slice + largest, `work of ${Math.max(...work)} in one transaction`);
    assert.ok(Math.max(...read) < whole * 1.5 + largest, `${Math.max(...read)} characters read in one`);
  };

  const long = { type: 'content' };
  const text = 'words '.repeat(150_000);

  it('reads and removes them a few at a time', async () => {
    const fields = { brand: relation('brands', { onDelete: 'cascade' }), long };
    const { left, done } = await deletionOf(fields, 15, (brand) => ({ brand, long: text }));
    assert.equal(left.length, 0);
    isBounded(done);
    // Before anything is read it is known that it is too much.
    assert.ok((done.read[0] ?? 0) < largest, `${done.read[0]}`);
  });

  it('reads and changes them a few at a time', async () => {
    const fields = { brand: relation('brands'), long };
    const { left, done } = await deletionOf(fields, 15, (brand) => ({ brand, long: text }));
    assert.equal(left.length, 15);
    for (const { brand } of left) assert.equal(brand, null);
    isBounded(done);
  });

  it('goes through those that might forbid it a few at a time', async () => {
    const fields = { brands: relation('brands', { kind: 'multiple', minItems: 0 }), long };
    const { left, done } = await deletionOf(fields, 15, (brand) => ({ brands: [brand], long: text }));
    assert.equal(left.length, 15);
    for (const { brands } of left) assert.deepEqual(brands, []);
    isBounded(done);
  });

  it('counts the items of their lists', async () => {
    const words = Array.from({ length: 2_000 }, (_, n) => `w${n}`);
    const list = { type: 'list', of: { type: 'text' } };
    const fields = { brand: relation('brands', { onDelete: 'cascade' }), list };
    const { left, done } = await deletionOf(fields, 25, (brand) => ({ brand, list: words }));
    assert.equal(left.length, 0);
    isBounded(done);
  });

  it('is one step where they are not', async () => {
    const fields = { brand: relation('brands', { onDelete: 'cascade' }), long };
    const { left, done } = await deletionOf(fields, 10, (brand) => ({ brand, long: text }));
    assert.equal(left.length, 0);
    assert.equal(done.work.length, 1);
  });
});
