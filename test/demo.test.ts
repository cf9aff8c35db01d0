import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Catalog } from '../src/catalog/catalog.ts';
import { makeDemo } from '../src/commands/demo.ts';
import type { Log } from '../src/log.ts';
import type { Engine } from '../src/store/engine.ts';
import { startStorage } from './storage.ts';

const log: Log = { info() {}, error() {} };

/** An engine whose process is killed before its n-th write: nothing that it does after that happens. */
function killedAt(engine: Engine, n: number): Engine {
  let left = n;
  const counted = <A extends unknown[], R>(call: (...args: A) => Promise<R>) => {
    return async (...args: A): Promise<R> => {
      left -= 1;
      if (left < 0) throw new Error('killed');
      return call(...args);
    };
  };
  return {
    ...engine,
    createProject: counted(engine.createProject),
    updateProject: counted(engine.updateProject),
    async openProject(id) {
      const store = await engine.openProject(id);
      return {
        ...store,
        createCollection: counted(store.createCollection),
        batch: counted(store.batch),
      };
    },
  };
}

async function assertWhole(catalog: Catalog): Promise<void> {
  const { total, found } = await catalog.listProjects({ limit: 10, offset: 0 });
  assert.deepEqual([total, found[0]?.id, found[0]?.name], [1, 'demo', 'Demo']);
  assert.equal(await catalog.use('demo', ({ store }) => store.countRecords()), 11);
}

describe('the demo', () => {
  it('is whole in the end, wherever the first start was killed', async () => {
    for (let step = 0; step < 6; step++) {
      const storage = await startStorage();
      const first = new Catalog(killedAt(storage.open(), step), Date.now);
      await makeDemo(first, log).catch(() => {});
      await first.close();
      const second = new Catalog(storage.open(), Date.now);
      await makeDemo(second, log);
      await assertWhole(second);
      await second.close();
      await storage.remove();
    }
  });

  it('is made once by nodes that start at the same moment', async () => {
    const storage = await startStorage();
    const nodes = [1, 2, 3].map(() => new Catalog(storage.open(), Date.now));
    await Promise.all(nodes.map((catalog) => makeDemo(catalog, log)));
    for (const catalog of nodes) await assertWhole(catalog);
    for (const catalog of nodes) await catalog.close();
    await storage.remove();
  });

  it('is not made where there is a project, nor made anew where it was emptied', async () => {
    const storage = await startStorage();
    const catalog = new Catalog(storage.open(), Date.now);
    await makeDemo(catalog, log);
    await catalog.deleteCollection('demo', 'products', true);
    await makeDemo(catalog, log);
    assert.equal(await catalog.use('demo', ({ store }) => store.countRecords()), 3);
    await catalog.close();
    await storage.remove();
  });
});
