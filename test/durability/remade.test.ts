import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { loadRuntime } from '../../src/runtime/runtime.ts';
import { localWriters } from '../../src/store/engines/sqlite/writes/local-writers.ts';
import type { Writers } from '../../src/store/engines/sqlite/writes/writers.ts';

const user = { id: 'u', email: 'a@b.co', name: '', disabled: false, created: 1, updated: 1 };

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
    project.perform('account', { call: 'createUser', args: [user, 'hash'] });

  it('inherits nothing, and loses nothing to the deletion that comes after it', async () => {
    await writers.create(path, 1);
    const old = await writers.open(path);
    assert.equal(await addUser(old), true);
    // Out of the register by one process, into it by another, and the file of the first removed last.
    await writers.create(path, 2);
    const remade = await writers.open(path);
    assert.equal(await addUser(remade), true, 'the address is not taken: it is another file');
    await writers.remove(path, 1);
    assert.equal(await addUser(remade), false, 'the user is still there');
    await assert.rejects(addUser(old), 'the old one is gone for whoever has it open');
    await Promise.all([old.close(), remade.close()]);
    await writers.remove(path, 2);
    assert.deepEqual(
      (await readdir(directory)).filter((name) => name === 'p.db'),
      [],
    );
  });

  it('keeps what was written to it before it had a file of its own', async () => {
    const early = await writers.open(path);
    assert.equal(await addUser(early), true);
    await writers.create(path, 3);
    assert.equal(await addUser(early), false);
    await early.close();
    await writers.remove(path, 3);
  });
});
