import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import postgres from 'postgres';
import type { JsonObject } from '../../src/model/json.ts';
import { adminKey, startApp, type TestApp } from '../harness.ts';
import { seed } from '../seed.ts';
import { type NamedStorage, startStorage, testEngine } from '../storage.ts';
import { Follower, type Row } from './follower.ts';

/**
 * Writers do whatever they like on some nodes, which start again, and clients of every scope come and go. At the end
 * each has exactly what View All shows it, has seen the changes of each record in order, and never one it may not see.
 */
const long = process.env.VITRINE_LONG === '1';
const isPostgres = testEngine === 'postgres';
const wanted = Number(process.env.VITRINE_CHANGES ?? (long ? 1_000_000 : isPostgres ? 1_500 : 4_000));
/** On a slow machine fewer changes are enough, but not fewer than these. */
const fewest = Math.min(wanted, isPostgres ? 400 : 1_000);
/** Milliseconds after which the fewest are enough, and after which nothing more is written. */
const [enough, latest] = long ? [3_600_000, 3_600_000] : [20_000, 120_000];

console.log(`test/changes/model: VITRINE_SEED=${seed}, ${wanted} changes`);

/** Mulberry32. */
function generator(start: number): () => number {
  let state = start;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const fields: JsonObject = { n: { type: 'number' }, owner: { type: 'text' }, space: { type: 'text' } };
const definitions = [
  { id: 'open', fields, api: { access: 'public' } },
  { id: 'own', fields, api: { access: 'user' } },
  { id: 'team', fields, api: { access: 'workspace' } },
  {
    id: 'parts',
    fields: {
      ...fields,
      of: { type: 'relation', to: 'own', onDelete: 'cascade' },
      see: { type: 'relation', to: 'open' },
    },
    api: { access: 'user' },
  },
];

interface Person {
  readonly id: string;
  readonly token: string;
  readonly space: string;
}

for (const [size, share] of [
  [3, 1],
  [1, 0.25],
] as const)
  describe(`the change feed under everything at once, nodes: ${size}`, () => testFeed(size, share));

/** `share`: of the changes that are wanted. */
function testFeed(size: number, share: number): void {
  const random = generator(seed + size);
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
  const nodes: TestApp[] = [];
  const people: Person[] = [];
  const spaces: string[] = [];
  const ids = new Map<string, string[]>(definitions.map(({ id }) => [id, []]));
  let storage: NamedStorage;
  let key = '';
  let written = 0;
  let count = 0;
  let rights = 0;
  const gone = new Set<TestApp>();

  const admin = async (verb: string, path: string, body?: JsonObject) =>
    pick(nodes).call(verb, `/v1/_admin/projects/p${path}`, { body, token: adminKey });

  before(async () => {
    storage = await startStorage();
    for (let index = 0; index < size; index++) nodes.push(await startApp({ storage }));
    await (nodes[0] as TestApp).project('p', ...definitions);
    for (const name of ['A', 'B'])
      spaces.push(String((await admin('POST', '/workspaces', { name })).body.result._id));
    for (const [index, name] of ['ann', 'ben', 'cid'].entries()) {
      const account = { email: `${name}@example.com`, password: 'correct horse' };
      const { user } = (await pick(nodes).call('POST', '/v1/p/_auth/register', { body: account })).body
        .result as {
        user: { _id: string };
      };
      const space = spaces[index % 2] as string;
      await admin('POST', `/workspaces/${space}/members`, { user: user._id, role: 'member' });
      const signedIn = await pick(nodes).call('POST', '/v1/p/_auth/login', { body: account });
      people.push({ id: user._id, token: String(signedIn.body.result.accessToken), space });
    }
    key = String((await admin('POST', '/keys', { name: 'k' })).body.result.key);
  });
  after(async () => {
    for (const node of nodes) await node.close();
    await storage.remove();
  });

  /** What a record says of itself is always what it is bound to: so whoever gets one can tell whether they may. */
  function values(): JsonObject {
    count += 1;
    const { id } = pick(people);
    const space = pick(spaces);
    return { n: count, owner: id, space, _owner: id, _workspace: space };
  }

  function payload(collection: string): JsonObject {
    const see = random() < 0.3 ? pick(ids.get('open') ?? []) : undefined;
    const of = random() < 0.5 ? pick(ids.get('own') ?? []) : undefined;
    return { ...values(), ...(collection === 'parts' && { see: see ?? null, of: of ?? null }) };
  }

  async function write(): Promise<void> {
    const collection = pick(definitions).id;
    const known = ids.get(collection) ?? [];
    const node = pick(nodes);
    const path = `/v1/p/${collection}`;
    const token = random() < 0.5 ? adminKey : key;
    const kind = random();
    if (kind < 0.3 || known.length < 5) {
      const size = 1 + Math.floor(random() * 40);
      const create = Array.from({ length: size }, () => payload(collection));
      if (random() < 0.05) create.push({ n: 'no number' }); // all of it is refused
      const reply = await node.call('POST', `${path}/batch`, { body: { create }, token });
      if (reply.status !== 200) return;
      written += size;
      known.push(...(reply.body.result.created as Row[]).map(({ _id }) => _id));
    } else if (kind < 0.75) {
      const update = Array.from({ length: 1 + Math.floor(random() * 20) }, () => ({
        _id: pick(known),
        ...payload(collection),
      }));
      const reply = await node.call('POST', `${path}/batch`, { body: { update }, token });
      if (reply.status === 200) written += update.length;
    } else if (kind < 0.9) {
      const [id] = known.splice(Math.floor(random() * known.length), 1);
      if ((await node.call('DELETE', `${path}/${id}`, { token })).status === 200) written += 1;
    } else {
      const { token: own } = pick(people);
      await node.call('PATCH', `${path}/${pick(known)}`, { body: { n: ++count }, token: own });
    }
  }

  /** Somebody leaves a workspace, or comes back to it. */
  async function changeRights(): Promise<void> {
    const { id, space } = pick(people);
    rights += 1;
    const gone = await admin('DELETE', `/workspaces/${space}/members/${id}`);
    if (gone.status !== 200)
      await admin('POST', `/workspaces/${space}/members`, { user: id, role: 'member' });
    rights += 1;
  }

  async function changeSchema(): Promise<void> {
    const { id, api, fields: own } = pick(definitions);
    const more = random() < 0.5 ? { extra: { type: 'text' } } : {};
    const path = `/collections/${id}?confirm=destructive`;
    await admin('PUT', path, { id, api, fields: { ...own, ...more } } as JsonObject);
  }

  /** A node starts again; on PostgreSQL connections are cut in the middle of whatever they do. */
  async function disturb(): Promise<void> {
    if (testEngine === 'postgres' && random() < 0.7) {
      const [, url = ''] = storage.flags;
      const sql = postgres(url, { max: 1, onnotice() {} });
      await sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'vitrine' AND random() < 0.3
        AND datname = current_database()`;
      await sql.end();
    } else {
      const index = Math.floor(random() * nodes.length);
      const old = nodes[index] as TestApp;
      nodes[index] = await startApp({ storage });
      gone.add(old);
      await old.close();
    }
  }

  function followers(): Follower[] {
    const see = (name: string, token: string | undefined, may: (collection: string, row: Row) => boolean) => {
      let known = rights;
      return new Follower({
        name,
        token,
        random,
        node: () => pick(nodes),
        isGone: (node) => gone.has(node),
        excused() {
          const changed = known !== rights;
          known = rights;
          return changed;
        },
        mayFind: (collection, row) =>
          assert.ok(may(collection, row), `${name} got ${JSON.stringify(row)} of ${collection}`),
      });
    };
    const ofPerson = ({ id, space, token }: Person, index: number) =>
      see(`person ${index}`, token, (collection, row) => {
        if (collection === 'open') return true;
        return collection === 'team' ? row.space === space : row.owner === id;
      });
    return [
      see('nobody', undefined, (collection) => collection === 'open'),
      see('the administrator', adminKey, () => true),
      see('a key', key, () => true),
      ...people.map(ofPerson),
      ...people.map((person, index) => ofPerson(person, index + people.length)),
    ];
  }

  it('gives everybody exactly what View All shows them', {
    timeout: long ? 7_200_000 : 240_000,
  }, async () => {
    const all = followers();
    let writing = true;
    const begun = performance.now();
    const isDone = () => {
      const passed = performance.now() - begun;
      if (passed > latest) return true;
      return written >= share * (passed > enough ? fewest : wanted);
    };
    const errors: unknown[] = [];
    const noted = (error: unknown) => {
      errors.push(error);
      writing = false;
    };
    const goOn = async (follower: Follower) => {
      while (writing) {
        await follower.follow();
        await new Promise((resolve) => setTimeout(resolve, random() * 50));
      }
    };
    const following = all.map((follower) => goOn(follower).catch(noted));
    const repeat = async (work: () => Promise<void>, pause: () => number) => {
      while (writing && !isDone()) {
        await new Promise((resolve) => setTimeout(resolve, pause()));
        await work();
      }
    };
    const writers = Array.from({ length: 4 }, () => repeat(write, () => 0));
    const disturbers = [changeRights, changeSchema, disturb].map((work) =>
      repeat(work, () => 150 + random() * 400),
    );
    await Promise.all([...writers, ...disturbers].map((work) => work.catch(noted)));
    writing = false;
    await Promise.all(following);
    if (errors.length > 0) throw errors[0];
    for (const follower of all) {
      await follower.catchUp();
      const shown = await follower.view();
      for (const [collection, records] of shown) {
        const kept = follower.copy.get(collection) ?? new Map();
        assert.deepEqual(
          [...kept.keys()].sort(),
          [...records.keys()].sort(),
          `${follower.name}: ${collection}`,
        );
        for (const [id, record] of records)
          assert.deepEqual(kept.get(id), record, `${follower.name}: ${collection}`);
      }
    }
    for (const node of nodes) assert.deepEqual(node.errors, []);
    const told = all.map((follower) => `${follower.name} ${follower.told}`).join(', ');
    console.log(`nodes: ${size}, ${written} of ${wanted * share} changes; told ${told}`);
    assert.ok(written >= fewest * share, `only ${written} changes, fewer than ${fewest * share}`);
  });
}
