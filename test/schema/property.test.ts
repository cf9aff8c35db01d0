import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import type { Json } from '../../src/model/json.ts';
import { startApp, type TestApp } from '../harness.ts';
import { Dice } from '../reference/dice.ts';
import { seed } from '../seed.ts';
import { drawn } from '../storage.ts';
import { assertRefused, definition, type Records, type Row, resultOf } from '../support.ts';
import {
  allFit,
  carried,
  type Definition,
  fits,
  isMany,
  isUnique,
  losesValues,
  misfits,
  searched,
} from './model.ts';
import { makeDefinition, makeValue, mutate } from './mutate.ts';
import { type Plan, Schema, text, valuesOf } from './support.ts';

const worlds = drawn('VITRINE_WORLDS', 20, 8);
const changesPerWorld = 3;

/** Asks what a scan of all records would say, and compares. */
async function assertAgrees(things: Records, next: Definition, rows: readonly Row[]): Promise<void> {
  const idsOf = async (query: string) =>
    (await things.list(`perPage=1000&${query}`)).found.map(({ _id }) => _id);
  for (const word of ['red', 'example', 'a', '1']) {
    const expected = rows.filter((row) =>
      searched(next, row).some((one) => one.toLowerCase().includes(word)),
    );
    assert.deepEqual(
      await idsOf(`search=${word}`),
      expected.map(({ _id }) => _id),
      `search=${word}`,
    );
  }
  for (const [name, field] of Object.entries(next.fields)) {
    const held = [...new Set(rows.flatMap((row) => [row[name] ?? []].flat()))];
    const distinct = (await things.distinct(`fields=${name}`))[name] as Json[];
    assert.deepEqual(new Set(distinct), new Set(held), `distinct of ${name}`);
    const type = field.type === 'list' ? String((field.of as { type: string }).type) : field.type;
    for (const value of held.filter((one) => one !== '').slice(0, 2)) {
      if (type === 'datetime') continue;
      const expected = rows.filter((row) => [row[name] ?? []].flat().includes(value));
      const query = `${name}=${encodeURIComponent(String(value).replaceAll(',', '\\,'))}`;
      assert.deepEqual(
        await idsOf(query),
        expected.map(({ _id }) => _id),
        query,
      );
    }
    if (!isMany(field)) assert.equal((await idsOf(`sort=-${name}`)).length, rows.length);
  }
}

/** Each record is valid under the schema it is returned with: it takes its own values. */
async function assertValid(things: Records, next: Definition, rows: readonly Row[]): Promise<void> {
  const replies = rows.map((row) => {
    const values = Object.entries(valuesOf(row)).map(([name, value]) => {
      return [name, Array.isArray(value) && value.length === 0 ? null : value] as const;
    });
    return things.call('PATCH', `/${row._id}`, Object.fromEntries(values));
  });
  for (const reply of await Promise.all(replies)) {
    assert.equal(reply.status, 200, `${reply.text} under ${JSON.stringify(next)}`);
  }
}

