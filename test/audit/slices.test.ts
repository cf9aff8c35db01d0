import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { loadRuntime } from '../../src/runtime/load-runtime.ts';
import type { AuditEntry, AuditFilter } from '../../src/store/audit.ts';
import { Database } from '../../src/store/engines/sqlite/connection/database.ts';
import { type Instance, openInstance } from '../../src/store/engines/sqlite/connection/instance.ts';
import { sqlAudit } from '../../src/store/sql/instance/audit.ts';
import { Dice } from '../durability/dice.ts';
import { explained } from '../explained.ts';
import { seed } from '../seed.ts';
import { room } from '../storage.ts';

const count = 300;
const actors = ['ann', 'bob', null];
const actions = ['project.update', 'project.delete', 'key.create'];
const projects = ['usual', 'usual', 'usual', 'rare', null];

/** PostgreSQL reads its audit as a whole. */
describe('the audit in slices', () => {
  const dice = new Dice(seed);
  const entries: AuditEntry[] = [];
  let directory: string;
  let instance: Instance;
  let db: Database;
  before(async () => {
    directory = await mkdtemp(join(room, 'vitrine-audit-'));
    const { sqlite } = await loadRuntime();
    const path = join(directory, 'instance.db');
    instance = openInstance(sqlite, path);
    const audit = sqlAudit(instance);
    for (let n = 0; n < count; n++) {
      const entry = {
        ...{ id: `id-${String(n).padStart(6, '0')}`, at: n, target: null, address: '::1', requestId: 'r' },
        ...{ actor: dice.pick(actors) ?? null, action: dice.pick(actions) ?? '' },
        project: dice.pick(projects) ?? null,
      };
      await audit.begin(entry);
      entries.unshift({ ...entry, outcome: null });
    }
    db = new Database(sqlite, path);
  });
  after(async () => {
    db.close();
    await instance.close();
    await rm(directory, { recursive: true });
  });

  function someFilter(): AuditFilter {
    const [actor, action, project] = [
      dice.pick(actors),
      dice.pick(actions),
      dice.pick([...projects, 'none']),
    ];
    return {
      ...(actor && dice.chance(40) && { actor }),
      ...(action && dice.chance(40) && { action }),
      ...(project && dice.chance(40) && { project }),
      ...(dice.chance(40) && { before: `id-${String(dice.below(count + 10)).padStart(6, '0')}` }),
    };
  }

  it(`is what it is as a whole, however long they are and whatever is asked for (seed ${seed})`, async () => {
    for (let run = 0; run < 500; run++) {
      const audit = sqlAudit(instance, dice.pick([1, 2, 7, 50, 299, 300, 1_000]));
      const { before, ...which } = someFilter();
      const wanted = entries.filter(
        (entry) =>
          (before === undefined || entry.id < before) &&
          Object.entries(which).every(([name, value]) => entry[name as keyof AuditEntry] === value),
      );
      const filter = { ...which, ...(before !== undefined && { before }) };
      const page = { limit: dice.below(40), offset: dice.below(2) * dice.below(count) };
      assert.deepEqual(
        await audit.list(filter, page),
        { total: wanted.length, found: wanted.slice(page.offset, page.offset + page.limit) },
        JSON.stringify({ filter, page }),
      );
      const limit = 1 + dice.below(40);
      assert.deepEqual(await audit.newest(filter, limit), wanted.slice(0, limit), JSON.stringify(filter));
    }
  });

  for (const [which, index] of [
    [{ actor: 'ann' }, 'audit_actor (actor=? AND id'],
    [{ action: 'key.create' }, 'audit_action (action=? AND id'],
    [{ project: 'usual' }, 'audit_project (project=? AND id'],
  ] as const) {
    it(`looks at no more than an index has: by ${Object.keys(which)}`, async () => {
      const plans: string[] = [];
      const read: Instance['read'] = async (work) => work(explained(db, plans));
      const audit = sqlAudit({ read, write: instance.write }, 10);
      for (const before of [undefined, 'id-000200']) {
        const filter = { ...which, ...(before !== undefined && { before }) };
        await audit.list(filter, { limit: 20, offset: 5 });
        await audit.newest(filter, 20);
      }
      assert.ok(plans.length > 20, `${plans.length} reads`);
      for (const plan of plans) assert.ok(plan.includes(`INDEX ${index}`) && !plan.includes('TEMP'), plan);
    });
  }
});
