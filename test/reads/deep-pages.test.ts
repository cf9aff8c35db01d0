import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import type { TestApp } from '../harness.ts';
import { seed } from '../seed.ts';
import { drawn } from '../storage.ts';
import { definition, type Listed, resultOf } from '../support.ts';
import { type Nodes, startNodes } from '../two-nodes.ts';

const count = 600;

interface Item {
  readonly _id: string;
  readonly word: string | null;
  readonly rank: number | null;
  readonly even: boolean;
}

type Node = 'a' | 'b';

/** What is done, by one of the nodes. Numbers choose among what is there. */
type Step =
  | { readonly kind: 'create' | 'update' | 'delete'; readonly node: Node; readonly at: number }
  | { readonly kind: 'page'; readonly node: Node; readonly query: number; readonly at: number };

const words = ['ash', 'elm', 'Elm', 'oak', `yew${'-'.repeat(300)}a`, `yew${'-'.repeat(300)}b`, null] as const;

const itemOf = (at: number) => ({
  word: words[at % words.length] ?? null,
  rank: at % 11 === 0 ? null : at % 90,
  even: at % 2 === 0,
});

type Compare = (one: Item, other: Item) => number;

/** Unset values first. */
const by =
  (name: 'word' | 'rank'): Compare =>
  (one, other) => {
    const [a, b] = [one[name], other[name]];
    if (a === b) return 0;
    if (a === null || b === null) return a === null ? -1 : 1;
    return a < b ? -1 : 1;
  };
const down =
  (compare: Compare): Compare =>
  (one, other) =>
    compare(other, one);

/** Those with the same values keep the order in which they were created. */
const queries: readonly { query: string; compare?: Compare; newest?: boolean; even?: boolean }[] = [
  { query: 'sort=word', compare: by('word') },
  { query: 'sort=-word', compare: down(by('word')) },
  { query: 'sort=rank', compare: by('rank') },
  {
    query: 'sort=-rank,word',
    compare: (one, other) => down(by('rank'))(one, other) || by('word')(one, other),
  },
  { query: 'sort=-rank,-_createdAt', compare: down(by('rank')), newest: true },
  { query: 'sort=_createdAt' },
  { query: 'sort=-_createdAt', newest: true },
  { query: 'sort=_createdAt&even=true', even: true },
];

function expected(items: readonly Item[], { compare, newest, even }: (typeof queries)[number]): Item[] {
  const found = even ? items.filter((item) => item.even) : items;
  const ordered = newest ? found.toReversed() : found;
  return compare ? ordered.toSorted(compare) : [...ordered];
}

const node = fc.constantFrom<Node>('a', 'b');
const at = fc.nat({ max: 10_000 });
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constantFrom('create', 'update', 'delete'), node, at }),
  },
  {
    weight: 8,
    arbitrary: fc.record({ kind: fc.constant('page'), node, query: fc.nat({ max: queries.length - 1 }), at }),
  },
);

describe(`pages far from the first, while others write (seed ${seed})`, () => {
  let nodes: Nodes;
  let items: Item[] = [];
  const path = '/v1/p/items';
  before(async () => {
    nodes = await startNodes();
    const fields = {
      word: { type: 'text', index: true },
      rank: { type: 'number', index: true },
      even: { type: 'boolean', required: true },
    };
    await nodes.a.project('p', definition('items', fields));
    const create = Array.from({ length: count }, (_, at) => itemOf(at));
    const { created } = resultOf(await nodes.a.call('POST', `${path}/batch`, { body: { create } }));
    items = created as Item[];
  });
  after(() => nodes.close());

  async function perform(app: TestApp, step: Step): Promise<void> {
    const chosen = items[step.at % items.length];
    assert.ok(chosen);
    if (step.kind === 'page') await look(app, step.query, step.at);
    else if (step.kind === 'create') {
      items.push(resultOf(await app.call('POST', path, { body: itemOf(step.at) }), 201) as unknown as Item);
    } else if (step.kind === 'update') {
      const reply = await app.call('PATCH', `${path}/${chosen._id}`, { body: itemOf(step.at) });
      items[items.indexOf(chosen)] = resultOf(reply) as unknown as Item;
    } else {
      resultOf(await app.call('DELETE', `${path}/${chosen._id}`));
      items.splice(items.indexOf(chosen), 1);
    }
  }

  async function look(app: TestApp, number: number, at: number): Promise<void> {
    const asked = queries[number];
    assert.ok(asked);
    const perPage = 10 + (at % 17);
    const page = 1 + (at % Math.ceil(items.length / perPage));
    const address = `${path}?${asked.query}&perPage=${perPage}&page=${page}`;
    const { total, found } = resultOf(await app.call('GET', address)) as unknown as Listed;
    const all = expected(items, asked);
    const wanted = all.slice((page - 1) * perPage, page * perPage);
    const idsOf = (rows: readonly { readonly _id: unknown }[]) => rows.map(({ _id }) => _id);
    assert.deepEqual([total, ...idsOf(found)], [all.length, ...idsOf(wanted)], address);
  }

  it('are those of all records in their order', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 30, maxLength: 60 }), async (steps) => {
        for (const one of steps) await perform(nodes[one.node], one);
      }),
      { seed, numRuns: drawn('VITRINE_RUNS', 20, 10), endOnFailure: true },
    );
  });
});
