import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Json, JsonObject } from '../src/model/json.ts';
import { type CallOptions, startApp, type TestApp } from './harness.ts';
import { assertRefused, definition, makeProject, Records, type Row, resultOf } from './support.ts';

interface Step {
  readonly perPage: number;
  readonly next: string | null;
  readonly found: Row[];
  readonly _include?: Record<string, Row[]>;
}

let app: TestApp;
let path: string;
let items: Records;
let rows: Row[];

/** 24 records: `n` 0 to 3 or unset and `t` a, b or unset, so that there are ties of everything. */
const made: readonly JsonObject[] = Array.from({ length: 24 }, (_, at) => ({
  n: at % 5 === 4 ? null : at % 5,
  t: [null, 'a', 'b'][at % 3] ?? null,
  name: `item ${at}`,
}));

before(async () => {
  app = await startApp();
  const fields = {
    n: { type: 'number', index: true },
    t: { type: 'text' },
    name: { type: 'text', unique: true },
    peer: { type: 'relation', to: 'items' },
  };
  path = await makeProject(app, definition('items', fields), definition('others', fields));
  items = new Records(app, `${path}/items`);
  rows = await items.createAll(made);
});
after(() => app.close());

async function step(query: string, cursor: string, options: CallOptions = {}, at = `${path}/items`) {
  const address = `${at}?${query && `${query}&`}after=${encodeURIComponent(cursor)}`;
  return resultOf(await app.call('GET', address, options)) as unknown as Step;
}

async function walk(query: string, options: CallOptions = {}, at?: string): Promise<Step[]> {
  const steps = [await step(query, '', options, at)];
  for (let last = steps[0]; last?.next; last = steps.at(-1)) {
    steps.push(await step(query, last.next, options, at));
    assert.ok(steps.length < 1000, 'the walk does not end');
  }
  return steps;
}

const found = (steps: readonly Step[]) => steps.flatMap((one) => one.found);
const names = (seen: readonly Row[]) => seen.map(({ name }) => name);

async function cursorOf(query: string): Promise<string> {
  const { next } = await step(query, '');
  assert.ok(typeof next === 'string' && next !== '');
  return next;
}

const refused = async (query: string, ...parts: string[]) =>
  assertRefused(await items.call('GET', `?${query}`), 400, ...parts);

describe('an after that is none of a list', () => {
  it('is a 400, also where the service made it', async () => {
    const feed = await app.call('GET', `${path}/items/_changes?after=now`);
    const position = String(resultOf(feed).next);
    const reply = await app.call('POST', `${path}/_auth/register`, {
      body: { email: 'ann@x.example', password: 'correct horse' },
    });
    const token = String(resultOf(reply, 201).accessToken);
    const { ticket } = resultOf(await app.call('POST', `${path}/_auth/ticket`, { token }));
    for (const after of [position, position.split('.')[0], ticket]) {
      await refused(`after=${after}`, 'after: is not a cursor of this server');
    }
  });
});

