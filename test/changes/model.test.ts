import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { inspect } from 'node:util';
import { adminKey } from '../admin-key.ts';
import { Dice } from '../durability/dice.ts';
import { seed } from '../seed.ts';
import { pause } from '../support.ts';
import { Follower, type Row } from './follower.ts';
import { ModelWorld, type Person } from './model-world.ts';
import {
  type Disturbances,
  localNode,
  type Nodes,
  type RoughStorage,
  roughStorage,
  serverNodes,
} from './nodes.ts';

/**
 * Writers do whatever they like, those who serve are restarted and killed, and so is PostgreSQL, and clients of every scope
 * come and go. At the end each has exactly what View All shows it, has seen the changes of each record in order, and never
 * one it may not see.
 */
const changes = Number(
  process.env.VITRINE_CHANGES ?? (process.env.VITRINE_LONG === '1' ? 1_000_000 : 20_000),
);

console.log(`test/changes/model: VITRINE_SEED=${seed}, ${changes} changes`);

/** Whoever changes a definition just before the database goes away is answered, and the outcome can't be noted in the audit, which is said. */
function isOfOutage(error: unknown): boolean {
  const text = inspect(error);
  return text.includes('is missing in the audit') && /out of reach|lost during the commit/.test(text);
}

describe('the change feed under everything at once, one node', () => testFeed(changes / 4, localNode));
describe('the change feed under everything at once, three processes', () =>
  testFeed((3 * changes) / 4, serverNodes));

function testFeed(wanted: number, start: (storage: RoughStorage, dice: Dice) => Promise<Nodes>): void {
  /** Changes between two of what happens besides: the amount of work is the same on every machine. */
  const between = {
    rights: Math.max(1_000, wanted / 500),
    schema: Math.max(1_000, wanted / 500),
    disturbance: Math.min(wanted / 7, 10_000),
  };
  const dice = new Dice(seed);
  let storage: RoughStorage;
  let nodes: Nodes;
  let world: ModelWorld;

  before(async () => {
    storage = await roughStorage();
    nodes = await start(storage, dice.fork());
    world = new ModelWorld(nodes, dice.fork());
    await world.fill();
  });
  after(async () => {
    await nodes?.close();
    await storage?.remove();
  });

  it('gives everybody exactly what View All shows them', {
    timeout: Math.max(600_000, wanted * 10), // ten times what it takes on a machine of its own
  }, async () => {
    const begun = performance.now();
    const all = followers(world, nodes, dice);
    const happened = new Map<string, number>();
    const disturb = drawFrom(nodes.disturbances, dice, happened);
    const besides: Besides = [
      [between.rights, () => world.changeRights()],
      [between.schema, () => world.changeSchema()],
      [between.disturbance, disturb],
    ];
    await withErrors(nodes, () => writeAll(world, all, wanted, besides));
    const written = performance.now();
    await withErrors(nodes, async () => {
      for (const follower of all) await compare(follower);
    });
    const seconds = [written - begun, performance.now() - written].map((ms) => (ms / 1000).toFixed(1));
    const counts = [...happened].map(([name, count]) => `${name} ${count}`).join(', ');
    const told = all.reduce((sum, follower) => sum + follower.told, 0);
    console.log(
      `${world.written} changes in ${seconds[0]} s, compared in ${seconds[1]} s; ${told} told to ${all.length}; ${world.refused} batches refused; ${counts}`,
    );
    assert.deepEqual(
      nodes.errors().filter((error) => !isOfOutage(error)),
      [],
    );
    assert.ok(world.written >= wanted);
    assert.ok(world.refused > 0);
    const enough = wanted / between.disturbance > Object.keys(nodes.disturbances).length;
    if (enough) assert.deepEqual([...happened.keys()].sort(), Object.keys(nodes.disturbances).sort());
  });
}

