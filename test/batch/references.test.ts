import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { JsonObject } from '../../src/model/json.ts';
import { adminKey } from '../admin-key.ts';
import { Dice } from '../durability/dice.ts';
import { startApp, type TestApp } from '../harness.ts';
import { seed } from '../seed.ts';
import { drawn } from '../storage.ts';
import { asAdmin, definition, makeProject, Records, resultOf } from '../support.ts';

console.log(`test/batch/references: VITRINE_SEED=${seed}`);

let app: TestApp;
before(async () => {
  app = await startApp();
});
after(() => app.close());

interface Person {
  readonly id: string;
  readonly token: string;
}

/** Who owns each brand that is there. */
type Brands = Map<string, string>;

const rounds = drawn('VITRINE_WORLDS', 40, 10);

/** Brands that people own, and parts that refer to them; whoever made a part must have been allowed to view its brand. */
class World {
  readonly path: string;
  readonly people: readonly Person[];
  readonly dice: Dice;

  constructor(path: string, people: readonly Person[], dice: Dice) {
    this.path = path;
    this.people = people;
    this.dice = dice;
  }

  static async make(dice: Dice): Promise<World> {
    const brand = { type: 'relation', to: 'brands', onDelete: 'clear' };
    const path = await makeProject(
      app,
      definition('brands', { name: { type: 'text' } }, { api: { access: 'user' } }),
      definition('parts', { name: { type: 'text' }, brand }, { api: { access: 'public' } }),
    );
    const people: Person[] = [];
    for (const name of ['ann', 'ben']) {
      const body = { email: `${name}@example.com`, password: 'correct horse' };
      const { user, accessToken } = resultOf(
        await app.call('POST', `${path}/_auth/register`, { body }),
        201,
      ) as { user: { _id: string }; accessToken: string };
      people.push({ id: user._id, token: accessToken });
    }
    return new World(path, people, dice);
  }

  brands = () => new Records(app, `${this.path}/brands`, asAdmin);
  parts = () => new Records(app, `${this.path}/parts`, asAdmin);

  async fill(count: number): Promise<Brands> {
    const owners = Array.from({ length: count }, () => this.person());
    const create = owners.map(({ id }, at) => ({ name: `b${at}`, _owner: id }));
    const { created } = resultOf(await this.brands().call('POST', '/batch', { create })) as {
      created: { _id: string }[];
    };
    return new Map(created.map(({ _id }, at) => [_id, owners[at]?.id ?? '']));
  }

  person(): Person {
    return this.dice.pick(this.people) as Person;
  }

  /** An operation, and what it does to the brands: false where it must be refused. `by`: undefined for the administrator. */
  draw(ids: readonly string[], by: Person | undefined): [JsonObject, (brands: Brands) => boolean] {
    const id = this.dice.pick(ids) as string;
    const sees = (brands: Brands) => (by ? brands.get(id) === by.id : brands.has(id));
    const kind = this.dice.below(10);
    if (kind === 0)
      return [{ method: 'delete', collection: 'brands', id }, (brands) => sees(brands) && brands.delete(id)];
    if (kind === 1 && !by) {
      const { id: owner } = this.person();
      const data = { _owner: owner };
      return [
        { method: 'update', collection: 'brands', id, data },
        (brands) => sees(brands) && Boolean(brands.set(id, owner)),
      ];
    }
    return [{ method: 'create', collection: 'parts', data: { name: 'p', brand: id } }, sees];
  }

  send(operations: readonly JsonObject[], by: Person | undefined) {
    const token = by?.token ?? adminKey;
    return app.call('POST', `${this.path}/_batch`, { token, body: { operations: [...operations] } });
  }
}

describe('what the operations of a batch refer to', () => {
  it('is there for the caller at that moment, whatever those before did to it', async () => {
    const world = await World.make(new Dice(seed));
    const { dice } = world;
    const seen = { done: 0, refused: 0 };
    let brands = await world.fill(4);
    // Where few are drawn, on until some were done and some refused.
    const isOver = (round: number) => round >= rounds && Math.min(seen.done, seen.refused) > 0;
    for (let round = 0; !isOver(round) && round < rounds + 200; round++) {
      if (brands.size < 2) brands = new Map([...brands, ...(await world.fill(3))]);
      const ids = [...brands.keys()];
      const by = dice.chance(50) ? world.person() : undefined;
      const drawn = Array.from({ length: 2 + dice.below(8) }, () => world.draw(ids, by));
      const next = new Map(brands);
      const refused = drawn.findIndex(([, run]) => !run(next));
      const reply = await world.send(
        drawn.map(([operation]) => operation),
        by,
      );
      if (refused < 0) {
        assert.equal(reply.status, 200, reply.text);
        brands = next;
        seen.done += 1;
      } else {
        assert.ok(reply.status === 400 || reply.status === 404, reply.text);
        assert.ok(reply.text.includes(`operations[${refused}]`), `${reply.text} is not about ${refused}`);
        seen.refused += 1;
      }
    }
    assert.ok(seen.done > 0 && seen.refused > 0, JSON.stringify(seen));
    await assertWhole(world);
  });

  it('is there at the end of many that came at once', async () => {
    const world = await World.make(new Dice(seed + 1));
    const { dice } = world;
    for (let round = 0; round < rounds / 4; round++) {
      const ids = [...(await world.fill(3)).keys()];
      const batches = Array.from({ length: 12 }, () => {
        const by = dice.chance(50) ? world.person() : undefined;
        const operations = Array.from({ length: 1 + dice.below(4) }, () => world.draw(ids, by)[0]);
        return world.send(operations, by);
      });
      const one = () => world.parts().call('POST', '', { name: 'p', brand: dice.pick(ids) ?? null });
      const replies = await Promise.all([...batches, ...Array.from({ length: 12 }, one)]);
      for (const { status, text } of replies)
        assert.ok(status < 300 || status === 400 || status === 404, text);
    }
    await assertWhole(world);
  });
});

/** No part refers to a brand that is not there. */
async function assertWhole(world: World): Promise<void> {
  const { found: brands } = await world.brands().list('perPage=1000');
  const there = new Set(brands.map(({ _id }) => _id));
  const { found: parts } = await world.parts().list('perPage=1000');
  for (const { brand } of parts) assert.ok(brand === null || there.has(String(brand)), `${brand} is gone`);
}