describe('a walk', () => {
  it('begins with an empty after and answers perPage, next and found, and nothing is counted', async () => {
    const first = await step('perPage=10', '');
    assert.deepEqual(Object.keys(first).sort(), ['found', 'next', 'perPage']);
    assert.equal(first.perPage, 10);
    assert.deepEqual(first.found, rows.slice(0, 10));
    assert.equal((await step('', '')).perPage, 25);
  });

  it('ends with next null, also where the last page is full or the list is empty', async () => {
    for (const [perPage, pages] of [
      [10, 3],
      [12, 2],
      [24, 1],
      [23, 2],
      [1000, 1],
      [1, 24],
    ]) {
      const steps = await walk(`perPage=${perPage}`);
      assert.equal(steps.length, pages, `perPage=${perPage}`);
      assert.deepEqual(found(steps), rows);
    }
    assert.deepEqual(await step('name=none', ''), { perPage: 25, next: null, found: [] });
  });

  for (const sort of [
    ...['n', '-n', 't', '-t', 'n,t', '-n,t', 'n,-t', '-n,-t', '-t,n', 'n,-_createdAt', '-t,-_createdAt'],
    ...['_createdAt', '-_createdAt', '_id', '-_id', '_updatedAt', 'peer', '-peer,n', 'n,-n', 'name,n'],
    ...['_createdAt,n', 'n,_createdAt,t', 't,_id', '-t,-_id', 'n,t,name', '-n,t,-name'],
  ]) {
    it(`by ${sort} gives the list in its order, unset values and ties included`, async () => {
      const whole = (await items.list(`sort=${sort}&perPage=1000`)).found;
      assert.equal(whole.length, rows.length);
      for (const perPage of [1, 2, 5, 7]) {
        assert.deepEqual(names(found(await walk(`sort=${sort}&perPage=${perPage}`))), names(whole));
      }
    });
  }

  it('puts unset values first in an ascending and last in a descending sort', async () => {
    const values = async (sort: string) => found(await walk(`sort=${sort}&perPage=3`)).map(({ n }) => n);
    const order = (rank: (n: Json) => number) =>
      rows.map(({ n }) => n ?? null).toSorted((a, b) => rank(a) - rank(b));
    assert.deepEqual(
      await values('n'),
      order((n) => (n === null ? -1 : Number(n))),
    );
    assert.deepEqual(
      await values('-n'),
      order((n) => (n === null ? 1 : -Number(n))),
    );
  });

  it('works with filters, search, fields and include', async () => {
    const whole = (query: string) => items.list(`${query}&perPage=1000`).then((list) => list.found);
    for (const query of [
      'n>=1&n<3&sort=-t',
      't!=a&sort=n',
      't=a,b&sort=-n',
      'search=item+1&sort=t,-n',
      'search=item&n!=0&sort=-name',
      'fields=n&sort=t',
      'fields=t&search=2',
    ]) {
      const expected = await whole(query);
      assert.ok(expected.length > 3, query);
      assert.deepEqual(found(await walk(`${query}&perPage=2`)), expected, query);
    }
  });

  it('includes what the records of each page relate to', async () => {
    const first = rows[0] as Row;
    const peers = new Map([first, rows[9] as Row, rows[10] as Row].map((row) => [row._id, row]));
    for (const { _id } of peers.values()) await items.update(_id, { peer: first._id });
    for (const one of await walk('include=peer&perPage=5')) {
      assert.deepEqual(Object.keys(one).sort(), ['_include', 'found', 'next', 'perPage']);
      const hit = one.found.some(({ _id }) => peers.has(_id));
      assert.deepEqual(one._include, { peer: hit ? [await items.view(first._id)] : [] });
    }
    for (const { _id } of peers.values()) await items.update(_id, { peer: null });
    rows = (await items.list('perPage=1000')).found;
  });

  it('goes on where it was when the record under the cursor, or any other, has gone or come', async () => {
    const others = new Records(app, `${path}/others`);
    for (const sort of ['n', '-n', '_createdAt', '-_createdAt', 't,-n', '-t,_id']) {
      for (const { _id } of (await others.list('perPage=1000')).found) await others.remove(_id);
      await others.createAll(made);
      const whole = (await others.list(`sort=${sort}&perPage=1000`)).found;
      const seen: Row[] = [];
      const gone = new Set<string>();
      for (let cursor: string | null = '', at = 0; cursor !== null; at++) {
        const page: Step = await step(`sort=${sort}&perPage=4`, cursor, {}, others.path);
        seen.push(...page.found);
        cursor = page.next;
        const victims = [page.found.at(-1), at === 1 ? whole.at(-1) : whole[at]];
        for (const victim of victims) {
          if (victim && !gone.has(victim._id)) await others.remove(victim._id);
          if (victim) gone.add(victim._id);
        }
        if (at < 8) await others.create({ n: at % 4, t: at % 2 ? 'a' : null, name: `late ${at}` });
      }
      const steady = whole.filter(({ _id }) => !gone.has(_id));
      const steadyIds = new Set(steady.map(({ _id }) => _id));
      assert.ok(steady.length >= 10, sort);
      assert.deepEqual(names(seen.filter(({ _id }) => steadyIds.has(_id))), names(steady), sort);
      assert.equal(new Set(seen.map(({ _id }) => _id)).size, seen.length, `${sort}: seen twice`);
    }
  });
});

