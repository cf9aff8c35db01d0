import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Channel } from '../../src/channel.ts';
import { loadRuntime } from '../../src/runtime/load-runtime.ts';
import { openSqliteEngine } from '../../src/store/engines/sqlite/engine.ts';
import { localWriters } from '../../src/store/engines/sqlite/writes/local-writers.ts';
import { remoteWriters } from '../../src/store/engines/sqlite/writes/remote-writers.ts';
import { serveWriters } from '../../src/store/engines/sqlite/writes/serve-writers.ts';
import type { ProjectWrites, Writers } from '../../src/store/engines/sqlite/writes/writers.ts';
import { defaultAuth } from '../../src/store/project-record.ts';
import { ProjectGone } from '../../src/store/schema.ts';
import { pause } from '../support.ts';
import { storedUser } from './stored-user.ts';

/** A worker's line to the writer, and the end of the worker. */
function lineTo(
  writers: Writers,
  finish?: () => Promise<ReadonlySet<string>>,
): { worker: Writers; kill(): void } {
  const heard = { worker: (_: string) => {}, writer: (_: string) => {} };
  let gone = () => {};
  const toWorker: Channel = {
    post: (text) => void setImmediate(() => heard.worker(text)),
    listen(received, ended) {
      heard.writer = received;
      gone = ended;
    },
    close: async () => {},
  };
  const toWriter: Channel = {
    post: (text) => void setImmediate(() => heard.writer(text)),
    listen(received) {
      heard.worker = received;
    },
    close: async () => {},
  };
  void serveWriters(writers, toWorker, finish);
  return { worker: remoteWriters(toWriter), kill: () => gone() };
}

it('what watches a project by the line of a worker ends with it, or when the worker says so', async () => {
  const { sqlite } = await loadRuntime();
  const directory = await mkdtemp(join(tmpdir(), 'vitrine-watched-'));
  const path = join(directory, 'shop.db');
  const writers = localWriters(sqlite);
  await writers.draft(path, 'w1');
  await writers.place(path, 'w1');
  const watched = new Set<() => void>();
  const counting: Writers = {
    ...writers,
    async open(file) {
      const opened = await writers.open(file);
      return {
        ...opened,
        watch(changed) {
          watched.add(changed);
          const end = opened.watch(changed);
          return () => {
            watched.delete(changed);
            end();
          };
        },
      };
    },
  };
  const { worker } = lineTo(counting);
  const untilWatched = async (count: number) => {
    for (let tries = 0; watched.size !== count && tries < 500; tries++) await pause(10);
    assert.equal(watched.size, count);
  };
  for (const closesFirst of [true, false, true]) {
    const project = await worker.open(path);
    const end = project.watch(() => {});
    await untilWatched(1);
    if (closesFirst) await project.close();
    end();
    await untilWatched(0);
    if (!closesFirst) await project.close();
  }
  await writers.close();
  await rm(directory, { recursive: true, force: true });
});

it('what a worker has begun to make when it ends is finished where the register has it, or removed', async () => {
  const { sqlite } = await loadRuntime();
  const directory = await mkdtemp(join(tmpdir(), 'vitrine-begun-'));
  const writers = localWriters(sqlite);
  const parent = openSqliteEngine(sqlite, directory, writers);
  const { worker, kill } = lineTo(writers, parent.finishProjects);
  const placing = Promise.withResolvers<void>();
  const place = () => {
    placing.resolve();
    return new Promise<never>(() => {}); // the register has it
  };
  const child = openSqliteEngine(sqlite, directory, { ...worker, place });
  const project = { id: 'begun', name: 'Begun', auth: defaultAuth, created: 0, updated: 0 };
  void child.createProject(project);
  await placing.promise;
  await worker.draft(join(directory, 'projects', 'other.db'), 'c0ffee');
  kill();
  const files = () => readdirSync(join(directory, 'projects')).filter((name) => !/-(wal|shm)$/.test(name));
  for (let tries = 0; files().some((name) => name.includes('.new-')) && tries < 200; tries++) await pause(10);
  assert.deepEqual(files(), ['begun.db']);
  assert.equal((await parent.findProject('begun'))?.name, 'Begun');
  await parent.close();
  await rm(directory, { recursive: true, force: true });
});

