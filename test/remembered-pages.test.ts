import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import type { JsonObject } from '../src/model/json.ts';
import { People } from './auth/people.ts';
import type { TestApp } from './harness.ts';
import { seed } from './seed.ts';
import { drawn, testEngine } from './storage.ts';
import { definition, Records, resultOf } from './support.ts';
import { type Nodes, startNodes } from './two-nodes.ts';
import { startUnlogged } from './unlogged.ts';

interface Note {
  readonly title: string;
  readonly rank: number;
  readonly of: string | null;
}

type Node = 'a' | 'b';

/** What is done, by one of the nodes. Numbers choose among what is there. */
type Step =
  | { readonly kind: 'create' | 'batch'; readonly node: Node; readonly rank: number; readonly board: number }
  | { readonly kind: 'update'; readonly node: Node; readonly note: number; readonly rank: number }
  | { readonly kind: 'delete'; readonly node: Node; readonly note: number }
  | { readonly kind: 'clear'; readonly node: Node; readonly board: number }
  | { readonly kind: 'list'; readonly node: Node; readonly path: number; readonly times: number };

const byTitle = (one: Note, other: Note) => (one.title < other.title ? -1 : 1);

/** Lists, and what they answer. */
const paths: readonly {
  query: string;
  of(notes: readonly Note[]): readonly Note[];
  /** Where it is a part of them. */
  total?(notes: readonly Note[]): number;
}[] = [
  { query: 'sort=title', of: (notes) => notes.toSorted(byTitle) },
  { query: 'sort=title&rank=1', of: (notes) => notes.filter(({ rank }) => rank === 1).toSorted(byTitle) },
  { query: 'sort=title&of=', of: (notes) => notes.filter(({ of }) => of === null).toSorted(byTitle) },
  {
    query: 'sort=-title&perPage=2&page=2',
    of: (notes) => notes.toSorted(byTitle).reverse().slice(2, 4),
    total: (notes) => notes.length,
  },
  { query: 'sort=title&search=odd', of: (notes) => notes.filter(isOdd).toSorted(byTitle) },
  // These stay the same when notes are created that are not on them.
  { query: '', of: (notes) => notes },
  { query: 'perPage=2', of: (notes) => notes.slice(0, 2), total: (notes) => notes.length },
  {
    query: 'perPage=3&page=2&include=of',
    of: (notes) => notes.slice(3, 6),
    total: (notes) => notes.length,
  },
  { query: 'rank=1', of: (notes) => notes.filter(({ rank }) => rank === 1) },
  {
    query: 'sort=-_createdAt&rank=2&perPage=2',
    of: (notes) =>
      notes
        .filter(({ rank }) => rank === 2)
        .toReversed()
        .slice(0, 2),
    total: (notes) => notes.filter(({ rank }) => rank === 2).length,
  },
  {
    query: 'of=&rank=0&include=of',
    of: (notes) => notes.filter(({ of, rank }) => of === null && rank === 0),
  },
  { query: 'rank=0&search=odd', of: (notes) => notes.filter((note) => note.rank === 0 && isOdd(note)) },
];
const textOf = (notes: readonly Note[], total: number) =>
  JSON.stringify([total, ...notes.map(({ title, rank: at, of }) => [title, at, of])]);
const isOdd = ({ title }: Note) => title.endsWith('odd');

const node = fc.constantFrom('a', 'b');
const small = fc.nat({ max: 20 });
const rank = fc.nat({ max: 2 });
const steps: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constantFrom('create', 'batch'), node, rank, board: small }),
  fc.record({ kind: fc.constant('update' as const), node, note: small, rank }),
  fc.record({ kind: fc.constant('delete' as const), node, note: small }),
  fc.record({ kind: fc.constant('clear' as const), node, board: small }),
  {
    arbitrary: fc.record({
      ...{ kind: fc.constant('list' as const), node, times: fc.integer({ min: 1, max: 3 }) },
      path: fc.nat({ max: paths.length - 1 }),
    }),
    weight: 6,
  },
);

