import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import type { Scope } from '../../src/access/scope.ts';
import { requireCollection } from '../../src/catalog/require-collection.ts';
import { loadRuntime } from '../../src/runtime/load-runtime.ts';
import { Database } from '../../src/store/engines/sqlite/connection/database.ts';
import { sqliteDialect } from '../../src/store/engines/sqlite/dialect.ts';
import { filterClause } from '../../src/store/engines/sqlite/reads/filter-shapes.ts';
import { boundedWhere } from '../../src/store/engines/sqlite/reads/sliced/conditions.ts';
import { probesOf } from '../../src/store/engines/sqlite/reads/sliced/source.ts';
import type { Condition, Where } from '../../src/store/plans.ts';
import type { StoredCollection } from '../../src/store/schema.ts';
import { recordTable } from '../../src/store/sql/names.ts';
import { whereClause } from '../../src/store/sql/records/where.ts';
import { type Sql, sql } from '../../src/store/sql/tag.ts';
import { startApp, type TestApp } from '../harness.ts';
import { seed } from '../seed.ts';
import { type NamedStorage, sqliteStorage } from '../storage.ts';
import { definition, resultOf } from '../support.ts';

const words = ['a', 'b', 'c', null];
const text = fc.constantFrom(...words);
const number = fc.integer({ min: 0, max: 6 });
/** The same conditions with other values come again and again, and ranges with several ends on a side. */
const condition: fc.Arbitrary<Condition> = fc.oneof(
  fc.record({
    kind: fc.constantFrom('oneOf', 'noneOf'),
    name: fc.constantFrom('kind', 'note'),
    values: fc.array(text, { minLength: 1, maxLength: 2 }),
  }),
  fc.record({
    kind: fc.constantFrom('oneOf', 'noneOf'),
    name: fc.constantFrom('size', 'age'),
    values: fc.tuple(number),
  }),
  fc.record({
    kind: fc.constant('compare' as const),
    name: fc.constantFrom('size', 'age'),
    operator: fc.constantFrom('>', '>=', '<', '<='),
    value: number,
  }),
  fc.record({ kind: fc.constantFrom('oneOf', 'noneOf'), name: fc.constant('tags'), values: fc.tuple(text) }),
);
const all: Scope = { kind: 'all' };
const scope: fc.Arbitrary<Scope> = fc.constantFrom<Scope>(
  { kind: 'all' },
  { kind: 'owner', owner: 'nobody' },
);
const filter: fc.Arbitrary<Where> = fc.record({
  scope,
  conditions: fc.array(condition, { maxLength: 4 }),
  search: fc.constant([]),
});

/** Files are SQLite's alone, so these are too, whatever the other tests run on. */
describe(`SQL that is composed once for filters that differ in their values (VITRINE_SEED=${seed})`, () => {
  let storage: NamedStorage;
  let app: TestApp;
  let collection: StoredCollection;
  let db: Database;
  before(async () => {
    storage = await sqliteStorage();
    app = await startApp({ storage });
    const fields = {
      kind: { type: 'text', index: true },
      note: { type: 'text' },
      size: { type: 'number', index: true },
      age: { type: 'number' },
      tags: { type: 'list', of: { type: 'text' }, index: true },
    };
    await app.project('p', definition('items', fields));
    const create = Array.from({ length: 300 }, (_, at) => ({
      kind: words[at % 4] ?? null,
      note: words[(at >> 2) % 4] ?? null,
      size: at % 5 === 0 ? null : at % 7,
      age: at % 6,
      tags: at % 3 === 0 ? ['a', 'b'] : at % 3 === 1 ? ['c'] : [],
    }));
    resultOf(await app.call('POST', '/v1/p/items/batch', { body: { create } }));
    collection = await app.catalog().use('p', async (project) => requireCollection(project, 'items'));
    const { sqlite } = await loadRuntime();
    db = new Database(sqlite, join(storage.flags[1] ?? '', 'projects', 'p.db'));
  });
  after(async () => {
    db.close();
    await app.close();
    await storage.remove();
  });

  const found = (where: Sql) => db.rows(sql`SELECT seq FROM ${recordTable(collection)}${where} ORDER BY seq`);

  it('is that of each filter', () => {
    fc.assert(
      fc.property(filter, (where) => {
        const direct = whereClause(sqliteDialect, collection, where);
        assert.deepEqual(filterClause(collection, where), direct);
        const wanted = found(direct);
        for (const { of } of probesOf(collection, where))
          assert.deepEqual(found(boundedWhere(collection, where, of)), wanted, `bounded by ${of}`);
      }),
      { seed, numRuns: 1_000 },
    );
  });

  it('finds by an index what the conditions on its field say, be it by the tighter of two ends of a range', () => {
    fc.assert(
      fc.property(filter, (where) => {
        for (const { of, query } of probesOf(collection, where)) {
          const one = of === 'scope' ? undefined : where.conditions[of];
          const conditions = where.conditions.filter(
            (each) =>
              each === one || (each.kind === 'compare' && one?.kind === 'compare' && each.name === one.name),
          );
          const by: Where = { scope: of === 'scope' ? where.scope : all, conditions, search: [] };
          const few = [...new Set(db.rows(query).map(([seq]) => Number(seq)))].sort((a, b) => a - b);
          const wanted = found(whereClause(sqliteDialect, collection, by)).map(([seq]) => Number(seq));
          assert.deepEqual(few, wanted, `by ${of}`);
        }
      }),
      { seed, numRuns: 1_000 },
    );
  });
});
