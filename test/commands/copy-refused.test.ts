import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { lockDirectory } from '../../src/commands/engine/directory-lock.ts';
import { loadRuntime } from '../../src/runtime/load-runtime.ts';
import { testEngine } from '../storage.ts';
import { assertNothing, makeShop } from './copy-shop.ts';
import { type CopyWorld, makeCopyWorld } from './copy-world.ts';

/** Both engines are in every test here, whichever the others run on. */
const skip = testEngine === 'postgres';

let world: CopyWorld;

describe('vitrine copy refuses', { skip }, () => {
  let directory: string;
  before(async () => {
    world = await makeCopyWorld();
    directory = await makeShop(world, 'shop');
  });
  after(() => world.remove());

  async function refused(code: number, said: RegExp, ...words: string[]): Promise<void> {
    const ended = await world.run('copy', ...words);
    assert.equal(ended.code, code, ended.out + ended.err);
    assert.match(ended.err, said);
    assert.equal(ended.err.split('\n').length, 2, 'one line');
  }

  it('a command line that says too little, or nonsense, with exit code 2', async () => {
    const to = world.directory('nowhere');
    await refused(2, /PROJECT is missing/, '--from', directory, '--to', to);
    await refused(2, /--from is missing/, 'shop', '--to', to);
    await refused(2, /--to is missing/, 'shop', '--from', directory);
    await refused(2, /no flag --form, did you mean/, 'shop', '--form', directory, '--to', to);
    await refused(2, /--as must be 1 to 63/, 'shop', '--from', directory, '--to', to, '--as', 'No Name');
    for (const address of ['mysql://localhost/x', 'postgres://', 'postgres://host:port/x']) {
      await refused(
        2,
        /--to must be a data directory or an address/,
        'shop',
        '--from',
        directory,
        '--to',
        address,
      );
    }
    assert.equal(existsSync(to), false);
  });

  it('what is not there, what is taken, and what is in use', async () => {
    const [database, other] = [await world.database(), world.directory('other')];
    await refused(1, /there is no project 'nothing'/, 'nothing', '--from', directory, '--to', other);
    const noData = /there is no data in '.*': name the directory with --from\n/;
    await refused(1, noData, 'shop', '--from', world.directory('missing'), '--to', other);
    assert.equal((await world.copy('shop', directory, database)).code, 0);
    await refused(1, /there is a project 'shop' already/, 'shop', '--from', directory, '--to', database);
    await refused(1, /there is a project 'shop' already/, 'shop', '--from', database, '--to', directory);
    const away = 'postgres://user:hidden@127.0.0.1:1/x';
    const unreachable = /PostgreSQL at 127\.0\.0\.1:1\/x can't be used: (?!.*hidden)/;
    await refused(1, unreachable, 'shop', '--from', directory, '--to', away);
    const release = lockDirectory((await loadRuntime()).sqlite, directory);
    const inUse = new RegExp(`another Vitrine \\(process ${process.pid}\\) uses it; .*stop it`);
    await refused(1, inUse, 'shop', '--from', directory, '--to', other);
    await refused(1, inUse, 'shop', '--from', database, '--to', directory, '--as', 'second');
    release();
  });

  it('a relation to nothing and a unique value that two records have, in the words of the schema', async () => {
    const { sqlite } = await loadRuntime();
    const database = await world.database();
    const faults = {
      dangling: {
        spoil: 'DELETE FROM r1',
        said: /nothing was copied: items\.brand of record '\S+': there is no record '\S+' in brands; items\.brand/,
      },
      twins: {
        spoil: `DROP INDEX r2_f1; UPDATE r2 SET f1 = 'Kettle', json = replace(json, 'Blanket', 'Kettle')`,
        said: /nothing was copied: items, record '\S+'\.title: "Kettle" is already taken/,
      },
    };
    for (const [name, { spoil, said }] of Object.entries(faults)) {
      const source = await makeShop(world, name);
      const file = sqlite.open(join(source, 'projects/shop.db'));
      file.exec(spoil);
      file.close();
      const target = world.directory(`${name}-copy`);
      await refused(1, said, 'shop', '--from', source, '--to', target);
      await refused(1, said, 'shop', '--from', source, '--to', database);
      await assertNothing(world, target);
      await assertNothing(world, database);
    }
  });
});
