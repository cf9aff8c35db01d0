import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { requireCollection } from '../../src/catalog/require-collection.ts';
import { loadRuntime } from '../../src/runtime/load-runtime.ts';
import { Database } from '../../src/store/engines/sqlite/connection/database.ts';
import { compileList } from '../../src/store/engines/sqlite/reads/compiled-lists.ts';
import type { Bound } from '../../src/store/engines/sqlite/reads/sliced/conditions.ts';
import { probesOf } from '../../src/store/engines/sqlite/reads/sliced/source.ts';
import { type Condition, listPlan } from '../../src/store/plans.ts';
import type { Sql } from '../../src/store/sql/tag.ts';
import { type CallOptions, startApp, type TestApp } from '../harness.ts';
import { type NamedStorage, sqliteStorage } from '../storage.ts';
import { asAdmin, definition, type Listed, resultOf } from '../support.ts';

const count = 2_400;
const path = '/v1/p/items';

interface Item {
  readonly _id: string;
  readonly state: string;
  readonly code: number;
  readonly tags: readonly string[];
  readonly words: string | null;
  readonly own: boolean;
}

/** Each finds very many records, or few by an index, or has to look at each. */
const conditions: Readonly<Record<string, (item: Item) => boolean>> = {
  'state=live': ({ state }) => state === 'live',
  'state!=live': ({ state }) => state !== 'live',
  'state=rare,other': ({ state }) => state === 'rare',
  'code=7': ({ code }) => code === 7,
  'code>=1150': ({ code }) => code >= 1_150,
  'code>=3': ({ code }) => code >= 3,
  'code>=500&code<520': ({ code }) => code >= 500 && code < 520,
  'code>=3&code>=1150': ({ code }) => code >= 1_150,
  'code<100&code>2&code<20': ({ code }) => code > 2 && code < 20,
  'code>1150&code<=1180': ({ code }) => code > 1_150 && code <= 1_180,
  'tags=all': ({ tags }) => tags.includes('all'),
  'tags=t7,t8': ({ tags }) => tags.includes('t7') || tags.includes('t8'),
  'tags!=all,t7': ({ tags }) => !tags.includes('all') && !tags.includes('t7'),
  'tags=': ({ tags }) => tags.length === 0,
  'tags!=': ({ tags }) => tags.length > 0,
  'tags=,t9': ({ tags }) => tags.length === 0 || tags.includes('t9'),
  'words=': ({ words }) => words === null,
  'search=word': ({ words }) => words !== null,
};
type Compared = Extract<Condition, { kind: 'compare' }>['operator'];
const nameOf = (query: string) => /^\w+/.exec(query)?.[0];

