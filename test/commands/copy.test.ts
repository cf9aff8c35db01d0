import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { Catalog } from '../../src/catalog/catalog.ts';
import { type Api, localApi } from '../../src/commands/api/open-api.ts';
import { listCollections } from '../../src/commands/api/projects.ts';
import { readProject } from '../../src/commands/apply/definition-file.ts';
import { isPending, makePlan } from '../../src/commands/apply/plan.ts';
import { runPlan } from '../../src/commands/apply/run-plan.ts';
import { copyProject } from '../../src/commands/copy/copy-project.ts';
import type { Engine } from '../../src/store/engine.ts';
import { adminKey, type TestApp } from '../harness.ts';
import { Dice } from '../reference/dice.ts';
import { seed } from '../seed.ts';
import { testEngine } from '../storage.ts';
import { resultOf } from '../support.ts';
import {
  answersOf,
  type CopyWorld,
  makeCopyWorld,
  makeRich,
  password,
  type Rich,
  withApp,
} from './copy-world.ts';
import { randomProject } from './random-project.ts';

/** Both engines are in every test here, whichever the others run on. */
const skip = testEngine === 'postgres';

describe('vitrine copy, from SQLite to PostgreSQL and back', { skip }, () => {
  let world: CopyWorld;
  let rich: Rich;
  let places: [string, string, string];
  let answers: string[];

  before(async () => {
    world = await makeCopyWorld();
    places = [world.directory('first'), await world.database(), world.directory('third')];
    await withApp(world, places[0], async (app) => {
      const [draw] = fc.sample(fc.gen(), { seed, numRuns: 1 });
      assert.ok(draw);
      rich = await makeRich(app, new Dice(draw));
      answers = await answersOf(app, rich);
    });
  });
  after(() => world.remove());

  /** One after the other in each place. */
  async function everywhere(work: (app: TestApp, place: string) => Promise<void>): Promise<void> {
    for (const place of places) await withApp(world, place, (app) => work(app, place));
  }

  it('says how many there are of everything, on both sides', async () => {
    const there = await world.copy(rich.id, places[0], places[1]);
    assert.equal(there.code, 0, there.err);
    assert.match(
      there.out,
      /^Copied rich from .*first to PostgreSQL at 127\.0\.0\.1:\d+\/\w+: [\d,]+ records in /,
    );
    assert.match(there.out, /\nusers +3 +3 {2}[0-9a-f]{16}\n/);
    assert.match(there.out, /\nmembers +5 +5 {2}[0-9a-f]{16}\n/);
    assert.match(there.out, /\nrecords of notes-user +3 +3 {2}[0-9a-f]{16}\n/);
    const back = await world.copy(rich.id, places[1], places[2]);
    assert.equal(back.code, 0, back.err);
    const table = (text: string) => text.slice(text.indexOf('\n'));
    assert.equal(table(back.out), table(there.out));
  });

  it(`every answer is the same to the byte (VITRINE_SEED=${seed})`, async () => {
    await everywhere(async (app, place) => {
      for (const [index, answer] of (await answersOf(app, rich)).entries()) {
        assert.equal(answer, answers[index], place);
      }
    });
  });

  it('a cursor goes on where it was, and an ETag still names the record', async () => {
    const pages: string[] = [];
    await everywhere(async (app) => {
      const query = `sort=-_updatedAt&perPage=3&after=${encodeURIComponent(rich.cursor)}`;
      const page = await app.call('GET', `/v1/${rich.id}/a?${query}`);
      assert.equal(page.status, 200, page.text);
      const { found } = page.body.result as { found: { _id: string }[] };
      const record = await app.call('GET', `/v1/${rich.id}/a/${found[0]?._id}`);
      pages.push(`${page.text} ${record.headers.get('etag')}`);
    });
    assert.equal(new Set(pages).size, 1, pages.join('\n'));
  });

  it('people stay signed in, sign in as before, and the same key works', async () => {
    await everywhere(async (app) => {
      const auth = `/v1/${rich.id}/_auth`;
      const { accessToken, refreshToken } = rich.ann;
      assert.equal(resultOf(await app.call('GET', `${auth}/me`, { token: accessToken })).name, 'ann');
      const email = (name: string) => `${name}@example.com`;
      const login = (name: string, secret: string) =>
        app.call('POST', `${auth}/login`, { body: { email: email(name), password: secret } });
      const signedIn = resultOf(await login('ann', password));
      assert.equal(
        (signedIn.user as { workspace: string }).workspace,
        rich.workspace,
        'the first one joined',
      );
      assert.equal((await login('ann', 'another password')).status, 401);
      assert.equal((await login('carl', password)).status, 401, 'disabled');
      const refreshed = resultOf(await app.call('POST', `${auth}/refresh`, { body: { refreshToken } }));
      assert.notEqual(refreshed.refreshToken, refreshToken);
      const users = await app.call('GET', `/v1/_admin/projects/${rich.id}/users`, { token: rich.key });
      assert.equal(resultOf(users).total, 3);
      const closed = { email: email('new'), password };
      assert.equal((await app.call('POST', `${auth}/register`, { body: closed })).status, 403);
    });
  });

  it('what is created and added afterwards comes last', async () => {
    await everywhere(async (app) => {
      const path = `/v1/${rich.id}/notes-user`;
      const made = await app.call('POST', path, { body: { text: 'later' }, token: rich.key });
      const { _id, _createdAt } = resultOf(made, 201);
      const { found, total } = resultOf(await app.call('GET', path, { token: rich.key })) as {
        found: { _id: string; _createdAt: string }[];
        total: number;
      };
      assert.equal(total, 4);
      assert.equal(found.at(-1)?._id, _id);
      assert.ok(found.slice(0, -1).every((record) => record._createdAt < String(_createdAt)));
      const collections = `/v1/_admin/projects/${rich.id}/collections`;
      const body = { id: 'added', fields: { note: { type: 'relation', to: 'notes-user' } } };
      resultOf(await app.call('POST', collections, { body, token: adminKey }), 201);
      resultOf(await app.call('DELETE', `${path}/${_id}`, { token: rich.key }));
    });
  });
});