it('what a worker has begun and nobody can finish keeps its draft, and no other does', async () => {
  const { sqlite } = await loadRuntime();
  const directory = await mkdtemp(join(tmpdir(), 'vitrine-left-'));
  const writers = localWriters(sqlite);
  const finished = Promise.withResolvers<void>();
  const { worker, kill } = lineTo(writers, async () => {
    finished.resolve();
    return new Set(['c0ffee']);
  });
  await worker.draft(join(directory, 'left.db'), 'c0ffee');
  await worker.draft(join(directory, 'other.db'), 'decaf0');
  kill();
  await finished.promise;
  const drafts = () => readdirSync(directory).filter((name) => !/-(wal|shm)$/.test(name));
  for (let tries = 0; drafts().length > 1 && tries < 200; tries++) await pause(10);
  assert.deepEqual(
    drafts().map((name) => name.includes('c0ffee')),
    [true],
  );
  await writers.close();
  await rm(directory, { recursive: true, force: true });
});

describe('a project that is kept from being written to, as it is about to be deleted', () => {
  let directory = '';
  let path = '';
  let writers: Writers;
  let project: ProjectWrites;
  before(async () => {
    const { sqlite } = await loadRuntime();
    directory = await mkdtemp(join(tmpdir(), 'vitrine-sealed-'));
    path = join(directory, 'shop.db');
    writers = localWriters(sqlite);
    await writers.draft(path, 'a1');
    await writers.place(path, 'a1');
    project = await writers.open(path);
  });
  after(async () => {
    await writers.close();
    await rm(directory, { recursive: true, force: true });
  });

  /** Begins to write, which comes to no end while it is sealed. */
  async function begin<T>(write: () => Promise<T>): Promise<{ written: Promise<T> }> {
    let over = false;
    const written = write().finally(() => {
      over = true;
    });
    written.catch(() => {});
    await pause(30);
    assert.equal(over, false, 'it was written to');
    return { written };
  }
  const addUser = () => project.perform('account', { call: 'createUser', args: [storedUser, 'hash'] });
  const addCollection = (to = project) =>
    to.perform('createCollection', { definition: { id: 'things', fields: {} }, version: 0 });

  it('is written to again when it is not deleted after all', async () => {
    assert.equal(await writers.seal(path, 's1'), 0);
    const { written } = await begin(addUser);
    await writers.unseal(path, 's1');
    assert.equal(await written, true);
  });

  it('is written to again when the process is gone that wanted to delete it', async () => {
    const { worker, kill } = lineTo(writers);
    assert.equal(await worker.seal(path, 's2'), 0);
    const { written } = await begin(addUser);
    kill();
    assert.equal(await written, false, 'the address is taken');
  });

  it('is gone also where the process that deletes it ends on the way', async () => {
    const { sqlite } = await loadRuntime();
    const instance = join(directory, 'instance');
    const parent = openSqliteEngine(sqlite, instance, writers);
    const settings = { auth: defaultAuth, created: 0, updated: 0 };
    await parent.createProject({ id: 'brief', name: 'Brief', ...settings });
    const other = await writers.open(join(instance, 'projects', 'brief.db'));
    const { worker, kill } = lineTo(writers, parent.finishProjects);
    const removing = Promise.withResolvers<void>();
    const remove = () => {
      removing.resolve();
      return new Promise<never>(() => {}); // the register has it that it is deleted
    };
    const child = openSqliteEngine(sqlite, instance, { ...worker, remove });
    void child.deleteProject('brief', { onlyEmpty: true });
    await removing.promise;
    const { written } = await begin(() => addCollection(other));
    kill();
    await assert.rejects(written, ProjectGone);
    assert.equal(await parent.findProject('brief'), undefined);
  });

  it('is kept so by one at a time', async () => {
    assert.equal(await writers.seal(path, 's3'), 0);
    const { written: second } = await begin(() => writers.seal(path, 's4'));
    await writers.unseal(path, 's3');
    assert.equal(await second, 0);
    const { written } = await begin(addUser);
    await writers.unseal(path, 's3'); // is over, and is not that of the other
    await pause(30);
    await writers.unseal(path, 's4');
    assert.equal(await written, false);
  });

  it('is not left open where its records can not be counted', async () => {
    const { sqlite } = await loadRuntime();
    const broken = join(directory, 'broken.db');
    await writers.draft(broken, 'b1');
    await writers.place(broken, 'b1');
    const db = sqlite.open(broken);
    db.exec('DROP TABLE counters');
    db.close();
    await assert.rejects(writers.seal(broken, 's7'), /counters/);
    assert.equal(existsSync(`${broken}-wal`), false, 'it is open');
  });

  it('is gone for whoever waited when it is deleted', async () => {
    assert.equal(await writers.seal(path, 's5'), 0);
    const { written } = await begin(() => addCollection());
    await writers.remove(path, 'd1');
    await assert.rejects(written, ProjectGone);
    assert.equal(await writers.seal(path, 's6'), 0, 'there is nothing in it');
  });
});