/** Each as often as the others, in any order. */
function drawFrom(kinds: Disturbances, dice: Dice, happened: Map<string, number>): () => Promise<void> {
  let left: string[] = [];
  return async () => {
    if (left.length === 0) left = Object.keys(kinds);
    const [name = ''] = left.splice(dice.below(left.length), 1);
    await kinds[name]?.();
    happened.set(name, (happened.get(name) ?? 0) + 1);
  };
}

/** What happens after every so many changes. */
type Besides = readonly (readonly [every: number, work: () => Promise<void>])[];

/** Where it goes wrong, the nodes may have logged why. */
async function withErrors(nodes: Nodes, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    const logged = nodes.errors().map((one) => (typeof one === 'string' ? one : inspect(one)));
    console.log(['logged by the nodes that run now:', ...logged].join('\n'));
    throw error;
  }
}

/** Writes all that is wanted, while something else happens after every so many changes. Throws what went wrong first. */
async function writeAll(
  world: ModelWorld,
  all: readonly Follower[],
  wanted: number,
  besides: Besides,
): Promise<void> {
  const errors: unknown[] = [];
  const isDone = () => errors.length > 0 || world.written >= wanted;
  const noted = (error: unknown) => void errors.push(error);
  const dues = besides.map(([every]) => every);
  /** What happens besides has its time: writers wait for what is more than once behind. */
  const isAhead = () => besides.some(([every], index) => world.written > (dues[index] ?? 0) + every);
  const writers = Array.from({ length: 4 }, async () => {
    while (!isDone()) {
      if (isAhead()) await pause(5);
      else await world.write();
    }
  });
  const others = besides.map(async ([every, work], index) => {
    while (!isDone()) {
      if (world.written < (dues[index] ?? 0)) await pause(5);
      else {
        await work();
        dues[index] = (dues[index] ?? 0) + every;
      }
    }
  });
  const working = Promise.all([...writers, ...others].map((work) => work.catch(noted)));
  let writing = true;
  const following = all.map(async (follower) => {
    while (writing && errors.length === 0) {
      await follower.follow();
      await pause(50);
    }
  });
  await Promise.race([working, Promise.all(following).catch(noted)]);
  await working;
  writing = false;
  await Promise.all(following.map((one) => one.catch(noted)));
  if (errors.length > 0) throw errors[0];
}

async function compare(follower: Follower): Promise<void> {
  await follower.catchUp();
  for (const [collection, records] of await follower.view()) {
    const texts = (of: ReadonlyMap<string, Row>) => [...of.values()].map((row) => JSON.stringify(row)).sort();
    const kept = follower.copy.get(collection) ?? new Map<string, Row>();
    assert.deepEqual(texts(kept), texts(records), `${follower.name}: ${collection}`);
  }
}

function followers(world: ModelWorld, nodes: Nodes, dice: Dice): Follower[] {
  const see = (
    name: string,
    token: () => string | undefined,
    may: (collection: string, row: Row) => boolean,
  ) => {
    let known = world.rights;
    return new Follower({
      ...{ name, token, nodes, dice: dice.fork() },
      excused() {
        const changed = known !== world.rights || world.rights % 2 === 1;
        known = world.rights;
        return changed;
      },
      mayFind: (collection, row) =>
        assert.ok(may(collection, row), `${name} got ${JSON.stringify(row)} of ${collection}`),
    });
  };
  const { people } = world;
  const ofPerson = ({ id, space }: Person, name: string, token: () => string) =>
    see(name, token, (collection, row) => {
      if (collection === 'open') return true;
      return collection === 'team' ? row.space === space : row.owner === id;
    });
  return [
    see(
      'nobody',
      () => undefined,
      (collection) => collection === 'open',
    ),
    see(
      'the administrator',
      () => adminKey,
      () => true,
    ),
    see(
      'a key',
      () => world.key,
      () => true,
    ),
    ofPerson(people[0] as Person, 'somebody in place of a person', () => world.impersonating),
    ...[...people, ...people].map((person, index) => ofPerson(person, `person ${index}`, () => person.token)),
  ];
}
