import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import type { JsonObject } from '../src/model/json.ts';
import { People } from './auth/people.ts';
import { adminKey, type TestApp } from './harness.ts';
import { seed } from './seed.ts';
import { drawn, testEngine } from './storage.ts';
import { asAdmin, definition, Records, type Row, resultOf } from './support.ts';
import { type Nodes, startNodes } from './two-nodes.ts';
import { startUnlogged } from './unlogged.ts';

type Level = 'public' | 'user' | 'workspace';

const small = fc.nat({ max: 30 });
const steps = fc.oneof(
  fc.record({ kind: fc.constant('create' as const), by: small, board: small }),
  fc.record({ kind: fc.constantFrom('update', 'handOver', 'delete', 'batch'), note: small, by: small }),
  fc.record({ kind: fc.constantFrom('clear', 'take'), board: small }),
  fc.record({
    kind: fc.constant('define' as const),
    level: fc.constantFrom('public', 'user', 'workspace'),
    isTurned: fc.boolean(),
  }),
  {
    arbitrary: fc.record({ kind: fc.constant('view' as const), times: fc.integer({ min: 1, max: 3 }) }),
    weight: 5,
  },
);
type Step = typeof steps extends fc.Arbitrary<infer T> ? T : never;

const api = (level: Level): JsonObject => ({
  access: level,
  methods: { create: { access: 'public' }, update: { access: 'public' }, delete: { access: 'public' } },
});
const fields: JsonObject = {
  title: { type: 'text' },
  of: { type: 'relation', to: 'boards' },
  on: { type: 'relation', to: 'boards', onDelete: 'cascade' },
};
const turned = Object.fromEntries(Object.entries(fields).reverse());
const notesAt = (level: Level, isTurned = false) =>
  definition('notes', isTurned ? turned : fields, { api: api(level) });

describe(`records that were viewed before (VITRINE_SEED=${seed})`, () => {
  let nodes: Nodes;
  before(async () => {
    nodes = await startNodes();
  });
  after(() => nodes.close());

  let count = 0;

  async function play(all: readonly { step: Step; beside: boolean; node: 'a' | 'b' }[]): Promise<void> {
    count += 1;
    const project = `p${count}`;
    await nodes.a.project(project, definition('boards', {}), notesAt('public'));
    const people = new People(nodes.a, project);
    const callers = await Promise.all(
      ['ann', 'bob'].map(async (name) => {
        const { user, accessToken } = await people.register(name);
        return { token: accessToken, binding: { _owner: user._id, _workspace: user.workspace } };
      }),
    );
    const tokens = [undefined, adminKey, ...callers.map(({ token }) => token)];
    const boards: string[] = [];
    const ids: string[] = [];
    let titles = 0;

    async function done(
      app: TestApp,
      verb: string,
      rest: string,
      token: string | undefined,
      body?: JsonObject,
    ) {
      const reply = await app.call(verb, `/v1/${project}/${rest}`, { token, body });
      assert.ok([200, 201, 404].includes(reply.status), `${verb} ${rest}: ${reply.text}`);
      return reply.body.result;
    }

    async function perform(app: TestApp, step: Exclude<Step, { kind: 'view' }>): Promise<void> {
      const title = `t${titles++}`;
      switch (step.kind) {
        case 'create': {
          const [of, on] = [step.board, step.board >> 1].map(
            (at) => boards[at % (boards.length + 1)] ?? null,
          );
          const made = await done(app, 'POST', 'notes', callers[step.by % 3]?.token, {
            title,
            of: of ?? null,
            on: on ?? null,
          });
          ids.push(String(made._id));
          if (boards.length < 3) boards.push(String((await done(app, 'POST', 'boards', undefined, {}))._id));
          return;
        }
        case 'define': {
          const path = `/v1/_admin/projects/${project}/collections/notes`;
          resultOf(
            await app.call('PUT', path, { ...asAdmin, body: notesAt(step.level as Level, step.isTurned) }),
          );
          return;
        }
        case 'clear':
        case 'take': {
          const board = boards.splice(step.board % Math.max(1, boards.length), 1)[0];
          if (board !== undefined) await done(app, 'DELETE', `boards/${board}`, undefined);
          return;
        }
      }
      const id = ids[step.note % Math.max(1, ids.length)];
      if (id === undefined) return;
      switch (step.kind) {
        case 'update':
          await done(app, 'PATCH', `notes/${id}`, undefined, { title });
          return;
        case 'handOver': {
          const binding = callers[step.by % 3]?.binding ?? { _owner: null, _workspace: null };
          await done(app, 'PATCH', `notes/${id}`, adminKey, binding);
          return;
        }
        case 'delete':
          await done(app, 'DELETE', `notes/${id}`, undefined);
          return;
        case 'batch': {
          const create = [{ title }, { title }];
          const made = await done(app, 'POST', 'notes/batch', undefined, { create });
          ids.push(...(made.created as Row[]).map(({ _id }) => _id));
        }
      }
    }

    /** Each record as each caller views it, and as the same caller finds it in a list, which is read in another way. */
    async function compare(): Promise<void> {
      for (const token of tokens) {
        for (const app of [nodes.a, nodes.b]) {
          const notes = new Records(app, `/v1/${project}/notes`, { token });
          const inOrder: string[] = [];
          for (const id of ids) {
            const [viewed, listed] = [
              await notes.call('GET', `/${id}`),
              await notes.call('GET', `?_id=${id}`),
            ];
            const found = listed.status === 200 ? (listed.body.result.found as Row[])[0] : undefined;
            if (found) {
              assert.equal(JSON.stringify(resultOf(viewed)), JSON.stringify(found));
              inOrder.push(id);
            } else assert.equal(viewed.status, listed.status === 200 ? 404 : listed.status, viewed.text);
          }
          // Asked for again and again, a page stays the same while only others create records.
          for (const query of ['?perPage=100', '?perPage=100&sort=-_createdAt']) {
            const page = await notes.call('GET', query);
            if (page.status !== 200) continue;
            const listed = (resultOf(page).found as Row[]).map(({ _id }) => _id);
            assert.deepEqual(query.includes('sort') ? listed.toReversed() : listed, inOrder);
          }
        }
      }
    }

    let writing: Promise<void> | undefined;
    for (const { step, beside, node } of all) {
      if (step.kind !== 'view') {
        await writing;
        writing = perform(nodes[node], step);
        if (!beside) await writing;
        continue;
      }
      // While something may be written: what is read then must not be taken for what is there afterwards.
      const views = ids.flatMap((id) =>
        tokens.map((token) => nodes[node].call('GET', `/v1/${project}/notes/${id}`, { token })),
      );
      await Promise.all(views);
      await writing;
      if (step.times > 1) await compare();
    }
    await writing;
    await compare();
  }

  it('are what lists show to the same caller, whoever has written, and whatever was handed over or defined anew', async () => {
    const plays = fc.array(
      fc.record({ step: steps, beside: fc.boolean(), node: fc.constantFrom('a', 'b') }),
      {
        minLength: 15,
        maxLength: 40,
      },
    );
    await fc.assert(fc.asyncProperty(plays, play), { seed, numRuns: drawn('VITRINE_RUNS', 12, 4) });
  });

  it('are read anew when a deletion has changed so many that each is not logged', async () => {
    const { a, b } = nodes;
    await a.project('many', definition('boards', {}), notesAt('public'));
    const [notes, there] = [new Records(a, '/v1/many/notes'), new Records(b, '/v1/many/notes')];
    const board = await new Records(a, '/v1/many/boards').create({});
    const made: Row[] = [];
    for (let part = 0; part < 11; part++) {
      const create = Array.from({ length: 1_000 }, () => ({ of: board._id }));
      made.push(...(resultOf(await notes.call('POST', '/batch', { create })).created as Row[]));
    }
    const some = made.filter((_, index) => index % 500 === 7);
    for (const { _id } of some) assert.equal((await there.view(_id)).of, board._id);
    const deleting = a.call('DELETE', `/v1/many/boards/${board._id}`);
    let isOver = false;
    void deleting.finally(() => {
      isOver = true;
    });
    const cleared = new Set<string>();
    while (!isOver) {
      for (const { _id } of some) {
        const { of } = await there.view(_id);
        if (of === null) cleared.add(_id);
        else assert.ok(!cleared.has(_id), 'once it was seen to be cleared it stays so');
      }
      const { found } = await there.list(`_id=${some[0]?._id}`);
      assert.equal(found.length, 1);
    }
    resultOf(await deleting);
    for (const { _id } of some) assert.equal((await there.view(_id)).of, null);
  });
});