describe('vitrine copy', { skip }, () => {
  let world: CopyWorld;
  before(async () => {
    world = await makeCopyWorld();
  });
  after(() => world.remove());

  it(`keeps whatever a definition can say (VITRINE_SEED=${seed})`, { timeout: 280_000 }, async () => {
    const engines = await Promise.all(
      [world.directory('from'), await world.database(), world.directory('to')].map(async (place) =>
        (await world.storage(place)).open(),
      ),
    );
    const [first, second, third] = engines as [Engine, Engine, Engine];
    const [before, after] = [first, third].map((engine) =>
      localApi('', new Catalog(engine, Date.now), { info() {}, error() {} }),
    ) as [Api, Api];
    for (const [index, draw] of fc.sample(fc.gen(), { seed, numRuns: 8 }).entries()) {
      const file = readProject(randomProject(draw));
      await runPlan(before, await makePlan(before, file), true);
      const as = `p${index}`;
      const silent = { as, copied() {}, checked() {} };
      await copyProject({ from: first, to: second, project: file.id, ...silent });
      await copyProject({ from: second, to: third, project: as, ...silent });
      assert.deepEqual(await listCollections(after.admin, as), await listCollections(before.admin, file.id));
      assert.equal(isPending(await makePlan(after, { ...file, id: as })), false);
    }
    await before.close();
    await second.close();
    await after.close();
  });

  it('takes a copy under another name beside the project, in either engine', async () => {
    const database = await world.database();
    const directory = world.directory('twice');
    const project = { id: 'one', collections: [{ id: 'notes', fields: { text: { type: 'text' } } }] };
    await world.run('apply', await world.write('one.json', project), '--data', directory);
    for (const [from, to] of [
      [directory, directory],
      [directory, database],
      [database, database],
    ] as const) {
      const as = from === to ? ['--as', 'two'] : [];
      const { code, err } = await world.copy('one', from, to, ...as);
      assert.equal(code, 0, err);
    }
    for (const place of [directory, database]) {
      await withApp(world, place, async (app) => {
        const listed = resultOf(await app.call('GET', '/v1/_admin/projects', { token: adminKey }));
        assert.deepEqual(
          (listed.found as { id: string }[]).map(({ id }) => id),
          ['one', 'two'],
        );
      });
    }
  });
});