describe('a cursor', () => {
  it('survives a restart', async () => {
    const whole = (await items.list('sort=-n&perPage=1000')).found;
    const cursor = await cursorOf('sort=-n&perPage=7');
    await app.reopen();
    assert.deepEqual((await step('sort=-n&perPage=1000', cursor)).found, whole.slice(7));
  });

  it('can be used twice, with another perPage, and as it is in a URL', async () => {
    const cursor = await cursorOf('sort=n&perPage=5');
    assert.deepEqual(await step('sort=n&perPage=4', cursor), await step('sort=n&perPage=4', cursor));
    assert.equal(encodeURIComponent(cursor), cursor, 'needs no encoding');
    assert.equal((await step('sort=n&perPage=19', cursor)).next, null);
  });

  it('that was altered is a 400', async () => {
    const cursor = await cursorOf('sort=n,t&perPage=5');
    const [body = '', mark = ''] = cursor.split('.');
    const forged = Buffer.from(body, 'base64url').toString().replace('items', 'other');
    const altered = [
      ...[...cursor].map(
        (one, at) => `${cursor.slice(0, at)}${one === 'A' ? 'B' : 'A'}${cursor.slice(at + 1)}`,
      ),
      ...[...cursor].map((_, at) => cursor.slice(0, at)).slice(1),
      ...[`${cursor}A`, `${cursor}.`, `${cursor}=`, ` ${cursor}`, `${cursor} `, `${cursor}.${cursor}`],
      ...['x', '.', '0', 'null', 'e30.e30', '[]', '\u{1f600}', body, mark, `${mark}.${body}`],
      `${Buffer.from(forged).toString('base64url')}.${mark}`,
      cursor.toUpperCase(),
    ].filter((one) => one !== cursor && one !== '');
    for (const one of altered) await refused(`sort=n,t&perPage=5&after=${encodeURIComponent(one)}`, 'after:');
  });

  it('with another sort is a 400', async () => {
    const cursor = await cursorOf('sort=n,t&perPage=5');
    for (const sort of ['n', 't,n', '-n,t', 'n,-t', 'n,t,_id', '_createdAt', '-n,-t']) {
      await refused(`sort=${sort}&after=${cursor}`, 'after:', 'sort');
    }
    await refused(`after=${cursor}`, 'after:', 'sort');
    await refused(`sort=n&after=${await cursorOf('perPage=3')}`, 'after:', 'sort');
  });

  it('of another collection, or of another project, is a 400', async () => {
    const cursor = await cursorOf('sort=n&perPage=5');
    const elsewhere = await makeProject(app, definition('items', { n: { type: 'number' } }));
    for (const address of [`${path}/others`, `${elsewhere}/items`]) {
      assertRefused(await app.call('GET', `${address}?sort=n&after=${cursor}`), 400, 'after:');
    }
  });

  it('does not go with page, is given once and takes =', async () => {
    const cursor = await cursorOf('perPage=5');
    await refused('page=1&after=', 'page:', 'after');
    await refused(`after=${cursor}&page=2`, 'page:');
    await refused(`after=${cursor}&after=${cursor}`, 'after: is given more than once');
    await refused('after>=x', 'after:');
    await refused('after=&perPage=0', 'perPage:');
    await refused('after=&nme=1&sort=x', 'nme:', 'sort:');
  });

  it('is no parameter of the other operations', async () => {
    assertRefused(await items.call('GET', '/distinct?fields=n&after='), 400, 'after');
    assertRefused(await items.call('GET', `/${rows[0]?._id}?after=`), 400, 'after');
  });
});

describe('a cursor over very long values', () => {
  it('fits into an address, walks over each record once, and is a 400 once the value it ended at has changed or gone', async () => {
    const at = await makeProject(
      app,
      definition('essays', { body: { type: 'content' }, n: { type: 'number' } }),
    );
    const essays = new Records(app, `${at}/essays`);
    // The same for 15,000 characters; every third is short or unset.
    const bodyOf = (n: number) => [`${'é'.repeat(15_000)}${String(n % 4)}`, null, 'short'][n % 3] ?? null;
    const all = await essays.createAll(Array.from({ length: 12 }, (_, n) => ({ n, body: bodyOf(n) })));
    const seen = async (sort: string) => {
      const steps = await walk(`sort=${sort}&perPage=1&fields=n`, {}, `${at}/essays`);
      for (const { next } of steps) assert.ok((next ?? '').length < 4_000);
      return found(steps).map(({ n }) => n);
    };
    const ordered = async (sort: string) =>
      (await essays.list(`sort=${sort}&perPage=100&fields=n`)).found.map(({ n }) => n);
    for (const sort of ['body', '-body', '-body,-_createdAt', 'n,body']) {
      assert.deepEqual(await seen(sort), await ordered(sort), sort);
    }
    const { next, found: first } = await step('sort=-body&perPage=1', '', {}, `${at}/essays`);
    const ended = all.find(({ _id }) => _id === first[0]?._id);
    await essays.update(String(ended?._id), { body: `${'é'.repeat(15_000)}9` });
    const address = `${at}/essays?sort=-body&perPage=1&after=${encodeURIComponent(String(next))}`;
    assertRefused(await app.call('GET', address), 400, 'after: ended at a record', 'begin again');
    await essays.remove(String(ended?._id));
    assertRefused(await app.call('GET', address), 400, 'changed or deleted since', 'begin again');
  });
});
