import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Json, JsonObject } from '../../src/model/json.ts';
import { Dice, seedOf } from '../durability/dice.ts';
import { startApp, type TestApp } from '../harness.ts';
import { definition, resultOf } from '../support.ts';

const seed = seedOf(process.env);
const clients = 8;
const rounds = Number(process.env.VITRINE_RUNS ?? 12);
const perCollection = 6;

const makers = definition('makers', { name: { type: 'text' }, code: { type: 'text', unique: true } });
const items = definition('items', {
  name: { type: 'text', index: true },
  maker: { type: 'relation', to: 'makers', kind: 'single', onDelete: 'clear' },
});
const notes = definition('notes', {
  text: { type: 'text' },
  items: { type: 'relation', to: 'items', kind: 'multiple', onDelete: 'clear' },
  maker: { type: 'relation', to: 'makers', kind: 'single', onDelete: 'cascade' },
});
const collections = ['makers', 'items', 'notes'] as const;
type Name = (typeof collections)[number];

type Shared = Readonly<Record<Name, readonly string[]>>;
const pick = <T>(dice: Dice, from: readonly T[]): T => from[dice.below(from.length)] as T;

/** Values that no other record may refuse. */
function values(dice: Dice, shared: Shared, name: Name): JsonObject {
  const maker = pick(dice, [null, ...shared.makers]);
  switch (name) {
    case 'makers':
      return { name: `n${dice.below(100)}`, code: crypto.randomUUID() };
    case 'items':
      return { name: `n${dice.below(100)}`, maker };
    case 'notes':
      return { text: `t${dice.below(100)}`, items: dice.some(shared.items, 3), maker };
  }
}

interface Operation {
  readonly method: 'create' | 'update' | 'delete';
  readonly collection: Name;
  readonly id?: string;
  readonly data?: JsonObject;
}

interface Own {
  readonly collection: Name;
  readonly id: string;
}

/** Some operations on records that all clients change, in any order; what a client made it may delete again. */
function operations(dice: Dice, shared: Shared, own: Own[]): Operation[] {
  return Array.from({ length: 3 + dice.below(10) }, (): Operation => {
    const collection = pick(dice, collections);
    const data = values(dice, shared, collection);
    const way = dice.below(10);
    if (way < 2) return { method: 'create', collection, data };
    const [mine] = way === 2 && own.length > 0 ? own.splice(dice.below(own.length), 1) : [];
    if (mine) return { method: 'delete', ...mine };
    return { method: 'update', collection, id: pick(dice, shared[collection]), data };
  });
}

describe('batches that share records and collections, from eight clients at once', () => {
  let app: TestApp;
  let shared: Shared;
  before(async () => {
    app = await startApp();
    await app.project('p', makers, items, notes);
    const made: Record<Name, string[]> = { makers: [], items: [], notes: [] };
    for (const name of collections) {
      for (let count = 0; count < perCollection; count++) {
        const body = values(new Dice(count), { makers: [], items: [], notes: [] }, name);
        made[name].push(String(resultOf(await app.call('POST', `/v1/p/${name}`, { body }), 201)._id));
      }
    }
    shared = made;
  });
  after(() => app.close());

  const alone = ({ method, collection, id, data }: Operation) => {
    const path = `/v1/p/${collection}`;
    switch (method) {
      case 'create':
        return app.call('POST', path, { body: data });
      case 'update':
        return app.call('PATCH', `${path}/${id}`, { body: data });
      case 'delete':
        return app.call('DELETE', `${path}/${id}`);
    }
  };

  it(`are all carried out (VITRINE_SEED=${seed})`, { timeout: 600_000 }, async () => {
    const refused: string[] = [];
    const made = { makers: 0, items: 0, notes: 0 };
    const start = performance.now();
    const client = async (dice: Dice, number: number) => {
      const own: Own[] = [];
      for (let round = 0; round < rounds; round++) {
        // Every other client also sends single requests.
        const all = operations(dice, shared, own);
        const sent = number % 2 === 1 && dice.chance(60) ? all.slice(0, 1) : all;
        own.push(
          ...all
            .slice(sent.length)
            .flatMap(({ method, collection, id }) => (method === 'delete' && id ? [{ collection, id }] : [])),
        );
        const [single] = sent;
        const body = { operations: sent } as unknown as Json;
        const reply = await (sent.length === 1 && single
          ? alone(single)
          : app.call('POST', '/v1/p/_batch', { body }));
        if (reply.status >= 300) {
          refused.push(`${reply.status} ${reply.text}`);
          continue;
        }
        const { results = [resultOf(reply, reply.status)] } = resultOf(reply, reply.status) as {
          results?: { _id: string }[];
        };
        sent.forEach(({ method, collection }, at) => {
          if (method === 'create') own.push({ collection, id: String(results[at]?._id) });
          made[collection] += method === 'create' ? 1 : method === 'delete' ? -1 : 0;
        });
      }
    };
    const dice = new Dice(seed);
    await Promise.all(Array.from({ length: clients }, (_, number) => client(dice.fork(), number)));
    const took = Math.round(performance.now() - start);
    console.log(`shared batches: VITRINE_SEED=${seed}, ${clients * rounds} in ${took} ms`);
    assert.deepEqual(refused, [], `VITRINE_SEED=${seed}`);
    for (const name of collections) {
      const { total } = resultOf(await app.call('GET', `/v1/p/${name}`));
      assert.equal(total, perCollection + made[name], `${name}, VITRINE_SEED=${seed}`);
    }
    assert.deepEqual(app.errors, []);
  });
});
