import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { loadRuntime } from '../../src/runtime/load-runtime.ts';
import { Writer } from '../../src/store/engines/sqlite/writes/group-writer.ts';
import { openProjectFile } from '../../src/store/engines/sqlite/writes/open-project-file.ts';
import { Schemas } from '../../src/store/known-schemas.ts';

describe('writes that others wait for long', () => {
  it('go by themselves, in turn with groups of the others', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'vitrine-writer-'));
    const { sqlite } = await loadRuntime();
    const db = await openProjectFile(sqlite, join(folder, 'p.db'));
    const writer = new Writer(db, new Schemas(), () => {});
    const done: string[] = [];
    const step = (name: string) => async () => {
      await Promise.resolve();
      done.push(name);
    };
    const refused = async () => {
      done.push('refused');
      throw new Error('refused');
    };
    const all = [
      writer.writeLarge(step('large 1')),
      writer.writeLarge(step('large 2')),
      assert.rejects(writer.writeLarge(refused), /refused/),
      ...['a', 'b'].map((name) => writer.write(step(name))),
      writer.writeLarge(async (transaction) => {
        await step('large 3')();
        all.push(writer.write(step('late')), writer.writeLarge(step('large 4')));
        assert.ok(transaction.db);
      }),
    ];
    // What comes while one goes on is before the next of its kind.
    const second = writer.write(step('c'));
    await second;
    assert.deepEqual(done, ['a', 'b', 'c']);
    all.push(writer.write(step('d')));
    await Promise.all(all);
    await writer.flush();
    assert.deepEqual(done.slice(3), ['large 1', 'd', 'large 2', 'refused', 'large 3', 'late', 'large 4']);
    db.close();
    await rm(folder, { recursive: true });
  });
});
