import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import postgres from 'postgres';
import { copyProject, NotTheSame } from '../../src/commands/copy/copy-project.ts';
import { survey } from '../../src/commands/copy/survey.ts';
import type { Dump, DumpPart } from '../../src/store/dump.ts';
import { adminKey } from '../harness.ts';
import { asSuperuser } from '../postgres-server.ts';
import { testEngine } from '../storage.ts';
import { resultOf } from '../support.ts';
import { assertNothing, makeShop, shop } from './copy-shop.ts';
import { type CopyWorld, makeCopyWorld, withApp } from './copy-world.ts';

/** Both engines are in every test here, whichever the others run on. */
const skip = testEngine === 'postgres';

let world: CopyWorld;

describe('vitrine copy finds a copy that is not the same', { skip }, () => {
  let directory: string;
  before(async () => {
    world = await makeCopyWorld();
    directory = await makeShop(world, 'shop');
  });
  after(() => world.remove());

  it('in PostgreSQL, where something changes what is written: exit code 1, and no project', async () => {
    const database = await world.database();
    await asSuperuser(
      database,
      `CREATE FUNCTION public.spoil() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN NEW.json := replace(NEW.json, 'Blanket', 'Blankets'); RETURN NEW; END $$;
      CREATE FUNCTION public.watch() RETURNS event_trigger LANGUAGE plpgsql AS $$
        DECLARE made record;
        BEGIN
          FOR made IN SELECT * FROM pg_event_trigger_ddl_commands() WHERE object_identity ~ '^vitrine_p.*[.]r2$' LOOP
            EXECUTE 'CREATE TRIGGER spoil BEFORE INSERT ON ' || made.object_identity
              || ' FOR EACH ROW EXECUTE FUNCTION public.spoil()';
          END LOOP;
        END $$;
      CREATE EVENT TRIGGER watch ON ddl_command_end WHEN TAG IN ('CREATE TABLE') EXECUTE FUNCTION public.watch();`,
    );
    const { code, out, err } = await world.copy('shop', directory, database);
    assert.equal(code, 1, out + err);
    assert.equal(err, 'vitrine: the copy is not the same, so it was removed: records of items\n');
    assert.match(out, /\nrecords of brands +1 +1 {2}[0-9a-f]{16}\n/);
    assert.match(out, /\nrecords of items +2 +2 {2}[0-9a-f]{16} DIFFERS FROM [0-9a-f]{16}\n/);
    await assertNothing(world, database);
  });

  it('in a data directory, in whatever was lost', async () => {
    const without = (part: DumpPart): DumpPart =>
      part.kind === 'records' && part.collection === 'items'
        ? { ...part, records: part.records.slice(1) }
        : part;
    const losing = (dump: Dump): Dump => ({
      async *parts() {
        for await (const part of dump.parts()) yield without(part);
      },
    });
    const target = world.directory('lossy');
    const [from, to] = [(await world.storage(directory)).open(), (await world.storage(target)).open()];
    const lossy = {
      ...to,
      restoreProject: (...[project, dump, check]: Parameters<typeof to.restoreProject>) =>
        to.restoreProject(project, losing(dump), check),
    };
    const order = { from, to: lossy, project: 'shop', as: 'shop', copied() {}, checked() {} };
    await assert.rejects(copyProject(order), (error) => {
      assert.ok(error instanceof NotTheSame);
      assert.deepEqual(error.comparison.different, ['records of items']);
      return true;
    });
    await Promise.all([from.close(), to.close()]);
    await assertNothing(world, target);
  });
});

describe('a copy of what nodes are serving', { skip }, () => {
  before(async () => {
    world = await makeCopyWorld();
  });
  after(() => world.remove());

  it('has the foreign keys and indexes that a collection made there has', async () => {
    const [made, copied] = [await world.database(), await world.database()];
    await world.run('apply', await world.write('made.json', shop), '--database', made);
    assert.equal((await world.copy('shop', made, copied)).code, 0);
    const [one, other] = await Promise.all([made, copied].map(structureOf));
    assert.deepEqual(other, one);
    assert.equal(one?.filter((line) => line.includes('FOREIGN KEY')).length, 1);
  });

  it('is of one moment, whatever is written, and no definition changes meanwhile', async () => {
    const database = await world.database();
    await world.copy('shop', await makeShop(world, 'shop'), database);
    const engine = (await world.storage(database)).open();
    await withApp(world, database, async (app) => {
      const definition = { ...shop.collections[1], name: 'Things' };
      const change = () =>
        app.call('PUT', '/v1/_admin/projects/shop/collections/items', { body: definition, token: adminKey });
      await engine.dumpProject('shop', async (dump) => {
        const before = await survey(dump);
        for (const title of ['One', 'Two']) {
          resultOf(await app.call('POST', '/v1/shop/items', { body: { title } }), 201);
        }
        resultOf(
          await app.call('POST', '/v1/shop/_auth/register', {
            body: { email: 'a@b.example', password: 'long enough' },
          }),
          201,
        );
        assert.equal((await change()).status, 503);
        assert.deepEqual(await survey(dump), before);
      });
      await engine.dumpProject('shop', async (dump) => {
        const { count } = (await survey(dump)).get('records of items') ?? {};
        assert.equal(count, 4);
      });
      assert.equal((await change()).status, 200);
    });
    await engine.close();
  });
});

describe('a copy of a project whose settings change just before it begins', { skip }, () => {
  before(async () => {
    world = await makeCopyWorld();
  });
  after(() => world.remove());

  for (const engine of ['PostgreSQL', 'a data directory']) {
    it(`has the settings of the same moment as the rest: in ${engine}`, async () => {
      const directory = await makeShop(world, `of ${engine}`);
      const database = await world.database();
      if (engine === 'PostgreSQL') await world.copy('shop', directory, database);
      const source = (await world.storage(engine === 'PostgreSQL' ? database : directory)).open();
      const to = (await world.storage(world.directory(`copy from ${engine}`))).open();
      const from: typeof source = {
        ...source,
        async dumpProject(id, work) {
          await source.updateProject(id, () => ({ name: 'Renamed' }), Date.now());
          return source.dumpProject(id, async (...args) => {
            await source.updateProject(id, () => ({ name: 'Renamed again' }), Date.now());
            return work(...args);
          });
        },
      };
      await copyProject({ from, to, project: 'shop', as: 'shop', copied() {}, checked() {} });
      assert.equal((await to.findProject('shop'))?.name, 'Renamed');
      await Promise.all([source.close(), to.close()]);
    });
  }
});

/** Every constraint and index of the only project. */
async function structureOf(database: string): Promise<string[]> {
  const db = postgres(database, { max: 1 });
  const [project] = await db`SELECT 'vitrine_p' || seq AS schema FROM vitrine.projects`;
  const schema = String(project?.schema);
  const rows = await db`
    SELECT pg_get_constraintdef(oid) AS text FROM pg_constraint WHERE connamespace = ${schema}::regnamespace
    UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = ${schema} ORDER BY text`;
  await db.end();
  return rows.map(({ text }) => String(text).replaceAll(schema, 'project'));
}
