import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import fc from 'fast-check';
import type { JsonObject } from '../src/model/json.ts';
import { startApp, type TestApp } from './harness.ts';
import { Dice } from './reference/dice.ts';
import { seed } from './seed.ts';
import { drawn } from './storage.ts';
import { asAdmin, definition, type Listed, type Row, resultOf } from './support.ts';

const names = ['a', 'b', 'c'];
type Relation = JsonObject & { readonly to: string; readonly kind: string; readonly least: number };

let app: TestApp;
before(async () => {
  app = await startApp();
});
after(() => app.close());

function makeRelation(dice: Dice): Relation {
  const kind = dice.pick(['single', 'multiple']);
  const least = dice.pick([0, 0, 0, 1, ...(kind === 'multiple' ? [2] : [])]);
  const rule = dice.pick(['clear', 'clear', 'restrict', 'cascade', 'cascade']);
  return { type: 'relation', to: dice.pick(names), kind, onDelete: rule, least };
}

/** `strict`: with what the relations need. */
const definitionOf = (id: string, relations: Readonly<Record<string, Relation>>, strict: boolean) => {
  const fields = Object.entries(relations).map(([name, { least, ...field }]) => {
    const needs = least === 1 ? { required: true } : least === 2 ? { minItems: 2 } : {};
    return [name, { ...field, ...(strict && needs) }];
  });
  return definition(id, Object.fromEntries(fields));
};

/** Three collections of records that refer to each other, round cycles too, by rules of every kind. */
class World {
  readonly #path: string;
  #next = '';

  constructor(project: string) {
    this.#path = `/v1/${project}`;
  }

  async fill(dice: Dice): Promise<void> {
    const project = this.#path.slice(4);
    await app.project(project, ...names.map((id) => definition(id, {})));
    const ids = new Map<string, string[]>();
    for (const id of names) {
      const create = dice.times(dice.below(9), () => ({}));
      const { created } = resultOf(await this.call('POST', `/${id}/batch`, { create }));
      ids.set(
        id,
        (created as Row[]).map(({ _id }) => _id),
      );
    }
    for (const id of names) {
      const relations = Object.fromEntries(
        dice.times(1 + dice.below(3), (at) => [`r${at}`, makeRelation(dice)]),
      );
      const define = (strict: boolean) =>
        app.call('PUT', `/v1/_admin/projects/${project}/collections/${id}`, {
          ...asAdmin,
          body: definitionOf(id, relations, strict),
        });
      resultOf(await define(false));
      const update = (ids.get(id) ?? []).map((_id) => {
        const values = Object.entries(relations).map(([name, { to, kind, least }]) => {
          const some = dice.some(ids.get(to) ?? [], least, 3);
          return [name, kind === 'multiple' ? some : (some[0] ?? null)];
        });
        return { _id, ...Object.fromEntries(values) };
      });
      resultOf(await this.call('POST', `/${id}/batch`, { update }));
      await define(true); // refused where there are too few to refer to
    }
    this.#next = String(resultOf(await this.call('GET', '/_changes?after=now')).next);
  }

  call(verb: string, path: string, body?: JsonObject) {
    return app.call(verb, this.#path + path, { ...asAdmin, body });
  }

  /** All records, by collection and id. */
  async records(): Promise<Map<string, Row>> {
    const all = new Map<string, Row>();
    for (const id of names) {
      const { found } = resultOf(await this.call('GET', `/${id}?perPage=1000`)) as unknown as Listed;
      for (const row of found) all.set(`${id}/${row._id}`, row);
    }
    return all;
  }

  /** What the feed tells since the last time. */
  async changes(): Promise<Map<string, Row | null>> {
    const after = encodeURIComponent(this.#next);
    const { changes, next } = resultOf(await this.call('GET', `/_changes?perPage=1000&after=${after}`));
    this.#next = String(next);
    const told = changes as { collection: string; _id: string; record: Row | null }[];
    return new Map(told.map(({ collection, _id, record }) => [`${collection}/${_id}`, record]));
  }
}

const byCollection = (keys: readonly string[]) => {
  const counts: Record<string, number> = {};
  for (const key of keys) counts[key[0] ?? ''] = (counts[key[0] ?? ''] ?? 0) + 1;
  return counts;
};

it(`a dry run tells what a deletion does, and so does the feed (VITRINE_SEED=${seed})`, async () => {
  const counts = { worlds: 0, done: 0, refused: 0, deleted: 0, cleared: 0 };
  const property = fc.asyncProperty(fc.gen(), async (draw) => {
    const dice = new Dice(draw);
    const world = new World(`w${++counts.worlds}`);
    await world.fill(dice);
    let before = await world.records();
    for (let tries = 0; tries < 6 && before.size > 0; tries++) {
      const key = dice.pick([...before.keys()]);
      const [collection = '', id = ''] = key.split('/');
      const told = resultOf(await world.call('DELETE', `/${key}?dryRun=true`));
      const reply = dice.chance(50)
        ? await world.call('DELETE', `/${key}`)
        : await world.call('POST', `/${collection}/batch`, { delete: [id] });
      const now = await world.records();
      const gone = [...before.keys()].filter((one) => !now.has(one));
      const changed = [...now.keys()].filter(
        (one) => now.get(one)?._updatedAt !== before.get(one)?._updatedAt,
      );
      const isRefused = Object.keys(told.restricts as object).length > 0;
      assert.equal(reply.status, isRefused ? 409 : 200, `${JSON.stringify(told)} ${reply.text}`);
      if (isRefused) assert.deepEqual(now, before);
      else {
        assert.ok(gone.includes(key));
        assert.deepEqual(byCollection(gone.filter((one) => one !== key)), told.deletes);
        assert.deepEqual(byCollection(changed), told.clears);
      }
      const expected = [...gone, ...changed].map((one) => [one, now.get(one) ?? null] as const);
      assert.deepEqual(await world.changes(), new Map(expected));
      const left = new Set([...now.values()].map(({ _id }) => _id));
      for (const [name, value] of [...now.values()].flatMap((row) => Object.entries(row)))
        if (/^r\d/.test(name)) for (const one of [value ?? []].flat()) assert.ok(left.has(String(one)));
      counts[isRefused ? 'refused' : 'done'] += 1;
      counts.deleted += gone.length;
      counts.cleared += changed.length;
      before = now;
    }
  });
  await fc.assert(property, { seed, numRuns: drawn('VITRINE_WORLDS', 10, 4), endOnFailure: true });
  console.log(`delete-rules: VITRINE_SEED=${seed}, ${JSON.stringify(counts)}`);
});
