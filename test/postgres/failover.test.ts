import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Json } from '../../src/model/json.ts';
import { Dice, seedOf } from '../durability/dice.ts';
import { adminKey } from '../harness.ts';
import { resultOf } from '../support.ts';
import type { PostgresApp } from './app.ts';
import { startFailoverWorld } from './failover.ts';

const seed = seedOf(process.env);
const worlds = Number(process.env.VITRINE_WORLDS ?? 2);

const definition = (id: string, fields: object) => ({ id, fields, api: { access: 'public' } }) as never;
const name = { type: 'text', index: true };
const things = definition('things', { name });

const put = (node: PostgresApp, fields: object, id = 'things') =>
  node.call('PUT', `/v1/_admin/projects/p/collections/${id}?confirm=destructive`, {
    body: definition(id, fields),
    token: adminKey,
  });

describe('a failover that loses commits, a schema change among them', () => {
  it('leaves no node behind: the next request of each is answered from what is there', async () => {
    const world = await startFailoverWorld((node) => node.project('p', things));
    const [a, b] = world.nodes;
    try {
      resultOf(await b.call('GET', '/v1/p/things'));
      await world.stopStandby();
      resultOf(await put(a, { name, lost: { type: 'text' } }));
      resultOf(await a.call('POST', '/v1/p/things', { body: { name: 'x', lost: 'x' } }), 201);
      await world.failOver();
      const list = await a.call('GET', '/v1/p/things');
      assert.deepEqual(resultOf(list).found, []);
      assert.equal((await a.call('POST', '/v1/p/things', { body: { name: 'x', lost: 'x' } })).status, 400);
      assert.equal((await a.call('GET', '/readyz')).status, 200);
      resultOf(await b.call('POST', '/v1/p/things', { body: { name: 'x' } }), 201);
    } finally {
      await world.close();
    }
  });

  it('and another one made by another node in its place: nobody takes the one for the other', async () => {
    const world = await startFailoverWorld((node) => node.project('p', things));
    const [a, b] = world.nodes;
    try {
      await world.stopStandby();
      resultOf(await put(a, { name, size: { type: 'number' } }));
      for (const size of [1, 1, 2]) {
        resultOf(await a.call('POST', '/v1/p/things', { body: { name: 'x', size } }), 201);
      }
      assert.equal(resultOf(await a.call('GET', '/v1/p/things?name=x&perPage=1')).total, 3);
      await world.failOver();
      resultOf(await put(b, { name, colour: { type: 'text' } }));
      for (const colour of ['red', 'red', 'blue']) {
        resultOf(await b.call('POST', '/v1/p/things', { body: { name: 'y', colour } }), 201);
      }
      assert.equal(resultOf(await a.call('GET', '/v1/p/things?name=x&perPage=1')).total, 0);
      const made = resultOf(
        await a.call('POST', '/v1/p/things', { body: { name: 'z', colour: 'green' } }),
        201,
      );
      assert.equal(made.colour, 'green');
      assert.equal(resultOf(await a.call('GET', '/v1/p/things?colour=green')).total, 1);
      assert.equal((await a.call('GET', '/v1/p/things?size=1')).status, 400);
    } finally {
      await world.close();
    }
  });

  it('the very first ones: all is made again by whoever comes first', async () => {
    const world = await startFailoverWorld(async () => {});
    const [a, b] = world.nodes;
    try {
      await world.stopStandby();
      await a.project('p', things);
      await world.failOver();
      assert.equal((await a.call('GET', '/v1/p/things')).status, 404);
      assert.equal((await a.call('GET', '/readyz')).status, 200);
      await b.project('p', things);
      assert.equal(resultOf(await a.call('GET', '/v1/p/things')).total, 0);
    } finally {
      await world.close();
    }
  });

  it('of which a whole project was part, and another one takes its place: each is where it is', async () => {
    const world = await startFailoverWorld((node) => node.project('p', things));
    const [a, b] = world.nodes;
    try {
      await world.stopStandby();
      await a.project('lost', things);
      resultOf(await a.call('POST', '/v1/lost/things', { body: { name: 'lost' } }), 201);
      const key = resultOf(
        await a.call('POST', '/v1/_admin/projects/lost/keys', { token: adminKey, body: { name: 'k' } }),
        201,
      );
      await world.failOver();
      await b.project('other', things);
      assert.equal((await a.call('GET', '/v1/lost/things')).status, 404);
      assert.equal((await a.call('GET', '/v1/other/things', { token: String(key.key) })).status, 401);
      await b.project('lost', things);
      assert.equal(resultOf(await a.call('GET', '/v1/lost/things')).total, 0);
    } finally {
      await world.close();
    }
  });
});

