import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { loadRuntime } from '../../src/runtime/load-runtime.ts';
import { localWriters } from '../../src/store/engines/sqlite/writes/local-writers.ts';
import type { Writers } from '../../src/store/engines/sqlite/writes/writers.ts';
import { ProjectGone } from '../../src/store/schema.ts';
import { storedUser } from './stored-user.ts';

describe('a project that is made again while another process is still deleting its namesake', () => {
  let directory: string;
  let path: string;
  let writers: Writers;
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'vitrine-remade-'));
    path = join(directory, 'p.db');
    writers = localWriters((await loadRuntime()).sqlite);
  });
  after(async () => {
    await writers.close();
    await rm(directory, { recursive: true, force: true });
  });

  const addUser = (project: Awaited<ReturnType<Writers['open']>>) =>
    project.perform('account', { call: 'createUser', args: [storedUser, 'hash'] });

  const make = async (token: string) => {
    await writers.draft(path, token);
    await writers.place(path, token);
  };

  it('inherits nothing, and loses nothing to the deletion that comes after it', async () => {
    await make('a1');
    const old = await writers.open(path);
    assert.equal(await addUser(old), true);
    // Deleted by one process, which another finishes that makes it again; the first comes to remove the file last.
    await writers.remove(path, 'd1');
    await make('a2');
    const remade = await writers.open(path);
    assert.equal(await addUser(remade), true, 'the address is not taken: it is another file');
    await writers.remove(path, 'd1');
    assert.equal(await addUser(remade), false, 'the user is still there');
    await assert.rejects(addUser(old), 'the old one is gone for whoever has it open');
    await Promise.all([old.close(), remade.close()]);
    await writers.remove(path, 'd2');
    assert.deepEqual(await readdir(directory), []);
  });

  it('is not made by whoever opens the name while there is none', async () => {
    await assert.rejects(writers.open(path), ProjectGone);
    assert.deepEqual(await readdir(directory), []);
    await make('a3');
    const project = await writers.open(path);
    assert.equal(await addUser(project), true);
    await project.close();
    await writers.remove(path, 'd3');
  });
});