describe('a change from one random schema to another', () => {
  let app: TestApp;
  before(async () => {
    app = await startApp();
  });
  after(() => app.close());

  it(`carries every value or changes nothing (VITRINE_SEED=${seed})`, { timeout: 600_000 }, async () => {
    const counts = { invalid: 0, done: 0, nothing: 0, lossy: 0, contradicted: 0, records: 0 };

    async function world(dice: Dice): Promise<void> {
      const schema = await Schema.make(
        app,
        definition('others', { a: text }),
        definition('more', { a: text }),
      );
      const ids: Record<string, string[]> = {};
      for (const id of ['others', 'more']) {
        const create = [{ a: 'one' }, { a: 'two' }, { a: 'three' }];
        const reply = resultOf(await schema.records(id).call('POST', '/batch', { create }));
        ids[id] = (reply.created as Row[]).map(({ _id }) => _id);
      }
      let now = makeDefinition(dice);
      resultOf(await app.call('POST', schema.path, { token: 'test-administrator-key', body: now }), 201);
      const things = schema.records('things');
      for (let round = 0; round < changesPerWorld; round++) {
        const bodies = dice.times(8, () =>
          Object.fromEntries(
            Object.entries(now.fields).map(([name, field]) => [name, makeValue(dice, field, ids)]),
          ),
        );
        const fitting = bodies.filter((body) =>
          Object.entries(now.fields).every(([name, field]) => fits(field, body[name] ?? null)),
        );
        const replies = await Promise.all(fitting.map((body) => things.call('POST', '', body)));
        for (const reply of replies) assert.ok([201, 409].includes(reply.status), reply.text);
        const next = mutate(dice, now);
        if (await change(schema, now, next, dice.chance(60)))
          now = (await schema.view('things')) as Definition;
      }
    }

    /** Whether it was made. */
    async function change(
      schema: Schema,
      old: Definition,
      next: Definition,
      confirmed: boolean,
    ): Promise<boolean> {
      const things = schema.records('things');
      const rows = (await things.list('perPage=1000')).found;
      const expected = rows.map((row) => carried(old, next, row));
      const lossy = losesValues(old, next);
      const fitting = allFit(next, expected);
      const about = `${JSON.stringify(old)} -> ${JSON.stringify(next)}`;
      const before = await schema.dump();
      const dry = await schema.put('things', next, 'dryRun=true');
      assert.deepEqual(await schema.dump(), before, `a dry run changed something: ${about}`);
      if (dry.status === 400) {
        assertRefused(await schema.put('things', next, 'confirm=destructive'), 400, dry.body.error);
        assert.deepEqual(await schema.dump(), before, `a refused change changed something: ${about}`);
        counts.invalid += 1;
        return false;
      }
      const plan = resultOf(dry) as unknown as Plan;
      assert.equal(plan.destructive, lossy, about);
      if (plan.steps.length > 0 && !isUnique(next))
        assert.equal(plan.contradiction?.records ?? 0, misfits(next, expected), about);
      if (plan.steps.length > 0)
        assert.equal(plan.contradiction === undefined, fitting, `${dry.text} ${about}`);
      const refused = async (query: string) => {
        assert.equal((await schema.put('things', next, query)).status, 409, about);
        assert.deepEqual(await schema.dump(), before, `a refused change changed something: ${about}`);
        return false;
      };
      if (lossy) {
        counts.lossy += 1;
        await refused('');
        if (!confirmed) return false;
      }
      if (!fitting) {
        counts.contradicted += 1;
        return refused('confirm=destructive');
      }
      const reply = await schema.put('things', next, lossy ? 'confirm=destructive' : '');
      assert.equal(reply.status, 200, `${reply.text} ${about}`);
      const { found, total } = await things.list('perPage=1000');
      assert.equal(total, rows.length);
      assert.deepEqual(
        found,
        rows.map(({ _id, _createdAt, _updatedAt }, at) => ({ _id, ...expected[at], _createdAt, _updatedAt })),
        about,
      );
      const again = resultOf(await schema.put('things', next, 'dryRun=true')) as unknown as Plan;
      assert.deepEqual(again, { steps: [], destructive: false }, about);
      await assertAgrees(things, next, found);
      await assertValid(things, next, found);
      counts[plan.steps.length === 0 ? 'nothing' : 'done'] += 1;
      counts.records += rows.length;
      return true;
    }

    const property = fc.asyncProperty(fc.gen(), (draw) => world(new Dice(draw)));
    await fc.assert(property, { seed, numRuns: worlds, endOnFailure: true });
    console.log(`VITRINE_SEED=${seed}:`, counts);
    assert.ok(counts.invalid <= worlds, 'hardly any definition was valid');
    if (worlds >= 20)
      assert.ok(counts.done >= 5 && counts.lossy >= 2 && counts.contradicted >= 1 && counts.records > 20);
  });
});
