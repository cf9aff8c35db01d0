import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { startApp, type TestApp } from '../harness.ts';
import { seed } from '../seed.ts';
import { drawn } from '../storage.ts';
import { Dice } from './dice.ts';
import { makeSchema, Questions } from './generate.ts';
import { distinct, type Page, Refused, viewAll } from './model.ts';
import { Project, write } from './project.ts';
import { inOrder, Walker } from './walk.ts';

/** In fewer there may be too little of one kind or other: of two projects, one in sixteen had too few walks of several pages. */
const worlds = Math.max(10, drawn('VITRINE_WORLDS', 48, 10));
const rounds = 3;
const queriesPerRound = 28;
const walksPerRound = 3;

describe('View All and Distinct are what the reference model says', () => {
  let app: TestApp;
  before(async () => {
    app = await startApp();
  });
  after(() => app.close());

  it(`in random projects (VITRINE_SEED=${seed})`, { timeout: 600_000 }, async () => {
    const counts = {
      worlds: 0,
      queries: 0,
      found: 0,
      searches: 0,
      searchesFound: 0,
      included: 0,
      refused: 0,
      walks: 0,
      pagesWalked: 0,
      walksAmidChanges: 0,
    };
    const started = Date.now();

    const walker = new Walker(app);

    /** Asks both; says whether there was something in the answer. */
    async function ask(project: Project, collection: string, query: string, isDistinct: boolean) {
      const path = project.path(collection, `${isDistinct ? '/distinct' : ''}?${query}`);
      let expected: Page | Record<string, unknown[]> | Refused;
      try {
        const model = isDistinct ? distinct : viewAll;
        expected = model(project.tables, collection, query);
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        expected = error;
      }
      const reply = await app.call('GET', path);
      counts.queries += 1;
      if (expected instanceof Refused) {
        counts.refused += 1;
        assert.equal(reply.status, 400, `the model refuses it (${expected.message}): ${reply.text}`);
        assert.deepEqual(Object.keys(reply.body), ['ok', 'error']);
        return;
      }
      assert.equal(reply.status, 200, reply.text);
      assert.deepEqual(Object.keys(reply.body), ['ok', 'result']);
      if (isDistinct) {
        assert.deepEqual(reply.body.result, expected);
        if (Object.values(expected).some((values) => values.length > 0)) counts.found += 1;
        return;
      }
      const wanted = expected as Page;
      const got = reply.body.result as unknown as Page;
      // The short differences first: they are easier to read.
      assert.equal(got.total, wanted.total, 'total');
      assert.deepEqual(idsOf(got.found), idsOf(wanted.found), 'ids of found');
      assert.deepEqual(inOrder(got), inOrder(wanted));
      const isHit = wanted.total > 0;
      if (wanted.found.length > 0) counts.found += 1;
      if (/(^|&)search=/.test(query)) {
        counts.searches += 1;
        if (isHit) counts.searchesFound += 1;
      }
      if (Object.values(wanted._include ?? {}).some((rows) => rows.length > 0)) counts.included += 1;
    }

    const property = fc.asyncProperty(fc.gen(), async (draw) => {
      counts.worlds += 1;
      const dice = new Dice(draw);
      const { definitions, tables } = makeSchema(dice);
      const project = new Project(`w${counts.worlds}`, tables, app, dice);
      let last = 'making the project';
      try {
        await app.project(project.id, ...definitions);
        const questions = new Questions(dice, tables, project.values);
        for (let round = 0; round < rounds; round++) {
          last = `writing in round ${round}`;
          for (const collection of tables.keys()) await write(dice, project, collection, round);
          if (dice.chance(3)) await app.reopen();
          if (dice.chance(35)) await sleep(60);
          for (let count = 0; count < walksPerRound; count++) {
            const collection = dice.pick(['a', 'a', 'b', 'c']);
            const query = questions.walk(collection);
            last = `walking ${project.path(collection)}?${query}\n  decoded: ${decodeURIComponent(query)}`;
            const pages = await walker.walk(project, collection, query);
            counts.walks += 1;
            counts.pagesWalked += pages;
            if (pages < 2 || !dice.chance(50)) continue;
            counts.walksAmidChanges += 1;
            last = `${last}\n  while records come and go`;
            await walker.walkAmidChanges(project, collection, query, dice);
          }
          for (let count = 0; count < queriesPerRound; count++) {
            const collection = dice.pick(['a', 'a', 'b', 'c']);
            const isDistinct = dice.chance(15);
            const query = isDistinct ? questions.distinct(collection) : questions.viewAll(collection);
            const asking = `GET ${project.path(collection, isDistinct ? '/distinct' : '')}?${query}`;
            last = `${asking}\n  decoded: ${decodeURIComponent(query)}`;
            await ask(project, collection, query, isDistinct);
            if (!dice.chance(10)) continue;
            // A write, and the same question again: nothing remembered from before may be in the answer.
            last = 'writing between queries';
            const { create, update, delete: remove } = project;
            await dice.pick([create, update, update, remove, remove]).call(project, collection);
            last = `${asking} (asked before the last write too)\n  decoded: ${decodeURIComponent(query)}`;
            await ask(project, collection, query, isDistinct);
          }
        }
      } catch (error) {
        const rows = [...tables].map(([id, table]) => `${id}: ${table.rows.length}`).join(', ');
        const message = error instanceof Error ? error.message : String(error);
        throw new Error(
          `VITRINE_SEED=${seed}, project ${counts.worlds}, query ${counts.queries}\n${last}\n` +
            `records: ${rows}\nschema: ${JSON.stringify(definitions)}\n${message}\n` +
            (app.errors.length > 0 ? `logged: ${app.errors.map(String).join('; ')}\n` : '') +
            (process.env.VITRINE_RECORDS ? JSON.stringify([...tables].map(([id, t]) => [id, t.rows])) : ''),
          { cause: error },
        );
      }
    });

    const outcome = await fc.check(property, { seed, numRuns: worlds, endOnFailure: true });
    console.log(`reference: VITRINE_SEED=${seed}, ${JSON.stringify(counts)}, ${Date.now() - started} ms`);
    if (outcome.failed) throw outcome.errorInstance ?? new Error('the property failed');
    assert.deepEqual(app.errors, []);
    assert.ok(counts.queries >= worlds * rounds * queriesPerRound);
    // A comparison of nothing with nothing proves nothing.
    assert.ok(counts.found > counts.queries * 0.4, 'too few of the queries found anything');
    assert.ok(counts.searchesFound > counts.searches * 0.25, 'too few of the searches found anything');
    assert.ok(counts.included > counts.queries * 0.05, 'too few of the queries included anything');
    assert.ok(counts.pagesWalked > counts.walks * 2, 'too few of the walks had several pages');
    // On average 25 and 6 of 100; of ten projects, in each of which there are more or fewer, 17 and 8 were seen.
    assert.ok(counts.walksAmidChanges > counts.walks * 0.05, 'too few walks while records came and went');
    assert.ok(counts.refused < counts.queries * 0.2, 'too many of the queries were refused');
  });
});

function idsOf(found: readonly object[]): unknown[] {
  return found.map((row) => ('_id' in row ? row._id : row));
}
