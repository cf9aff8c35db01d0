import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { JsonObject } from '../../src/model/json.ts';
import { Dice } from '../durability/dice.ts';
import type { TestApp } from '../harness.ts';
import { seed } from '../seed.ts';
import { asAdmin, definition, makeProject, Records, type Row, resultOf } from '../support.ts';
import { type Nodes, startNodes } from '../two-nodes.ts';
import { number, relation, text } from './support.ts';

console.log(`test/schema/at-once: VITRINE_SEED=${seed}`);

const rounds = process.env.VITRINE_LONG === '1' ? 200 : 12;

let nodes: Nodes;
before(async () => {
  nodes = await startNodes();
});
after(() => nodes.close());

/** What two who change definitions may be told: never that something is broken. */
const expected = new Set([200, 201, 404, 409]);

const extras = ['red', 'green', 'blue'];
const things = (dice: Dice) => {
  const more = Object.fromEntries(dice.some(extras, 3).map((name) => [name, text]));
  const size = dice.chance(50) ? number : { ...number, index: true };
  return definition('things', { key: text, size, ...more });
};
const parts = (dice: Dice) =>
  definition('parts', { name: text, of: relation('things'), ...(dice.chance(50) && { size: number }) });

/** One who changes definitions by one of the nodes, however it comes. */
class Changer {
  readonly told: string[] = [];
  readonly #node: TestApp;
  readonly #path: string;
  readonly #dice: Dice;

  constructor(node: TestApp, path: string, dice: Dice) {
    this.#node = node;
    this.#path = path.replace('/v1/', '/v1/_admin/projects/');
    this.#dice = dice;
  }

  async change(): Promise<void> {
    const dice = this.#dice;
    const dryRun = dice.chance(20) ? '&dryRun=true' : '';
    const destructive = `?confirm=destructive${dryRun}`;
    const kind = dice.below(10);
    if (kind < 6) await this.#send('PUT', `/things${destructive}`, things(dice));
    else if (kind < 8) await this.#send('PUT', `/parts${destructive}`, parts(dice));
    else if (kind === 8) await this.#send('DELETE', '/parts?confirm=destructive');
    else await this.#send('POST', '', parts(dice));
  }

  async #send(verb: string, rest: string, body?: JsonObject): Promise<void> {
    const { status, text: said } = await this.#node.call(verb, `${this.#path}/collections${rest}`, {
      ...asAdmin,
      ...(body && { body }),
    });
    if (!expected.has(status)) this.told.push(`${verb} ${rest}: ${status} ${said}`);
  }
}

/** One who writes records meanwhile, which nobody else does: what each must hold is known. */
async function write(records: Records, kept: Map<string, Row>, name: string, isOver: () => boolean) {
  for (let count = 0; !isOver(); count++) {
    const row = await records.create({ key: `${name} ${count}`, size: count });
    const id = String(row._id);
    kept.set(id, row);
    if (count % 3 === 1) kept.set(id, await records.update(id, { size: -count }));
    if (count % 5 === 4) {
      resultOf(await records.call('DELETE', `/${id}`));
      kept.delete(id);
    }
  }
}

describe('definitions changed by two nodes at once', () => {
  it('nobody is told that something is broken, and no acknowledged write is lost', async () => {
    const dice = new Dice(seed);
    const path = await makeProject(nodes.a, things(dice), parts(dice));
    const both = [nodes.a, nodes.b];
    const create = Array.from({ length: 400 }, (_, at) => ({ key: `still ${at}`, size: at }));
    resultOf(await new Records(nodes.a, `${path}/things`, asAdmin).call('POST', '/batch', { create }));

    let over = false;
    const kept = new Map<string, Row>();
    const writers = both.map((node, at) =>
      write(new Records(node, `${path}/things`, asAdmin), kept, String(at), () => over),
    );
    const changers = [...both, ...both].map((node) => new Changer(node, path, dice.fork()));
    const changing = changers.map(async (changer) => {
      for (let round = 0; round < rounds; round++) await changer.change();
    });
    await Promise.all(changing).finally(() => {
      over = true;
    });
    await Promise.all(writers);
    assert.deepEqual(
      changers.flatMap(({ told }) => told),
      [],
    );
    for (const node of both) {
      const found = new Map<string, Row>();
      const records = new Records(node, `${path}/things`, asAdmin);
      for (let page = 1; ; page++) {
        const part = await records.list(`perPage=1000&page=${page}`);
        assert.equal(part.total, create.length + kept.size);
        for (const row of part.found) found.set(String(row._id), row);
        if (page >= part.totalPages) break;
      }
      assert.equal(found.size, create.length + kept.size);
      for (const [id, { key, size }] of kept) {
        const row = found.get(id);
        assert.ok(row, `the acknowledged record ${id} is lost`);
        assert.deepEqual([row.key, row.size], [key, size]);
      }
      assert.equal(
        await records.total('size<0'),
        [...kept.values()].filter((row) => Number(row.size) < 0).length,
      );
    }
  });
});
