import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import type { TestApp } from './harness.ts';
import { seed } from './seed.ts';
import { drawn } from './storage.ts';
import { definition, resultOf } from './support.ts';
import { type Nodes, startNodes } from './two-nodes.ts';

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
