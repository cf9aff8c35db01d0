import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { ReadTurn } from '../../src/access/turns.ts';
import { requireCollection } from '../../src/catalog/require-collection.ts';
import { loadRuntime } from '../../src/runtime/load-runtime.ts';
import { ReaderFile } from '../../src/store/engines/sqlite/readers/reader-file.ts';
import { listPlan, type WalkPlan } from '../../src/store/plans.ts';
import { joinedText } from '../../src/store/record-texts.ts';
import { startApp, type TestApp } from '../harness.ts';
import { type NamedStorage, startStorage, testEngine } from '../storage.ts';
import { definition, resultOf } from '../support.ts';

const count = 2_400;
const scope = { kind: 'all' } as const;
type Made = { readonly _id: string };

describe('what a page includes', () => {
  let storage: NamedStorage;
  let app: TestApp;
  const people: string[] = [];
  const fans: string[] = [];
  const next = (at: number, by: number) => people[(at + by) % count] ?? '';
  before(async () => {
    storage = await startStorage();
    app = await startApp({ storage });
    const to = (kind: string) => ({ type: 'relation', to: 'people', kind });
    await app.project(
      'p',
      definition('people', { n: { type: 'number' }, friend: to('single'), follows: to('multiple') }),
      definition('teams', { members: to('multiple') }),
      definition('fans', {}),
      ...['bands', 'festivals'].map((id) =>
        definition(id, { fans: { type: 'relation', to: 'fans', kind: 'multiple' } }),
      ),
    );
    const send = async (id: string, body: object) =>
      resultOf(await app.call('POST', `/v1/p/${id}/batch`, { body: body as never }));
    for (let made = 0; made < count; made += 800) {
      const create = Array.from({ length: 800 }, (_, at) => ({ n: made + at }));
      const { created } = await send('people', { create });
      for (const { _id } of created as Made[]) people.push(_id);
    }
    for (let made = 0; made < count; made += 800) {
      const update = people.slice(made, made + 800).map((_id, index) => {
        const at = made + index;
        return { _id, friend: next(at, 1), follows: [next(at, 2), next(at, 3)] };
      });
      await send('people', { update });
    }
    await send('teams', { create: [{ members: people }] });
    while (fans.length < 4_001) {
      const { created } = await send('fans', {
        create: Array(Math.min(1_000, 4_001 - fans.length)).fill({}),
      });
      for (const { _id } of created as Made[]) fans.push(_id);
    }
    await send('bands', { create: [{ fans }] });
    await send('festivals', { create: Array(20).fill({ fans: fans.slice(0, 1_500) }) });
  });
  after(async () => {
    await app.close();
    await storage.remove();
  });

  /** How many turns a page and a walk take each. */
  async function turnsOf(collection: string, path: string): Promise<number[]> {
    let taken = 0;
    const turn: ReadTurn = {
      signal: new AbortController().signal,
      take: () => {
        taken += 1;
        return () => {};
      },
    };
    return app.catalog().use('p', async (project) => {
      const { ref } = requireCollection(project, collection);
      const include = [{ path, steps: path.split('.').map((field) => ({ field, scope })) }];
      const where = { scope, conditions: [], search: [] };
      const plan = { collection: ref, where, sort: [], limit: 20, include, extra: [] };
      await project.store.list(listPlan({ ...plan, offset: 0 }), turn);
      const listed = taken;
      const walk: WalkPlan = { ...plan, after: undefined };
      await project.store.walk(walk, turn);
      return [listed, taken - listed];
    });
  }

  for (const [collection, path, turns] of [
    ['people', 'friend.friend.friend', 0],
    ['people', 'follows', 0],
    ['people', 'friend.follows', 0],
    ['people', 'follows.friend', 1],
    ['people', 'follows.follows', 1],
    ['teams', 'members', 0],
    ['teams', 'members.friend', 1],
    // PostgreSQL has no thread to hold up: there it is one statement.
    ['bands', 'fans', testEngine === 'sqlite' ? 1 : 0],
    ['festivals', 'fans', testEngine === 'sqlite' ? 1 : 0],
  ] as const) {
    const what = turns === 0 ? 'is bounded by the page' : 'is expensive where it may be all of very many';
    it(`${what}: ${path} of ${collection}`, async () => {
      assert.deepEqual(await turnsOf(collection, path), [turns, turns]);
    });
  }

  it('is all of them, each once, however many statements that takes', async () => {
    const included = async (collection: string, path: string, more: string) => {
      const reply = await app.call('GET', `/v1/p/${collection}?include=${path}&perPage=3${more}`);
      const held = resultOf(reply)._include as Record<string, Made[]>;
      return held[path]?.map(({ _id }) => _id).sort();
    };
    const numbers = (...at: number[]) => at.map((n) => people[n]).sort();
    for (const more of ['', '&after=']) {
      assert.deepEqual(await included('bands', 'fans', more), fans.toSorted());
      for (const path of ['members', 'members.friend', 'members.follows', 'members.follows.follows'])
        assert.deepEqual(await included('teams', path, more), people.toSorted(), path);
      assert.deepEqual(await included('people', 'follows.friend', more), numbers(3, 4, 5, 6));
      assert.deepEqual(await included('people', 'follows.follows', more), numbers(4, 5, 6, 7, 8));
    }
  });

  const skip = testEngine !== 'sqlite' && 'PostgreSQL can be stopped at any time';
  it('comes in slices, whatever the order of the page', { skip }, async () => {
    const { ref } = await app.catalog().use('p', async (project) => requireCollection(project, 'people'));
    const { sqlite } = await loadRuntime();
    const file = new ReaderFile(sqlite, join(storage.flags[1] ?? '', 'projects', 'p.db'));
    let slices = 0;
    const stop = () => {
      slices += 1;
      return undefined;
    };
    const idsOf = (text = '') => new Set((JSON.parse(`[${text}]`) as Made[]).map(({ _id }) => _id));
    const followed = (text: string) =>
      new Set((JSON.parse(`[${text}]`) as { follows: string[] }[]).flatMap(({ follows }) => follows));
    try {
      for (const names of [[], ['friend'], ['friend', 'n']]) {
        const plan = {
          ...{ collection: ref, where: { scope, conditions: [], search: [] }, limit: 500, extra: [] },
          sort: names.map((name) => ({ name, descending: false })),
          include: [{ path: 'follows', steps: [{ field: 'follows', scope }] }],
        };
        slices = 0;
        const { answer } = await file.read('list', listPlan({ ...plan, offset: 0 }), stop, 60_000);
        assert.deepEqual(idsOf(answer.include.get('follows')), followed(joinedText(answer.found)));
        assert.ok(slices > 3, `a list by ${names}: ${slices}`);
        slices = 0;
        const walked = await file.read('walk', { ...plan, after: undefined }, stop, 60_000);
        assert.deepEqual(idsOf(walked.include.get('follows')), followed(joinedText(walked.found)));
        assert.ok(slices > 3, `a walk by ${names}: ${slices}`);
      }
    } finally {
      file.close();
    }
  });
});
