import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';
import postgres from 'postgres';
import { loadRuntime } from '../../src/runtime/load-runtime.ts';
import type { Coordination, NotedWork } from '../../src/store/coordination.ts';
import type { Engine } from '../../src/store/engine.ts';
import { type NamedStorage, startStorage, testEngine } from '../storage.ts';

let storage: NamedStorage;
const engines: Engine[] = [];
let clock = 0;
let kind = '';

/** A process of the instance, which has not listed anything yet. */
function startProcess(): Coordination {
  const engine = storage.open(() => clock);
  engines.push(engine);
  return engine.coordination;
}

let asker: Coordination;
let job: Coordination;
before(async () => {
  storage = await startStorage();
  [asker, job] = [startProcess(), startProcess()];
});
after(async () => {
  for (const engine of engines) await engine.close();
  await storage.remove();
});
beforeEach(() => {
  kind += 'x';
});

const announce = (project = 'a', write = async () => {}) => asker.announceWork(kind, project, write);
const listed = async (by = job) => (await by.listWork(kind)).map(({ project }) => project);
const list = async (): Promise<NotedWork> => {
  const [noted] = await job.listWork(kind);
  assert.ok(noted);
  return noted;
};
/** Lists, finds nothing in any project, and says so. */
const look = async () => {
  for (const noted of await job.listWork(kind)) await job.endWork(noted);
};

async function noteAsBefore(work: string, project: string): Promise<void> {
  const [, place = ''] = storage.flags;
  if (testEngine === 'postgres') {
    const db = postgres(place, { max: 1 });
    await db`INSERT INTO vitrine.work (kind, project) VALUES (${work}, ${project})`;
    return db.end();
  }
  const connection = (await loadRuntime()).sqlite.open(join(place, 'instance.db'));
  connection.exec(`INSERT INTO work (kind, project) VALUES ('${work}', '${project}')`);
  connection.close();
}

describe('work that is announced', () => {
  it('is listed once a project, by kind, before it is written', async () => {
    for (const project of ['b', 'a', 'b']) {
      const written = await asker.announceWork(kind, project, async () => (await listed()).includes(project));
      assert.equal(written, true);
    }
    assert.deepEqual(await listed(), ['a', 'b']);
    assert.deepEqual(await job.listWork(`another ${kind}`), []);
  });

  it('ends where nothing was found a minute after the announcement was first seen', async () => {
    await announce();
    clock += 1_000_000; // nobody has seen it
    await look();
    for (let second = 0; second < 59; second++) {
      clock += 1_000;
      await look();
    }
    assert.deepEqual(await listed(startProcess()), ['a']);
    clock += 1_000;
    await look();
    assert.deepEqual(await listed(startProcess()), []);
  });

  it('is looked for all the time for some seconds, and then not before the minute is over', async () => {
    await announce();
    const looks: number[] = [];
    for (let second = 0; second <= 60; second++) {
      if ((await listed()).length > 0) looks.push(second);
      await look();
      clock += 1_000;
    }
    assert.deepEqual(looks, [0, 1, 2, 3, 4, 5, 60]);
  });

  it('is looked for all the time where some was found, also where there was none before', async () => {
    await announce();
    await look();
    clock += 6_000;
    for (let second = 0; second < 100; second++) {
      assert.deepEqual(await listed(), ['a']);
      clock += 1_000;
    }
  });

  it('does not end by a look that began before the minute was over', async () => {
    await announce();
    await list();
    clock += 59_000;
    const noted = await list();
    clock += 1_000_000;
    await job.endWork(noted);
    assert.deepEqual(await listed(startProcess()), ['a']);
  });

  it('does not end where it was announced again meanwhile, and its minute begins anew', async () => {
    await announce();
    await list();
    clock += 60_000;
    const noted = await list();
    await announce();
    await job.endWork(noted);
    assert.deepEqual(await listed(), ['a']);
    clock += 59_000;
    await look();
    assert.deepEqual(await listed(startProcess()), ['a']);
  });

  it('is announced again by whoever took long to write it, or to fail', async () => {
    for (const fails of [false, true]) {
      const before = announce('a', async () => {
        clock += 4_999;
        assert.ok(await list());
      });
      await before;
      const { mark } = await list();
      const written = announce('a', async () => {
        assert.notEqual((await list()).mark, mark, 'at the beginning');
        clock += 60_000;
        await look();
        assert.deepEqual(await listed(startProcess()), [], 'ended too early for this one');
        if (fails) throw new Error('it may have been written');
      });
      await (fails ? assert.rejects(written, /may have been/) : written);
      assert.deepEqual(await listed(), ['a']);
    }
  });

  it('ends the same way where an earlier version noted it, without a mark', async () => {
    await noteAsBefore(kind, 'a');
    await look();
    clock += 59_000;
    await look();
    assert.deepEqual(await listed(startProcess()), ['a']);
    clock += 1_000;
    const noted = await list();
    assert.equal(noted.mark, null);
    await announce();
    await job.endWork(noted);
    assert.deepEqual(await listed(), ['a']);
    await noteAsBefore(kind, 'b');
    await look();
    clock += 60_000;
    await look();
    assert.deepEqual(await listed(startProcess()), []);
  });

  it('is given the whole minute by each process', async () => {
    await announce();
    await list();
    clock += 60_000;
    const other = startProcess();
    for (const noted of await other.listWork(kind)) await other.endWork(noted);
    assert.deepEqual(await listed(startProcess()), ['a']);
  });
});