describe('two nodes after a failover that lost commits', () => {
  it(`answer as one that is started then (VITRINE_SEED=${seed})`, { timeout: 240_000 }, async () => {
    console.log(`failover: VITRINE_SEED=${seed}, ${worlds} worlds`);
    for (let turn = 0; turn < worlds; turn++) await tryWorld(new Dice(seed + turn));
  });
});

const pick = <T>(dice: Dice, from: readonly T[]): T => from[dice.below(from.length)] as T;

const types = [{ type: 'text', index: true }, { type: 'number' }, { type: 'list', of: { type: 'text' } }];
const values: readonly (readonly Json[])[] = [
  ['a', 'b'],
  [1, 2],
  [['a'], ['a', 'b']],
] as const;

/** Something that changes the project, through one of the nodes: a refusal is as good as a success, but no 5xx. */
async function changeSomething(dice: Dice, nodes: readonly PostgresApp[]): Promise<void> {
  const node = pick(dice, nodes);
  const collection = pick(dice, ['things', 'others']);
  const type = dice.below(types.length);
  const path = `/v1/p/${collection}`;
  const found = (resultOf(await node.call('GET', '/v1/p/things?perPage=50')).found ?? []) as {
    _id: string;
  }[];
  const id = found.length === 0 ? 'none' : pick(dice, found)._id;
  const body = { name: pick(dice, ['a', 'b']), extra: pick(dice, values[type] ?? []) } as never;
  const reply = await pick(dice, [
    () => node.call('POST', path, { body }),
    () => node.call('POST', path, { body: { name: pick(dice, ['a', 'b']) } }),
    () => node.call('PATCH', `/v1/p/things/${id}`, { body: { name: pick(dice, ['a', 'b', 'c']) } }),
    () => node.call('DELETE', `/v1/p/things/${id}`),
    () => put(node, pick(dice, [{ name }, { name, extra: types[type] }]), collection),
    () =>
      node.call('POST', '/v1/_admin/projects/p/collections', {
        body: definition('others', { name, extra: types[type] }),
        token: adminKey,
      }),
    () =>
      node.call('DELETE', '/v1/_admin/projects/p/collections/others?confirm=destructive', {
        token: adminKey,
      }),
  ])();
  assert.ok(reply.status < 500, reply.text);
}

const questions = ['things', 'others'].flatMap((id) => [
  `/v1/_admin/projects/p/collections/${id}`,
  ...[
    '',
    '?perPage=1',
    '?perPage=1&page=2',
    '?name=a&perPage=1',
    '?name=b&perPage=1',
    '?extra=1&perPage=1',
  ].map((query) => `/v1/p/${id}${query}`),
  ...['?extra=a&perPage=1', '?search=a&perPage=1', '/distinct?field=name', '/distinct?field=extra'].map(
    (query) => `/v1/p/${id}${query}`,
  ),
]);

async function answersOf(node: PostgresApp): Promise<string[]> {
  const answers: string[] = [];
  for (const path of questions) {
    const { status, text } = await node.call('GET', path, path.includes('_admin') ? { token: adminKey } : {});
    assert.ok(status < 500, text);
    answers.push(`${path}: ${status} ${text}`);
  }
  return answers;
}

async function tryWorld(dice: Dice): Promise<void> {
  const world = await startFailoverWorld((node) => node.project('p', things));
  const { nodes } = world;
  const change = async (times: number) => {
    for (let turn = 0; turn < times; turn++) await changeSomething(dice, nodes);
  };
  try {
    await change(6);
    await world.stopStandby();
    await change(1 + dice.below(8));
    for (const node of nodes) await answersOf(node); // so that they remember them
    await world.failOver();
    for (let round = 0; round < 3; round++) {
      await change(dice.below(6));
      const expected = await answersOf(await world.freshNode());
      for (const node of nodes) assert.deepEqual(await answersOf(node), expected, `VITRINE_SEED=${seed}`);
    }
    assert.deepEqual(
      nodes.flatMap(({ errors }) => errors),
      [],
    );
  } finally {
    await world.close();
  }
}