describe(`pages that were asked for before (VITRINE_SEED=${seed})`, () => {
  let nodes: Nodes;
  before(async () => {
    nodes = await startNodes();
  });
  after(() => nodes.close());

  let count = 0;

  async function play(all: readonly { step: Step; beside: boolean }[]): Promise<void> {
    count += 1;
    const project = `p${count}`;
    const fields = {
      title: { type: 'text', required: true, index: true },
      rank: { type: 'number' },
      of: { type: 'relation', to: 'boards' },
    };
    await nodes.a.project(project, definition('boards', {}), definition('notes', fields));
    const call = async (at: TestApp, verb: string, rest: string, body?: object) => {
      const reply = await at.call(verb, `/v1/${project}/${rest}`, body ? { body: body as never } : {});
      assert.ok(reply.status < 300, `${verb} ${rest}: ${reply.text}`);
      return resultOf(reply, reply.status);
    };
    const boards: string[] = [];
    for (let made = 0; made < 2; made++) boards.push(String((await call(nodes.a, 'POST', 'boards', {}))._id));
    let notes = new Map<string, Note>();
    let titles = 0;
    const idAt = (index: number) => [...notes.keys()][index % notes.size] ?? '';

    /** The write, and what there is after it; undefined where there is nothing to write to. */
    function plan(step: Exclude<Step, { kind: 'list' }>): (() => Promise<Map<string, Note>>) | undefined {
      const at = nodes[step.node];
      const next = new Map(notes);
      switch (step.kind) {
        case 'create':
        case 'batch': {
          titles += 1;
          const title = `t${String(titles).padStart(3, '0')} ${titles % 2 ? 'odd' : 'even'}`;
          const note = { title, rank: step.rank, of: boards[step.board % (boards.length + 1)] ?? null };
          return async () => {
            const made =
              step.kind === 'create'
                ? await call(at, 'POST', 'notes', note)
                : ((await call(at, 'POST', 'notes/batch', { create: [note] })).created as never)[0];
            return next.set(String((made as { _id: unknown })._id), note);
          };
        }
        case 'update': {
          const id = idAt(step.note);
          const old = next.get(id);
          if (!old) return undefined;
          return async () => {
            await call(at, 'PATCH', `notes/${id}`, { rank: step.rank });
            return next.set(id, { ...old, rank: step.rank });
          };
        }
        case 'delete': {
          const id = idAt(step.note);
          if (!next.delete(id)) return undefined;
          return async () => {
            await call(at, 'DELETE', `notes/${id}`);
            return next;
          };
        }
        case 'clear': {
          const [board] = boards.splice(step.board % Math.max(1, boards.length), 1);
          if (board === undefined) return undefined;
          for (const [id, note] of next) if (note.of === board) next.set(id, { ...note, of: null });
          return async () => {
            await call(at, 'DELETE', `boards/${board}`);
            return next;
          };
        }
      }
    }

    /** What it answers: its records, and how many there are in all. */
    async function list({ node: at, path }: Extract<Step, { kind: 'list' }>): Promise<string> {
      const answer = await call(nodes[at], 'GET', `notes?${paths[path]?.query}`);
      const found = answer.found as readonly Note[];
      return textOf(found, Number(answer.total));
    }
    const expected = ({ path }: Extract<Step, { kind: 'list' }>, from: ReadonlyMap<string, Note>) => {
      const all = [...from.values()];
      const found = paths[path]?.of(all) ?? [];
      return textOf(found, paths[path]?.total?.(all) ?? found.length);
    };

    let writing: { done: Promise<Map<string, Note>> } | undefined;
    for (const { step, beside } of all) {
      if (step.kind !== 'list') {
        if (writing) notes = await writing.done;
        const write = plan(step);
        writing = write && { done: write() };
        if (writing && !beside) {
          notes = await writing.done;
          writing = undefined;
        }
        continue;
      }
      const found = await Promise.all(Array.from({ length: step.times }, () => list(step)));
      const possible = [expected(step, notes)];
      if (writing) {
        notes = await writing.done;
        writing = undefined;
        possible.push(expected(step, notes));
      }
      for (const one of found) assert.ok(possible.includes(one), `${one} is none of ${possible}`);
    }
    await writing?.done;
  }

  it('are what they would be now, whichever node has written meanwhile', async () => {
    const plays = fc.array(fc.record({ step: steps, beside: fc.boolean() }), {
      minLength: 20,
      maxLength: 60,
    });
    await fc.assert(fc.asyncProperty(plays, play), { seed, numRuns: drawn('VITRINE_RUNS', 20, 8) });
  });
});