describe('a record that was viewed before, in a file', { skip: testEngine !== 'sqlite' }, () => {
  /** With a record that was viewed. */
  async function start() {
    const file = await startUnlogged(definition('notes', { title: { type: 'text' } }));
    const notes = new Records(file.app, '/v1/shop/notes');
    const [one, other] = [await notes.create({ title: 'before' }), await notes.create({ title: 'other' })];
    for (let time = 0; time < 3; time++) assert.equal((await notes.view(one._id)).title, 'before');
    return { notes, one, other, file, change: () => file.change('before', 'after'), close: file.close };
  }

  it('is not read again while nothing is logged: otherwise the next tests would say nothing', async () => {
    const { notes, one, change, close } = await start();
    change();
    assert.equal((await notes.view(one._id)).title, 'before');
    await close();
  });

  it('is read again while a deletion in slices is under way, and after it', async () => {
    const { notes, one, file, change, close } = await start();
    file.exec('INSERT INTO touched (collection, changes) VALUES (1, 20000)');
    change();
    assert.equal((await notes.view(one._id)).title, 'after');
    file.exec('DELETE FROM touched');
    assert.equal((await notes.view(one._id)).title, 'after');
    await close();
  });

  it('is read again where changes that were not seen are no longer in the log', async () => {
    const { notes, one, other, file, change, close } = await start();
    change();
    for (const title of ['x', 'y', 'z']) await notes.update(other._id, { title });
    file.exec('DELETE FROM changes WHERE pos < (SELECT max(pos) FROM changes)');
    assert.equal((await notes.view(one._id)).title, 'after');
    await close();
  });

  it('is read again after more changes than are looked through', async () => {
    const { notes, one, change, close } = await start();
    change();
    const create = Array.from({ length: 1_000 }, () => ({ title: 'new' }));
    resultOf(await notes.call('POST', '/batch', { create }));
    assert.equal((await notes.view(one._id)).title, 'before', 'so many are looked through');
    for (let part = 0; part < 5; part++) resultOf(await notes.call('POST', '/batch', { create }));
    assert.equal((await notes.view(one._id)).title, 'after');
    await close();
  });

  it('is read again where the log says to read the collection anew', async () => {
    const { notes, one, file, change, close } = await start();
    const key = file.value("SELECT key FROM collections WHERE id = 'notes'");
    change();
    file.exec(`INSERT INTO changes (mark, kind, collection, id, at) VALUES (1, 4, ${key}, 'notes', 1)`);
    assert.equal((await notes.view(one._id)).title, 'after');
    await close();
  });
});
