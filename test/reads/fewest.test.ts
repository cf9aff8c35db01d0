import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { requireCollection } from '../../src/catalog/require-collection.ts';
import { loadRuntime } from '../../src/runtime/load-runtime.ts';
import { Database } from '../../src/store/engines/sqlite/connection/database.ts';
import { Costs, costLimits } from '../../src/store/engines/sqlite/reads/costs.ts';
import { countersOf, readCounters } from '../../src/store/engines/sqlite/reads/current-schema.ts';
import { IndexMarks } from '../../src/store/engines/sqlite/reads/index-marks.ts';
import { walkRecords } from '../../src/store/engines/sqlite/reads/sliced/walk.ts';
import type { Condition, WalkPlan } from '../../src/store/plans.ts';
import { textOf } from '../../src/store/record-texts.ts';
import type { StoredCollection } from '../../src/store/schema.ts';
import { explained } from '../explained.ts';
import { startApp, type TestApp } from '../harness.ts';
import { type NamedStorage, sqliteStorage } from '../storage.ts';
import { definition, resultOf } from '../support.ts';

const count = 3_000;
const scope = { kind: 'all' } as const;
const many: Condition = { kind: 'oneOf', name: 'many', values: ['yes'] };
const some: Condition = { kind: 'oneOf', name: 'some', values: ['yes'] };
const few: Condition = { kind: 'compare', name: 'few', operator: '>', value: 0 };

/** Files are SQLite's alone, so these are too, whatever the other tests run on. */
describe('of several indexes', () => {
  let storage: NamedStorage;
  let app: TestApp;
  let collection: StoredCollection;
  let db: Database;
  before(async () => {
    storage = await sqliteStorage();
    app = await startApp({ storage });
    const fields = {
      many: { type: 'text', index: true },
      some: { type: 'text', index: true },
      few: { type: 'number', index: true },
    };
    await app.project('p', definition('items', fields));
    const create = Array.from({ length: 600 }, (_, at) => ({
      many: at % 6 === 0 ? 'no' : 'yes',
      some: at % 3 === 0 ? 'yes' : 'no',
      few: at % 30 === 0 ? at : 0,
    }));
    for (let made = 0; made < count; made += 600)
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

  it('the one is taken that finds fewest', () => {
    const wayOf = (...conditions: Condition[]) => {
      const counters = readCounters(db, collection, countersOf(collection));
      const where = { scope, conditions, search: [] };
      return new Costs(db, costLimits, new IndexMarks()).wayOf(collection, { where }, counters);
    };
    assert.equal(wayOf(many), 'elsewhere');
    assert.deepEqual(wayOf(many, some), { by: 1 });
    assert.deepEqual(wayOf(few, some), { by: 0 });
    assert.deepEqual(wayOf(some, few), { by: 1 });
    assert.deepEqual(wayOf(some, many, few), { by: 2 });
  });

  it('a walk goes by that one from page to page, whatever its order', () => {
    const plans: string[] = [];
    for (const [by, index] of [
      [0, /USING INDEX r1_f2 \(f2=\?/],
      [1, /USING COVERING INDEX r1_f3 \(f3>\?\)/],
    ] as const) {
      for (const name of ['many', 'some', 'few', '_createdAt']) {
        const sort = [{ name, descending: name === 'few' }];
        const where = { scope, conditions: [some, few], search: [] };
        const plan = { collection: collection.ref, where, sort, limit: 40, include: [], extra: [] };
        let after: WalkPlan['after'];
        const found: string[] = [];
        do {
          const page = walkRecords(explained(db, plans), collection, { ...plan, after }, by);
          assert.ok(page);
          found.push(...page.found.map(textOf));
          after = page.end;
        } while (after);
        assert.equal(new Set(found).size, 95);
        assert.ok(plans.length >= 3);
        for (const steps of plans.splice(0)) {
          assert.match(steps, index, name);
          assert.equal(steps.match(/r1_\w+/g)?.length, 1, steps);
        }
      }
    }
  });
});