describe('a page that was asked for before, in a file', { skip: testEngine !== 'sqlite' }, () => {
  const ranks = ['rank', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j'];

  /** With three notes, which are `before` until they are changed behind the log's back, and how to ask for a page of them. */
  async function start(methods: JsonObject = {}) {
    const fields = {
      ...{
        title: { type: 'text' },
        kind: { type: 'text' },
        of: { type: 'relation', to: 'boards' },
        tags: { type: 'list', of: { type: 'text' } },
      },
      ...Object.fromEntries(ranks.map((name) => [name, { type: 'number' }])),
    };
    const api = { access: 'public', methods };
    const file = await startUnlogged(definition('boards', {}), definition('notes', fields, { api }));
    const notes = new Records(file.app, '/v1/shop/notes');
    const board = await new Records(file.app, '/v1/shop/boards').create({});
    const values = Object.fromEntries(ranks.map((name) => [name, 1]));
    const old = { ...values, title: 'before', kind: 'one', of: board._id, tags: ['x'] };
    const ask = async (query: string, from = notes) => {
      const { found, total } = await from.list(query);
      return { titles: found.map(({ title }) => title), total };
    };
    const askTwice = async (query: string) => {
      for (let time = 0; time < 2; time++) await ask(query);
    };
    const createMany = async (count: number, valuesOf: (n: number) => JsonObject) => {
      for (let from = 0; from < count; from += 1_000) {
        const part = Math.min(1_000, count - from);
        const create = Array.from({ length: part }, (_, n) => valuesOf(from + n));
        resultOf(await notes.call('POST', '/batch', { create }));
      }
    };
    for (let made = 0; made < 3; made++) await notes.create(old);
    return { file, notes, board, old, ask, askTwice, createMany };
  }

  const three = (title: string) => [title, title, title];
  const lasting = [
    ...[
      'rank=1',
      'rank=1&sort=-_createdAt',
      'sort=title&kind=one,two&perPage=3',
      'rank=1&rank<5',
      'rank=1&title!=',
    ],
    'rank=1&include=of',
  ];
  for (const query of lasting)
    it(`is not read again while only others are created: ${query}`, async () => {
      const { file, notes, old, ask, askTwice } = await start();
      await askTwice(query);
      file.change('before', 'after');
      for (let made = 0; made < 5; made++) {
        await notes.create({ ...old, rank: made % 2 ? 3 : null, kind: made % 2 ? 'three' : null });
        assert.deepEqual(await ask(query), { titles: three('before'), total: 3 });
      }
      await notes.create({ ...old, title: 'z' });
      const { titles, total } = await ask(query);
      assert.deepEqual([titles.includes('before'), titles.includes('after'), total], [false, true, 4]);
      await file.close();
    });

  for (const query of ['perPage=3', 'perPage=3&include=of', 'perPage=3&sort=_createdAt'])
    it(`is not read again where it is full, in the order of creation, and counts what is created: ${query}`, async () => {
      const { file, notes, old, ask, askTwice } = await start();
      await askTwice(query);
      file.change('before', 'after');
      for (let total = 4; total < 8; total++) {
        await notes.create(old);
        assert.deepEqual(await ask(query), { titles: three('before'), total });
      }
      await file.close();
    });

  for (const query of [
    '',
    'perPage=2&page=2',
    'perPage=3&sort=-_createdAt',
    'rank=&perPage=3',
    'tags=x',
    'rank!=3',
  ])
    it(`is read again where a record that is created may be on it: ${query || 'no query'}`, async () => {
      const { file, notes, old, ask, askTwice } = await start();
      if (query.startsWith('rank=&'))
        for (let made = 0; made < 3; made++) await notes.create({ title: 'before' });
      await askTwice(query);
      file.change('before', 'after');
      await notes.create(query.startsWith('rank=&') ? { title: 'z' } : { ...old, title: 'z' });
      assert.ok(!(await ask(query)).titles.includes('before'));
      await file.close();
    });

  it('is read again after another record of its collection was changed or deleted, or one of an included collection', async () => {
    const writes = [
      (notes: Records, other: string) => notes.update(other, { rank: 8 }),
      (notes: Records, other: string) => notes.call('DELETE', `/${other}`),
      (_: Records, __: string, boards: Records, board: string) => boards.update(board, {}),
    ];
    for (const write of writes) {
      const { file, notes, board, old, ask, askTwice } = await start();
      const { _id } = await notes.create({ ...old, rank: 7 });
      await askTwice('rank=1&include=of');
      file.change('before', 'after');
      await write(notes, _id, new Records(file.app, '/v1/shop/boards'), board._id);
      assert.deepEqual(await ask('rank=1&include=of'), { titles: three('after'), total: 3 });
      await file.close();
    }
  });

  it('of what a caller owns, or has a share in, is not read again while others create theirs', async () => {
    for (const access of ['user', 'workspace']) {
      const { file, notes, ask } = await start({ viewAll: { access } });
      const people = new People(file.app, 'shop');
      const [ann, bob] = await Promise.all(
        ['ann', 'bob'].map(async (name) => {
          const person = await people.register(name);
          const { accessToken } = await people.switch(person, await people.workspace(person, name));
          return new Records(file.app, notes.path, { token: accessToken });
        }),
      );
      assert.ok(ann && bob);
      for (let made = 0; made < 3; made++) await ann.create({ title: 'before' });
      for (let time = 0; time < 2; time++) await ask('', ann);
      file.change('before', 'after');
      await bob.create({ title: 'of bob' });
      await notes.create({ title: 'of nobody' });
      assert.deepEqual(await ask('', ann), { titles: three('before'), total: 3 });
      assert.deepEqual(await ask('', bob), { titles: ['of bob'], total: 1 });
      await ann.create({ title: 'another' });
      assert.deepEqual(await ask('', ann), { titles: [...three('after'), 'another'], total: 4 });
      await file.close();
    }
  });

  it('is read again after more creations than are looked through, and found again from then on', async () => {
    const { file, old, ask, askTwice, createMany } = await start();
    await askTwice('rank=1');
    file.change('before', 'after');
    await createMany(1_000, () => ({ rank: 2 }));
    assert.deepEqual(await ask('rank=1'), { titles: three('before'), total: 3 });
    await createMany(2_000, (n) => (n === 5 ? { ...old, title: 'z' } : { rank: 2 }));
    assert.deepEqual(await ask('rank=1'), { titles: [...three('after'), 'z'], total: 4 });
    await createMany(10, () => ({ rank: 2, title: 'before' }));
    file.change('z', 'other');
    assert.deepEqual(await ask('rank=1'), { titles: [...three('after'), 'z'], total: 4 });
    await file.close();
  });

  it('is right with more filtered fields than are watched', async () => {
    const { file, notes, ask } = await start();
    let total = 3;
    for (let round = 0; round < 2; round++) {
      for (const name of ranks) for (let time = 0; time < 2; time++) await ask(`${name}=1`);
      for (const name of ranks) {
        await notes.create({ title: 'some', [name]: 2 });
        await notes.create({ title: 'one', [name]: 1 });
        assert.equal((await ask(`${name}=1`)).total, total + 1, name);
      }
      total += 1;
    }
    await file.close();
  });

  it('is right with more values than are kept, though only another page was asked for while they came', async () => {
    const { file, notes, ask, askTwice, createMany } = await start();
    await askTwice('rank=1');
    await askTwice('rank=107');
    await notes.create({ rank: 1 });
    for (let part = 0; part < 12; part++) {
      await createMany(900, (n) => ({ rank: 100 + part * 900 + n }));
      assert.equal((await ask('rank=107')).total, 1);
    }
    assert.equal((await ask('rank=1')).total, 4);
    await file.close();
  });
});
