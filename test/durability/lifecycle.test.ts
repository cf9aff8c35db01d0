import assert from 'node:assert/strict';
import { copyFileSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { loadRuntime } from '../../src/runtime/load-runtime.ts';
import type { Engine } from '../../src/store/engine.ts';
import { localBackupFiles } from '../../src/store/engines/sqlite/backup/local-backup-files.ts';
import type { SqliteDriver } from '../../src/store/engines/sqlite/connection/driver.ts';
import { fileSystem } from '../../src/store/engines/sqlite/connection/file-system.ts';
import { openSqliteEngine } from '../../src/store/engines/sqlite/engine.ts';
import { localWriters } from '../../src/store/engines/sqlite/writes/local-writers.ts';
import { defaultAuth, type ProjectRecord } from '../../src/store/project-record.ts';
import { CrashRecorder, copyDirectory, quickRoom } from './crash-recorder.ts';
import { storedUser } from './stored-user.ts';

const page = { limit: 100, offset: 0 };
const project = (id: string, created: number): ProjectRecord => {
  return { id, name: id, auth: defaultAuth, created, updated: created };
};

let sqlite: SqliteDriver;
/** A directory with the project `shop`, with a user in it, and a file `ghost.db` that no project owns. */
let base: string;
before(async () => {
  ({ sqlite } = await loadRuntime());
  base = mkdtempSync(join(quickRoom, 'vitrine-lifecycle-'));
  const engine = openSqliteEngine(sqlite, base);
  await engine.createProject(project('shop', 1));
  await addUser(engine, 'shop');
  await engine.close();
  await leaveGhost();
  await makeBackup();
});
after(() => {
  for (const path of [base, backup]) rmSync(path, { recursive: true, force: true });
});

/** Of a project in which there is nobody. */
let backup: string;
async function makeBackup(): Promise<void> {
  const elsewhere = mkdtempSync(join(quickRoom, 'vitrine-backup-'));
  backup = `${elsewhere}.db`;
  const engine = openSqliteEngine(sqlite, elsewhere);
  await engine.createProject(project('empty', 1));
  const files = localBackupFiles(sqlite);
  await engine.saveProject('empty', backup, files);
  await files.finish(backup, { id: 'x', project: project('empty', 1), made: 1, vitrine: 'test' });
  await engine.close();
  rmSync(elsewhere, { recursive: true, force: true });
}

const load = (engine: Engine, id: string, replace: boolean) =>
  engine.loadProject(project(id, 2), backup, localBackupFiles(sqlite), { replace });

async function addUser(engine: Engine, id: string): Promise<void> {
  const store = await engine.openProject(id);
  assert.equal(await store.accounts.createUser(storedUser, 'hash'), true);
  await store.close();
}

/** What was acknowledged is in its log alone. */
async function leaveGhost(): Promise<void> {
  const elsewhere = mkdtempSync(join(quickRoom, 'vitrine-ghost-'));
  const engine = openSqliteEngine(sqlite, elsewhere);
  await engine.createProject(project('ghost', 1));
  const store = await engine.openProject('ghost');
  await store.accounts.createUser(storedUser, 'hash');
  for (const part of ['', '-wal']) {
    const file = `ghost.db${part}`;
    copyFileSync(join(elsewhere, 'projects', file), join(base, 'projects', file));
  }
  await store.close();
  await engine.close();
  rmSync(elsewhere, { recursive: true, force: true });
}

async function users(engine: Engine, id: string): Promise<number> {
  const store = await engine.openProject(id);
  try {
    await store.schema();
    return (await store.accounts.listUsers(page, {})).total;
  } finally {
    await store.close();
  }
}

const filesIn = (directory: string) => readdirSync(join(directory, 'projects'));

/** Whatever was left, every name is either a project that works or free for a new one; nothing is lost or left over. */
async function check(directory: string): Promise<void> {
  const engine = openSqliteEngine(sqlite, directory);
  try {
    const { found } = await engine.listProjects(page);
    const names = filesIn(directory).filter((name) => !/-(wal|shm)$/.test(name));
    for (const { id, created } of found) {
      assert.equal(await users(engine, id), created === 1 ? 1 : 0, `${id} has what is its own`);
      assert.ok(names.includes(`${id}.db`));
    }
    assert.deepEqual(
      names.filter((name) => /\.new-/.test(name)),
      [],
      'no drafts are left',
    );
    checkGhost(
      directory,
      names,
      found.some(({ id }) => id === 'ghost'),
    );
    for (const id of ['shop', 'ghost', 'fresh']) await useName(engine, directory, id);
  } finally {
    await engine.close();
  }
}

/** The file that no project owned is where it was, or set aside; with what was acknowledged. */
function checkGhost(directory: string, names: readonly string[], made: boolean): void {
  const orphans = names.filter((name) => name.startsWith('ghost.db.orphan-'));
  const candidates = made ? orphans : [...orphans, 'ghost.db'];
  assert.ok(
    candidates.some((name) => names.includes(name) && usersIn(join(directory, 'projects', name)) === 1),
  );
}

function usersIn(path: string): number {
  const connection = sqlite.open(path);
  try {
    const statement = connection.prepare('SELECT count(*) FROM users');
    const [row] = statement.rows([]);
    statement.finalize();
    return Number(row?.[0]);
  } finally {
    connection.close();
  }
}

/** It can be deleted where it is there, and made anew. */
async function useName(engine: Engine, directory: string, id: string): Promise<void> {
  if (await engine.findProject(id)) assert.equal(await engine.deleteProject(id), true);
  else assert.equal(await engine.createProject(project(id, 7)), true);
  if (!(await engine.findProject(id))) assert.equal(await engine.createProject(project(id, 7)), true);
  assert.equal(await users(engine, id), 0);
  assert.equal(await engine.deleteProject(id), true);
  assert.deepEqual(
    filesIn(directory).filter((name) => name === `${id}.db`),
    [],
  );
}

async function record(directory: string, work: (engine: Engine) => Promise<unknown>): Promise<CrashRecorder> {
  const recorder = new CrashRecorder(directory);
  const driver = recorder.driver(sqlite);
  const engine = openSqliteEngine(driver, directory, localWriters(driver, recorder.files), {
    files: recorder.files,
  });
  await work(engine);
  await engine.close();
  return recorder;
}

const works: Readonly<Record<string, (engine: Engine) => Promise<unknown>>> = {
  'a project is made': (engine) => engine.createProject(project('fresh', 2)),
  'a project is made where a file lies that no project owns': (engine) =>
    engine.createProject(project('ghost', 2)),
  'a project is deleted': (engine) => engine.deleteProject('shop'),
  'a project is deleted while it is open': async (engine) => {
    const store = await engine.openProject('shop');
    await engine.deleteProject('shop');
    await store.close();
  },
  'a project is deleted and made again': async (engine) => {
    await engine.deleteProject('shop');
    await engine.createProject(project('shop', 2));
  },
  'a project is made of a backup': (engine) => load(engine, 'fresh', false),
  'a project is replaced by a backup while it is open': async (engine) => {
    const store = await engine.openProject('shop');
    await load(engine, 'shop', true);
    await store.close();
  },
  'a project is copied': (engine) =>
    engine.dumpProject('shop', (dump) => engine.restoreProject(project('fresh', 1), dump, async () => {})),
};

describe('whatever ends the process', () => {
  for (const [name, work] of Object.entries(works)) {
    it(`while ${name}: the next start mends it, and so does the one after a second end`, async () => {
      const directory = copyDirectory(base);
      const first = await record(directory, work);
      assert.ok(first.states.length > 5, `${first.states.length} states`);
      let second = 0;
      for (const [number, state] of first.states.entries()) {
        await told(state.name, () => check(copyDirectoryFor(state.directory)));
        const again = await record(state.directory, (engine) => engine.listProjects(page));
        second += again.states.length;
        for (const { name: then, directory: left } of chosen(again.states, number)) {
          await told(`${state.name}, then ${then}`, () => check(left));
        }
        again.close();
      }
      first.close();
      clean();
      rmSync(directory, { recursive: true, force: true });
      assert.ok(second > 0);
    });
  }

  it('after the answer, a power cut takes nothing back', async () => {
    const directory = copyDirectory(base);
    const recorder = await record(directory, async (engine) => {
      await engine.createProject(project('fresh', 2));
      await engine.deleteProject('shop');
    });
    const last = recorder.states.at(-1);
    assert.ok(last);
    const engine = openSqliteEngine(sqlite, last.directory);
    const { found } = await engine.listProjects(page);
    await engine.close();
    assert.deepEqual(
      found.map(({ id }) => id),
      ['fresh'],
    );
    assert.ok(!filesIn(last.directory).includes('shop.db'));
    recorder.close();
    rmSync(directory, { recursive: true, force: true });
  });
});

/** Of the ends of a second start every fourth, another one after each end of the first, and the last; in the long form all. */
function chosen<T>(states: readonly T[], number: number): readonly T[] {
  if (process.env.VITRINE_LONG === '1') return states;
  return states.filter((_, index) => index % 4 === number % 4 || index === states.length - 1);
}

const copies: string[] = [];

function copyDirectoryFor(directory: string): string {
  const copy = copyDirectory(directory);
  copies.push(copy);
  return copy;
}

function clean(): void {
  for (const copy of copies.splice(0)) rmSync(copy, { recursive: true, force: true });
}

async function told(name: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    throw new Error(`${name}: ${error instanceof Error ? error.message : error}`, { cause: error });
  }
}

describe('a step that fails', () => {
  for (const call of ['rename', 'remove', 'sync'] as const) {
    it(`${call}: leaves a project that is there or not, and a name that can be used again`, async () => {
      for (const [name, work] of Object.entries(works)) {
        for (let after = 0; after < 6; after++) {
          const directory = copyDirectory(base);
          let left = after;
          const files = {
            ...fileSystem,
            [call]: (...args: [string, string]) => {
              left -= 1;
              if (left === -1) throw Object.assign(new Error('i/o error'), { code: 'EIO' });
              return (fileSystem[call] as (...all: string[]) => void)(...args);
            },
          };
          const engine = openSqliteEngine(sqlite, directory, localWriters(sqlite, files));
          await work(engine).catch((error: unknown) => {
            assert.equal((error as { kind?: string }).kind, 'unavailable', `${name}: ${error}`);
          });
          left = Number.POSITIVE_INFINITY; // only the work itself is to meet it
          for (const id of ['shop', 'ghost', 'fresh']) await useName(engine, directory, id);
          await engine.close();
          await check(directory);
          rmSync(directory, { recursive: true, force: true });
        }
      }
    });
  }
});
