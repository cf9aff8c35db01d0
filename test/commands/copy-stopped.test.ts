import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import postgres from 'postgres';
import { rowsOf } from '../postgres/nodes.ts';
import { testEngine } from '../storage.ts';
import { pause } from '../support.ts';
import { type CopyWorld, makeCopyWorld } from './copy-world.ts';
import { type Ended, start } from './support.ts';

/** Both engines are in every test here, whichever the others run on. */
const skip = testEngine === 'postgres';

const many = 20_000;
const allOfThem = /\nrecords of notes +20,000 +20,000 {2}[0-9a-f]{16}\n/;
const project = {
  id: 'many',
  collections: [{ id: 'notes', fields: { text: { type: 'text', index: true }, number: { type: 'number' } } }],
};

interface Interrupted extends Ended {
  /** Whether it left one in a directory, before anybody else looked in there. */
  readonly draft: boolean;
}

describe('a copy that is interrupted', { skip, timeout: 280_000 }, () => {
  let world: CopyWorld;
  let source: string;
  before(async () => {
    world = await makeCopyWorld();
    source = world.directory('source');
    await world.run('apply', await world.write('many.json', project), '--data', source);
    const lines = Array.from({ length: many }, (_, number) =>
      JSON.stringify({ text: `note number ${number}, of very many that are all alike`, number }),
    );
    const file = await world.write('notes.ndjson', lines.join('\n'));
    const words = ['import', '--project', 'many', '--collection', 'notes', file, '--data', source];
    assert.equal((await world.run(...words)).code, 0);
  });
  after(() => world.remove());

  /**
   * Sends a signal as soon as `begun` is true, to a copy into some new place. Where this process got its turn so late that the
   * copy was done before, another one is begun.
   */
  async function interrupt(
    place: (turn: number) => string | Promise<string>,
    signal: NodeJS.Signals,
    begun: (to: string) => boolean | Promise<boolean>,
  ): Promise<Interrupted & { to: string }> {
    for (let turn = 0; turn < 10; turn++) {
      const to = await place(turn);
      const ended = await tryToInterrupt(to, signal, () => begun(to));
      if (ended) return { ...ended, to };
    }
    return assert.fail('every copy was done before it could be interrupted');
  }

  async function tryToInterrupt(
    to: string,
    signal: NodeJS.Signals,
    begun: () => boolean | Promise<boolean>,
  ): Promise<Interrupted | undefined> {
    const child = start(['copy', 'many', '--from', source, '--to', to]);
    let [out, err] = ['', ''];
    child.stdout.on('data', (part: Buffer) => {
      out += part;
    });
    child.stderr.on('data', (part: Buffer) => {
      err += part;
    });
    const ended = new Promise<Ended>((resolve) => {
      child.once('close', (code) => resolve({ code, out, err }));
    });
    while (child.exitCode === null && !(await begun())) await pause(5);
    child.kill(signal);
    const result = { ...(await ended), draft: hasDraft(to) };
    if (result.code === 0) return undefined;
    if (result.code === null && (await isThere(to))) {
      await assertWhole(to); // the signal came between the end of the copy and that of the process
      return undefined;
    }
    assert.equal(result.out, '', 'it was not done');
    return result;
  }

  async function isThere(place: string): Promise<boolean> {
    const engine = (await world.storage(place)).open();
    try {
      return (await engine.findProject('many')) !== undefined;
    } finally {
      await engine.close();
    }
  }

  let checks = 0;
  async function assertWhole(place: string): Promise<void> {
    checks += 1;
    const { code, out, err } = await world.copy('many', place, world.directory(`whole${checks}`));
    assert.equal(code, 0, err);
    assert.match(out, allOfThem);
  }

  async function assertNone(place: string): Promise<void> {
    const engine = (await world.storage(place)).open();
    assert.deepEqual(await engine.listProjects({ limit: 1, offset: 0 }), { total: 0, found: [] });
    await engine.close();
  }

  async function copyAgain(place: string): Promise<void> {
    const again = await world.copy('many', source, place);
    assert.equal(again.code, 0, again.err);
    assert.match(again.out, allOfThem);
  }

  function hasDraft(directory: string): boolean {
    const folder = join(directory, 'projects');
    return existsSync(folder) && readdirSync(folder).some((name) => /^many\.db\.new-[0-9a-f]+$/.test(name));
  }

  it('by kill -9 leaves no project in a directory, and what it left makes room for the next', async () => {
    const place = (turn: number) => world.directory(`killed${turn}`);
    const { to: target, draft } = await interrupt(place, 'SIGKILL', hasDraft);
    assert.ok(draft);
    await assertNone(target);
    await copyAgain(target);
    assert.deepEqual(await readdir(join(target, 'projects')), ['many.db']);
  });

  it('by SIGTERM leaves nothing at all', async () => {
    const place = (turn: number) => world.directory(`stopped${turn}`);
    const { to: target, code, err } = await interrupt(place, 'SIGTERM', hasDraft);
    assert.equal(code, 1);
    assert.equal(err, 'vitrine: nothing was copied: it was stopped\n');
    assert.deepEqual(await readdir(join(target, 'projects')), []);
    await assertNone(target);
  });

  it('by kill -9 leaves nothing at all in PostgreSQL', async () => {
    const isBusy = async (database: string) => {
      const inserting = `SELECT 1 FROM pg_stat_activity
        WHERE query LIKE 'INSERT INTO vitrine_p%' AND datname = current_database()`;
      return (await rowsOf(database, inserting)).length > 0;
    };
    const { to: target } = await interrupt(() => world.database(), 'SIGKILL', isBusy);
    const busy = () => isBusy(target);
    const db = postgres(target, { max: 1 });
    await assertNone(target);
    const schemas = async () =>
      (await db`SELECT 1 FROM pg_namespace WHERE nspname LIKE 'vitrine\\_p%'`).length;
    while (await busy()) await pause(20);
    assert.equal(await schemas(), 0);
    await copyAgain(target);
    assert.equal(await schemas(), 1);
    await db.end();
  });
});
