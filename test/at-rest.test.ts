import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Catalog } from '../src/catalog/catalog.ts';
import { OpenProjects } from '../src/catalog/open-projects.ts';
import { restingWriters } from '../src/store/engines/sqlite/writes/resting-writers.ts';
import type { ProjectWrites, Writers } from '../src/store/engines/sqlite/writes/writers.ts';
import { type NamedStorage, startStorage } from './storage.ts';
import { pause } from './support.ts';

const minute = 60_000;

describe('a server that nobody uses', () => {
  let storage: NamedStorage;
  let catalog: Catalog;
  let projects: OpenProjects;
  let now = Date.now();
  let rests = 0;
  before(async () => {
    storage = await startStorage();
    const engine = storage.open();
    projects = new OpenProjects(engine, () => now);
    catalog = new Catalog(engine, () => now, undefined, projects);
    catalog.atRest(() => {
      assert.equal(projects.count, 0);
      rests += 1;
    });
    for (const id of ['one', 'other']) await catalog.createProject(id, id);
  });
  after(async () => {
    await catalog.close();
    await storage.remove();
  });
  const use = (id: string) => catalog.use(id, ({ store }) => store.schema());

  it('rests once, after the last project was closed', async () => {
    await use('one');
    now += 4 * minute;
    await use('other');
    now += 2 * minute;
    await projects.sweep();
    assert.deepEqual([projects.count, rests], [1, 0], 'the other was used');
    now += 4 * minute;
    for (let sweep = 0; sweep < 2; sweep++) await projects.sweep();
    assert.deepEqual([projects.count, rests], [0, 1]);
    await use('one');
    now += 6 * minute;
    await projects.sweep();
    assert.equal(rests, 2, 'and again after the next use');
  });

  it('does not while a project is in use, or opened again while the last is closed', async () => {
    rests = 0;
    await catalog.use('one', async () => {
      now += 6 * minute;
      await projects.sweep();
    });
    now += 6 * minute;
    const swept = projects.sweep();
    await Promise.all([swept, use('other')]);
    assert.equal(rests, 0);
  });

  it('does not while a project is in use that another node has deleted', async () => {
    now += 6 * minute;
    await projects.sweep();
    rests = 0;
    await catalog.createProject('gone', 'gone');
    const node = new Catalog(storage.open(), () => now);
    await catalog.use('gone', async () => {
      await node.deleteProject('gone', true);
      await assert.rejects(use('gone'), /There is no project/);
      now += 6 * minute;
      await projects.sweep();
      assert.deepEqual([projects.count, rests], [0, 0]);
    });
    await projects.sweep();
    assert.equal(rests, 1);
    await node.close();
  });
});

describe('a thread that writes', () => {
  it('rests when no file has been open for a while', async () => {
    let rests = 0;
    const file = { close: async () => {} } as ProjectWrites;
    const open = async (path: string) => {
      if (path === 'broken') throw new Error('it can not be opened');
      return file;
    };
    const rest = () => {
      rests += 1;
    };
    const writers = restingWriters({ open } as Writers, rest, 50);
    const [one, other] = [await writers.open('one'), await writers.open('other')];
    await one.close();
    await one.close();
    await pause(100);
    assert.equal(rests, 0, 'the other is open');
    await other.close();
    const again = await writers.open('one');
    await pause(100);
    assert.equal(rests, 0, 'one was opened again');
    await assert.rejects(writers.open('broken'));
    await again.close();
    while (rests === 0) await pause(5);
    await pause(100);
    assert.equal(rests, 1);
  });
});
