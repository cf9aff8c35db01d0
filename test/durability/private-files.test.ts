import assert from 'node:assert/strict';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { lockDirectory } from '../../src/commands/engine/directory-lock.ts';
import { loadRuntime } from '../../src/runtime/load-runtime.ts';
import type { Engine } from '../../src/store/engine.ts';
import type { SqliteDriver } from '../../src/store/engines/sqlite/connection/driver.ts';
import { fileSystem } from '../../src/store/engines/sqlite/connection/file-system.ts';
import { openSqliteEngine } from '../../src/store/engines/sqlite/engine.ts';
import { defaultAuth } from '../../src/store/project-record.ts';
import { storedUser } from './stored-user.ts';

let sqlite: SqliteDriver;
let room: string;
let directory: string;
beforeEach(async () => {
  ({ sqlite } = await loadRuntime());
  room = mkdtempSync(join(tmpdir(), 'vitrine-private-'));
  directory = join(room, 'deep', 'data');
});
afterEach(() => rmSync(room, { recursive: true, force: true }));

/** What others may do with anything in the directory. */
function openToOthers(): string[] {
  const names = ['', ...(readdirSync(directory, { recursive: true }) as string[])];
  return names.filter((name) => (statSync(join(directory, name)).mode & 0o077) !== 0);
}

async function use(work: (engine: Engine) => Promise<void>): Promise<void> {
  const release = lockDirectory(sqlite, directory);
  const engine = openSqliteEngine(sqlite, directory);
  await engine.findProject('p');
  await work(engine);
  await engine.close();
  release();
}

async function makeProject(engine: Engine): Promise<void> {
  await engine.createProject({ id: 'p', name: 'p', auth: defaultAuth, created: 1, updated: 1 });
  const store = await engine.openProject('p');
  await store.accounts.createUser(storedUser, 'hash');
  assert.ok(readdirSync(join(directory, 'projects')).includes('p.db-wal'), 'it is in use');
  assert.deepEqual(openToOthers(), []);
  await store.close();
}

describe('a data directory', () => {
  it('is for the user alone who runs the server, with all that is in it', async () => {
    await use(makeProject);
    assert.deepEqual(openToOthers(), []);
  });

  it('of another user stays theirs, with what root makes in it by a command', async () => {
    if (process.geteuid?.() !== 0) return console.log('NOT TRIED: a file of somebody else needs root');
    await use(makeProject);
    const all = () => ['', ...(readdirSync(directory, { recursive: true }) as string[])];
    for (const name of all()) chownSync(join(directory, name), 4321, 4322);
    await use(async (engine) => {
      await engine.createProject({ id: 'q', name: 'q', auth: defaultAuth, created: 1, updated: 1 });
      await (await engine.openProject('q')).close();
    });
    assert.ok(all().includes(join('projects', 'q.db')));
    assert.deepEqual(
      all().filter((name) => statSync(join(directory, name)).uid !== 4321),
      [],
    );
  });

  it('that root makes in the folder of another user is theirs', async () => {
    if (process.geteuid?.() !== 0) return console.log('NOT TRIED: a folder of somebody else needs root');
    chownSync(room, 4321, 4322);
    await use(makeProject);
    const all = [
      'deep',
      ...(readdirSync(directory, { recursive: true }) as string[]).map((name) => join('deep', 'data', name)),
    ];
    assert.deepEqual(
      all.filter((name) => statSync(join(room, name)).uid !== 4321),
      [],
    );
  });

  it('of an earlier version, open to everybody, is closed to others at the next start', async () => {
    await use(makeProject);
    for (const name of ['', ...(readdirSync(directory, { recursive: true }) as string[])]) {
      const path = join(directory, name);
      chmodSync(path, statSync(path).isDirectory() ? 0o755 : 0o644);
    }
    mkdirSync(join(directory, 'mine'));
    chmodSync(join(directory, 'mine'), 0o755);
    await use(async () => {});
    assert.deepEqual(openToOthers(), ['mine'], 'what is not ours stays as it is');
  });
});

describe('the names of a new data directory', () => {
  it('and of the folders that it lies in are made to last before anything is kept in it', () => {
    const { sync } = fileSystem;
    const synced: string[] = [];
    fileSystem.sync = (folder) => {
      synced.push(folder);
      sync(folder);
    };
    try {
      lockDirectory(sqlite, directory)();
    } finally {
      fileSystem.sync = sync;
    }
    assert.deepEqual(synced, [room, join(room, 'deep')]);
  });
});

describe('the lock of a data directory', () => {
  for (const [name, content] of [
    ['zeros', Buffer.alloc(4096)],
    ['nothing', Buffer.alloc(0)],
    ['something else', Buffer.from('no database, certainly not this one')],
    ['half a page', Buffer.from(`SQLite format 3\0${'x'.repeat(500)}`)],
  ] as const) {
    it(`with ${name} in it, as a power cut leaves it, can be taken`, () => {
      mkdirSync(directory, { recursive: true });
      writeFileSync(join(directory, 'serve.lock'), content);
      const release = lockDirectory(sqlite, directory);
      assert.throws(() => lockDirectory(sqlite, directory), /another Vitrine \(process \d+\) uses it/);
      release();
      lockDirectory(sqlite, directory)();
    });
  }
});