/** Files are SQLite's alone, so these are too, whatever the other tests run on. */
describe('a read that an index bounds', () => {
  let storage: NamedStorage;
  let app: TestApp;
  let user: CallOptions;
  const items: Item[] = [];
  before(async () => {
    storage = await sqliteStorage();
    app = await startApp({ storage });
    const fields = {
      state: { type: 'text', index: true },
      code: { type: 'number', index: true },
      tags: { type: 'list', of: { type: 'text' } },
      words: { type: 'text' },
    };
    const long = { code: fields.code, tags: fields.tags, text: { type: 'content' } };
    const pairs = { state: fields.state, code: fields.code, n: { type: 'number' } };
    await app.project(
      'p',
      { ...definition('items', fields), api: { access: 'user' } },
      { ...definition('pairs', pairs), indexes: [{ fields: ['state', 'code', 'n'] }] },
      definition('long', long),
      definition('texts', { code: fields.code, text: { type: 'content' } }),
    );
    const body = { email: 'ann@x.example', password: 'correct horse' };
    const signedUp = resultOf(await app.call('POST', '/v1/p/_auth/register', { body }), 201);
    user = { token: String(signedUp.accessToken) };
    const { _id } = signedUp.user as { _id: string };
    const isOwn = (at: number) => at % 100 < 2;
    for (let made = 0; made < count; made += 800) {
      const create = Array.from({ length: 800 }, (_, index) => {
        const at = made + index;
        return {
          state: at % 300 === 7 ? 'rare' : at % 50 === 0 ? 'draft' : 'live',
          code: at % 1_200,
          tags: at % 11 === 0 ? [] : [at % 7 === 0 ? 'some' : 'all', `t${at % 400}`],
          words: at % 13 === 0 ? null : `word ${at % 90}`,
          ...(isOwn(at) && { _owner: _id }),
        };
      });
      const { created } = resultOf(await app.call('POST', `${path}/batch`, { ...asAdmin, body: { create } }));
      for (const item of created as Item[]) items.push({ ...item, own: isOwn(items.length) });
    }
  });
  after(async () => {
    await app.close();
    await storage.remove();
  });

  const ids = (found: readonly { readonly _id: string }[]) => found.map(({ _id }) => _id);

  async function compare(query: string, caller: CallOptions, fits: (item: Item) => boolean): Promise<void> {
    const wanted = items.filter(fits);
    const byState = wanted.toSorted((one, other) =>
      Buffer.compare(Buffer.from(one.state), Buffer.from(other.state)),
    );
    const page = resultOf(
      await app.call('GET', `${path}?${query}&perPage=20&page=2`, caller),
    ) as unknown as Listed;
    assert.deepEqual([page.total, ...ids(page.found)], [wanted.length, ...ids(wanted.slice(20, 40))], query);
    let after: unknown = '';
    for (let seen = 0; seen < 60 && after !== null; seen += 20) {
      const step = resultOf(
        await app.call('GET', `${path}?${query}&perPage=20&sort=state&after=${after}`, caller),
      );
      assert.deepEqual(ids(step.found as Item[]), ids(byState.slice(seen, seen + 20)), `${query} by state`);
      after = step.next;
    }
  }

  for (const [query, fits] of Object.entries(conditions)) {
    it(`finds what is asked for: ${query}, alone and beside others`, async () => {
      for (const [other, fitsToo] of Object.entries(conditions)) {
        const both = query === other ? query : `${query}&${other}`;
        if (query !== other && nameOf(query) === nameOf(other)) continue;
        await compare(both, asAdmin, (item) => fits(item) && fitsToo(item));
        await compare(both, user, (item) => item.own && fits(item) && fitsToo(item));
      }
    });
  }

  const collectionOf = (id: string) =>
    app.catalog().use('p', async (project) => requireCollection(project, id));

  /** A page of what a user has with some values. */
  async function pageOf(by: Bound, all: readonly Condition[], of = 'items'): Promise<Sql> {
    const collection = await collectionOf(of);
    const scope = { kind: 'owner', owner: 'ann' } as const;
    const plan = listPlan({
      ...{ collection: collection.ref, where: { scope, conditions: all, search: ['word'] } },
      ...{ sort: [{ name: 'state', descending: true }], limit: 25, offset: 0, include: [], extra: [] },
    });
    return compileList(collection, plan, '').boundedBy(by).page();
  }

  /** How SQLite finds it. */
  async function planOf(by: Bound, all: readonly Condition[], of?: string): Promise<string> {
    const { text, values, parts } = await pageOf(by, all, of);
    const { sqlite } = await loadRuntime();
    const db = new Database(sqlite, join(storage.flags[1] ?? '', 'projects', 'p.db'));
    try {
      return db
        .rows({ text: `EXPLAIN QUERY PLAN ${text}`, values, parts })
        .map((row) => row[3])
        .join('\n');
    } finally {
      db.close();
    }
  }

  const state: Condition = { kind: 'oneOf', name: 'state', values: ['live'] };
  const code: Condition = { kind: 'compare', name: 'code', operator: '>=', value: 3 };
  const below: Condition = { kind: 'compare', name: 'code', operator: '<', value: 9 };
  const tags: Condition = { kind: 'oneOf', name: 'tags', values: ['all'] };
  const others: Condition = { kind: 'noneOf', name: 'tags', values: [null, 't1'] };
  const all = [state, code, tags, others, below];
  for (const [by, index] of [
    ['scope', /SEARCH r1 USING INDEX r1_owner/],
    [0, /SEARCH r1 USING INDEX r1_f1 \(f1=\?/],
    [1, /SEARCH r1 USING INTEGER PRIMARY KEY.*r1_f2 \(f2>\? AND f2<\?\)/s],
    [2, /SEARCH r1 USING INTEGER PRIMARY KEY.*SEARCH l1_3 USING PRIMARY KEY \(value=\?\)/s],
  ] as const) {
    it(`looks at no more than that has: ${by === 'scope' ? by : all[by]?.name}`, async () => {
      const plan = await planOf(by, all);
      assert.match(plan, index);
      assert.doesNotMatch(plan, /SCAN (?!json_each|\(subquery)/);
      const indexes = plan.match(/r1_\w+/g) ?? [];
      assert.ok(new Set(indexes).size <= 1, plan);
    });
  }

  /** How many match, and whether that was found beside the thread that serves. */
  const look = (...all: readonly Condition[]) => lookIn('items', all);
  async function lookIn(
    id: string,
    all: readonly Condition[],
  ): Promise<[total: number, where: 'here' | 'elsewhere']> {
    let done: 'here' | 'elsewhere' = 'here';
    const take = () => {
      done = 'elsewhere';
      return () => {};
    };
    return app.catalog().use('p', async (project) => {
      const { ref } = requireCollection(project, id);
      const where = { scope: { kind: 'all' }, conditions: all, search: [] } as const;
      const page = { sort: [], limit: 25, offset: 0, include: [], extra: [] };
      const { signal } = new AbortController();
      const plan = listPlan({ collection: ref, where, ...page });
      const { total } = await project.store.list(plan, { signal, take });
      return [total, done];
    });
  }
  const end = (operator: Compared, value: number): Condition => {
    return { kind: 'compare', name: 'code', operator, value };
  };

  it('may be bounded by both ends of a range, neither of which does alone', async () => {
    assert.deepEqual(await look(end('>=', 150)), [2 * 1_050, 'elsewhere']);
    assert.deepEqual(await look(end('<', 1_050)), [2 * 1_050, 'elsewhere']);
    assert.deepEqual(await look(end('>=', 150), end('<', 1_050)), [2 * 900, 'here']);
    assert.deepEqual(await look(end('>=', 100), end('>=', 150), end('<', 1_050)), [2 * 900, 'here']);
  });

  it('begins at the tightest end of a range and stops at the tightest, whatever others are named', async () => {
    const [items, pairs] = [await collectionOf('items'), await collectionOf('pairs')];
    const looked = (...conditions: Condition[]) =>
      probesOf(items, { scope: { kind: 'all' }, conditions, search: [] }).map(({ query }) => query.values);
    assert.deepEqual(looked(end('>=', 3), end('<', 9)), [[3, 9]]);
    assert.deepEqual(looked(end('<', 9), end('>=', 3)), [[9, 3]]);
    assert.deepEqual(looked(end('>=', 3), end('>', 1_190)), [[1_190]]);
    assert.deepEqual(looked(end('>=', 1_190), end('>', 3)), [[1_190]]);
    assert.deepEqual(looked(end('<', 9), end('<=', 1_190), end('>', 3)), [[9, 3]]);
    const ends = [end('>=', 3), state, end('>=', 1_190), end('>', 1_190), end('<', 1_195)];
    const { text, values } = await pageOf(3, ends);
    assert.ok(text.includes(`(SELECT seq FROM r${items.key} WHERE f2 > ? AND f2 < ?)`), text);
    assert.ok(JSON.stringify(values).includes('1190,1195'), JSON.stringify(values));
    const { text: paired } = await pageOf(3, ends, 'pairs');
    assert.ok(paired.includes(`r${pairs.key} WHERE f1 = ? AND f2 > ? AND f2 < ?)`), paired);
    assert.deepEqual(await look(...ends), [8, 'here']);
    assert.deepEqual(await look(...ends.toReversed()), [8, 'here']);
  });

  it('looks for few values in the lists of many records, or for many in those of few', async () => {
    const names = (length: number) => Array.from({ length }, (_, at) => `t${at}`);
    const held = (values: readonly string[]): Condition => ({ kind: 'oneOf', name: 'tags', values });
    const missing = (values: readonly string[]): Condition => ({ kind: 'noneOf', name: 'tags', values });
    const wanted = (codes: number, values: readonly string[]) => {
      const those = items.filter(
        ({ code, tags }) => code < codes && tags.some((tag) => values.includes(tag)),
      );
      return [those.length, items.filter(({ code }) => code < codes).length - those.length] as const;
    };
    for (const [codes, length, done] of [
      [600, 8, 'here'],
      [600, 4_000, 'elsewhere'],
      [2, 4_000, 'here'],
    ] as const) {
      const values = names(length);
      const [has, hasNot] = wanted(codes, values);
      assert.deepEqual(await look(end('<', codes), missing(values)), [hasNot, done]);
      const all = ['all', 'some', ...values]; // so many have these that the other is the better index
      const [any] = wanted(codes, all);
      assert.deepEqual(await look(end('<', codes), held(all)), [any, done]);
      const [narrow] = await look(end('<', codes), held(values));
      assert.equal(narrow, has);
    }
  });

  it('reads the texts of its records where they are not long', async () => {
    const create = Array.from({ length: 300 }, (_, at) => ({ code: at % 3, tags: at % 2 ? ['a'] : [] }));
    const send = async (body: object) =>
      resultOf(await app.call('POST', '/v1/p/long/batch', { ...asAdmin, body: body as never }));
    for (let made = 0; made < count; made += 300) await send({ create });
    const few: Condition = { kind: 'oneOf', name: 'code', values: [1] };
    const conditions: [Condition, number][] = [
      [{ kind: 'oneOf', name: 'tags', values: [null] }, 400],
      [{ kind: 'noneOf', name: 'tags', values: [null] }, 400],
      [{ kind: 'oneOf', name: 'tags', values: [null, 'a'] }, 800],
      [{ kind: 'noneOf', name: 'tags', values: [null, 'b'] }, 400],
      [{ kind: 'oneOf', name: 'text', values: [null] }, 800],
    ];
    for (const [condition, total] of conditions)
      assert.deepEqual(await lookIn('long', [few, condition]), [total, 'here']);
    await send({ create: [{ code: 2, tags: [], text: 'long '.repeat(20_000) }] });
    for (const [condition, total] of conditions)
      assert.deepEqual(await lookIn('long', [few, condition]), [total, 'elsewhere']);
    const held: Condition = { kind: 'oneOf', name: 'tags', values: ['a'] };
    assert.deepEqual(await lookIn('long', [few, held]), [400, 'here']);
  });

  it('reads no long texts of many records to sort them, to filter them or for their values', async () => {
    const body = 'word '.repeat(12_000); // as long as records are that are not taken for large
    const create = Array.from({ length: 150 }, (_, at) => ({ code: at % 3, text: `${at} ${body}` }));
    resultOf(await app.call('POST', '/v1/p/texts/batch', { ...asAdmin, body: { create } }));
    const isHere = async (query: string) => {
      let here = true;
      const take = () => {
        here = false;
        return () => {};
      };
      await app.catalog().use('p', async (project) => {
        const { ref } = requireCollection(project, 'texts');
        const [names = '', codes] = query.split(' of ');
        const conditions: Condition[] = codes
          ? [{ kind: 'oneOf', name: 'code', values: JSON.parse(codes) }]
          : [];
        const [sort, filter, values] = ['sort', 'filter', 'values'].map((one) => names.includes(one));
        if (filter) conditions.push({ kind: 'noneOf', name: 'text', values: ['x'] });
        const where = { scope: { kind: 'all' }, conditions, search: [] } as const;
        const turn = { signal: new AbortController().signal, take };
        if (values) {
          const plan = { collection: ref, where, fields: ['text'], most: 10_000 };
          await project.store.distinct(plan, turn);
        } else {
          const key = { name: sort ? 'text' : 'code', descending: false };
          const page = { sort: [key], limit: 1, offset: 0, include: [], extra: [] };
          await project.store.list(listPlan({ collection: ref, where, ...page }), turn);
        }
      });
      return here;
    };
    for (const query of ['sort', 'filter', 'values', 'sort of [0,1,2]', 'filter of [0,1,2]'])
      assert.equal(await isHere(query), false, query);
    for (const query of ['', 'sort of [0]', 'filter of [0]']) assert.equal(await isHere(query), true, query);
  });

  it('goes by an index over several fields where there is one', async () => {
    const same: Condition = { kind: 'oneOf', name: 'code', values: [7] };
    const n: Condition = { kind: 'compare', name: 'n', operator: '<', value: 9 };
    const states: Condition = { kind: 'oneOf', name: 'state', values: ['rare', 'other'] };
    const codes: Condition = { kind: 'oneOf', name: 'code', values: [7, 8] };
    for (const by of [0, 1]) {
      assert.match(await planOf(by, [state, same], 'pairs'), /r2_i0 \(f1=\? AND f2=\?/);
      assert.match(await planOf(by, [states, same], 'pairs'), /r2_i0 \(f1=\? AND f2=\?/);
      assert.match(await planOf(by, [states, codes], 'pairs'), /r2_i0 \(f1=\? AND f2=\?/);
      assert.match(await planOf(by, [states, code], 'pairs'), /r2_i0 \(f1=\? AND f2>\?/);
      assert.match(await planOf(by, [state, same, n], 'pairs'), /r2_i0 \(f1=\? AND f2=\? AND f3<\?/);
      assert.match(await planOf(by, [state, code, below], 'pairs'), /r2_i0 \(f1=\? AND f2>\? AND f2<\?/);
    }
  });
});
