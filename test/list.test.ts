import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Json } from '../src/model/json.ts';
import { startApp, type TestApp } from './harness.ts';
import { assertRefused, definition, makeProject, Records, type Row, strangerId } from './support.ts';

let app: TestApp;
let items: Records;
let rows: Row[];

before(async () => {
  app = await startApp();
  const path = await makeProject(
    app,
    definition('items', { name: { type: 'text' }, n: { type: 'number' }, on: { type: 'boolean' } }),
  );
  items = new Records(app, `${path}/items`);
  rows = await items.createAll(Array.from({ length: 30 }, (_, n) => ({ name: `item ${n % 3}`, n })));
});
after(() => app.close());

const sorted = async (values: readonly Json[], field: string, query: string) => {
  const path = await makeProject(
    app,
    definition('some', { a: { type: field }, b: { type: 'number' }, t: { type: 'text' } }),
  );
  const some = new Records(app, `${path}/some`);
  await some.createAll(values.map((a, b) => ({ a, b })));
  return some.values('a', query);
};

describe('paging', () => {
  it('is page 1 with 25 records per page unless it is told otherwise', async () => {
    const { found, ...rest } = await items.list();
    assert.deepEqual(rest, { page: 1, perPage: 25, total: 30, totalPages: 2 });
    assert.deepEqual(found, rows.slice(0, 25));
  });

  it('gives the page and the number of records that were asked for', async () => {
    const { found, ...rest } = await items.list('page=3&perPage=8');
    assert.deepEqual(rest, { page: 3, perPage: 8, total: 30, totalPages: 4 });
    assert.deepEqual(found, rows.slice(16, 24));
    assert.deepEqual((await items.list('page=4&perPage=8')).found, rows.slice(24));
    assert.equal((await items.list('perPage=1000')).found.length, 30);
    assert.equal((await items.list('perPage=1')).totalPages, 30);
  });

  it('past the end finds nothing and still counts', async () => {
    for (const page of [3, 999999999999999]) {
      const { found, total, totalPages } = await items.list(`page=${page}`);
      assert.deepEqual([found, total, totalPages], [[], 30, 2]);
    }
    assert.equal((await items.list('page=9&name=item 1')).total, 10);
    const { found, total, totalPages } = await items.list('name=none');
    assert.deepEqual([found, total, totalPages], [[], 0, 0]);
  });

  it('has the total of a filter, whichever page is the first that is asked for after a write', async () => {
    const path = await makeProject(app, definition('some', { n: { type: 'number', index: true } }));
    const some = new Records(app, `${path}/some`);
    const [first] = await some.createAll(Array.from({ length: 20 }, (_, n) => ({ n: n % 3 })));
    const matching = [1, 2, 4, 5, 7, 8, 10, 11, 13, 14, 16, 17, 19];
    const created = await some.values('_createdAt');
    for (const sort of ['_createdAt', '-_createdAt', 'n']) {
      for (const page of [1, 2, 3, 4, 5]) {
        await some.update(first?._id ?? '', { n: -page }); // what was remembered of totals ends with it
        const { found, total } = await some.list(`n>=1&sort=${sort}&perPage=4&page=${page}`);
        assert.deepEqual([total, found.length], [13, Math.max(0, Math.min(4, 17 - 4 * page))]);
        if (sort === 'n') continue;
        const wanted = (sort === '_createdAt' ? matching : matching.toReversed()).slice(
          4 * page - 4,
          4 * page,
        );
        const times = wanted.map((at) => created[at]);
        assert.deepEqual(
          found.map(({ _createdAt }) => _createdAt),
          times,
        );
      }
    }
  });

  it('far behind the end is an empty page', async () => {
    for (const page of ['1000000000000000', '9007199254740993', '9'.repeat(400)]) {
      const { found, total } = await items.list(`page=${page}&perPage=1000`);
      assert.deepEqual([found, total], [[], 30], page);
    }
  });

  it('of anything else is a 400', async () => {
    for (const value of ['0', '-1', '1.5', 'x', '', '1e2', '0x5', ' 1']) {
      const encoded = encodeURIComponent(value);
      assertRefused(await items.call('GET', `?page=${encoded}`), 400, 'page: must be a whole number from 1');
      assertRefused(await items.call('GET', `?perPage=${encoded}`), 400, 'perPage: must be', '1 to 1000');
    }
    assertRefused(await items.call('GET', '?perPage=1001'), 400, 'perPage: must be');
    assertRefused(await items.call('GET', '?perPage=99999999999999999999'), 400, 'perPage: must be');
    assertRefused(await items.call('GET', '?page=1&page=2'), 400, 'page: is given more than once');
    assertRefused(await items.call('GET', '?page>1'), 400, "page: takes '='");
  });
});

describe('sort', () => {
  it('is by _createdAt, the oldest first, unless it is told otherwise', async () => {
    assert.deepEqual(await items.values('n', 'perPage=3'), [0, 1, 2]);
    assert.deepEqual(await items.values('n', 'perPage=3&sort=-_createdAt'), [29, 28, 27]);
    assert.deepEqual(await items.values('n', 'perPage=3&sort=_createdAt'), [0, 1, 2]);
  });

  it('by a field is ascending, and descending with a leading -', async () => {
    assert.deepEqual(await sorted([2, 10, -1, 0.5], 'number', 'sort=a'), [-1, 0.5, 2, 10]);
    assert.deepEqual(await sorted([2, 10, -1, 0.5], 'number', 'sort=-a'), [10, 2, 0.5, -1]);
    assert.deepEqual(await sorted([true, false], 'boolean', 'sort=a'), [false, true]);
    const times = ['2026-01-01T00:00:00.000Z', '2025-01-01T00:00:00.000Z', '1960-01-01T00:00:00.000Z'];
    assert.deepEqual(await sorted(times, 'datetime', 'sort=a'), times.toReversed());
    assert.deepEqual(await items.values('_id', 'sort=-_id&perPage=1'), [rows.at(-1)?._id]);
  });

  it('of text is by code point', async () => {
    const right = ['', '10', '9', 'B', 'a', 'aa', 'ab', 'b', 'É', 'я', '～', '😀'];
    const mixed = right.toSorted((a, b) => a.length - b.length || (a < b ? 1 : -1));
    assert.deepEqual(await sorted(mixed, 'text', 'sort=a'), right);
    assert.deepEqual(await sorted(mixed, 'text', 'sort=-a'), right.toReversed());
  });

  it('puts unset values before all others', async () => {
    assert.deepEqual(await sorted([1, null, -5], 'number', 'sort=a'), [null, -5, 1]);
    assert.deepEqual(await sorted([1, null, -5], 'number', 'sort=-a'), [1, -5, null]);
    assert.deepEqual(await sorted(['b', null, ''], 'text', 'sort=a'), [null, '', 'b']);
  });

  it('takes several names, each with its own -', async () => {
    const order = (await items.list('sort=-name,n&perPage=30')).found.map(({ name, n }) => `${name}/${n}`);
    assert.deepEqual(order.slice(0, 2), ['item 2/2', 'item 2/5']);
    assert.deepEqual(order.slice(-2), ['item 0/24', 'item 0/27']);
    assert.deepEqual(await items.values('n', 'sort=name,-n&perPage=2'), [27, 24]);
  });

  it('breaks ties by creation order, so that paging is stable', async () => {
    for (const sort of ['on', '-on', 'name', '-name']) {
      const seen: Json[] = [];
      for (const page of [1, 2, 3, 4, 5]) {
        seen.push(...(await items.values('n', `sort=${sort}&perPage=7&page=${page}`)));
      }
      const name = (n: Json) => (sort.endsWith('name') ? Number(n) % 3 : 0) * (sort[0] === '-' ? -1 : 1);
      const right = rows.map(({ n }) => n ?? 0).toSorted((a, b) => name(a) - name(b));
      assert.deepEqual(seen, right, sort);
    }
  });

  it('by a name that is none is a 400', async () => {
    assertRefused(await items.call('GET', '?sort=nme'), 400, "sort: 'nme'", "did you mean 'name'");
    for (const sort of ['', '-', 'n,', '--n', '_owner', 'constructor']) {
      assertRefused(await items.call('GET', `?sort=${sort}`), 400, 'sort:');
    }
  });
});

describe('fields', () => {
  it('are those that were named, and always _id', async () => {
    const [first] = (await items.list('fields=n,name')).found;
    assert.deepEqual(first, { _id: rows[0]?._id, n: 0, name: 'item 0' });
    const [second] = (await items.list('fields=_updatedAt&page=2&perPage=1')).found;
    assert.deepEqual(second, { _id: rows[1]?._id, _updatedAt: rows[1]?._updatedAt });
    assert.deepEqual((await items.list('fields=_id')).found[0], { _id: rows[0]?._id });
    assert.deepEqual((await items.list('fields=on')).found[0], { _id: rows[0]?._id, on: null });
  });

  it('that do not exist, or that are not for the caller, are a 400', async () => {
    assertRefused(await items.call('GET', '?fields=n,nam'), 400, "'nam'", "did you mean 'name'");
    for (const name of ['', '_owner', '_workspace', 'seq', 'toString']) {
      assertRefused(await items.call('GET', `?fields=${name}`), 400, 'fields:');
    }
  });
});

describe('an unknown parameter', () => {
  it('is a 400 that says what was meant', async () => {
    assertRefused(
      await items.call('GET', '?nme=x'),
      400,
      "nme: is not a known parameter, did you mean 'name'",
    );
    assertRefused(await items.call('GET', '?perpage=5'), 400, "did you mean 'perPage'");
    assertRefused(await items.call('GET', '?serch=x&inclde=y'), 400, "'search'", "'include'", '; ');
    assertRefused(await items.call('GET', '?_owner=x'), 400, '_owner');
    assertRefused(await items.call('GET', '?name=%ff'), 400, 'query string', '%25');
    assertRefused(await items.call('GET', '?name=a%00b'), 400, 'query string', 'U+0000');
    assertRefused(await items.call('GET', '?sort=-'), 400, 'sort: must be names of fields');
  });
});

describe('include', () => {
  let books: Records;
  let people: Records;
  let chain: Row[];
  before(async () => {
    const self = { type: 'relation', to: 'people' };
    const path = await makeProject(
      app,
      definition('people', { name: { type: 'text' }, boss: self, friends: { ...self, kind: 'multiple' } }),
      definition('books', { author: self, readers: { ...self, kind: 'multiple' }, title: { type: 'text' } }),
    );
    people = new Records(app, `${path}/people`);
    books = new Records(app, `${path}/books`);
    chain = [await people.create({ name: 'p0' })];
    for (const n of [1, 2, 3])
      chain.push(await people.create({ name: `p${n}`, boss: chain[n - 1]?._id ?? '' }));
  });
  const id = (n: number) => chain[n]?._id ?? '';
  const included = async (of: Records, query: string) => {
    const { _include } = await of.list(query);
    return Object.fromEntries(
      Object.entries(_include).map(([path, related]) => [path, related.map(({ name }) => name).sort()]),
    );
  };

  it('attaches each related record once, single and multiple, under the name of the relation', async () => {
    await books.createAll([
      { author: id(3), readers: [id(1), id(2)], title: 'a' },
      { author: id(3), readers: [id(2), id(3)], title: 'b' },
      { title: 'c' },
    ]);
    const answer = await included(books, 'include=author,readers');
    assert.deepEqual(answer, { author: ['p3'], readers: ['p1', 'p2', 'p3'] });
    assert.deepEqual((await books.list('include=author')).found, (await books.list()).found);
    assert.deepEqual((await books.list('include=author'))._include, { author: [await people.view(id(3))] });
    assert.equal('_include' in (await books.list()), false);
  });

  it('attaches what the records of the page relate to, and nothing else', async () => {
    assert.deepEqual(await included(books, 'include=readers&perPage=1'), { readers: ['p1', 'p2'] });
    assert.deepEqual(await included(books, 'include=readers&title=c'), { readers: [] });
    assert.deepEqual(await included(books, 'include=author&fields=title&title=a'), { author: ['p3'] });
  });

  it('follows a relation to the collection itself', async () => {
    assert.deepEqual(await included(people, 'include=boss,friends'), {
      boss: ['p0', 'p1', 'p2'],
      friends: [],
    });
  });

  it('takes dotted paths up to three relations deep, and the key is the path', async () => {
    assert.deepEqual(await included(books, 'include=author.boss,author.boss.boss,readers.boss'), {
      'author.boss': ['p2'],
      'author.boss.boss': ['p1'],
      'readers.boss': ['p0', 'p1', 'p2'],
    });
    assertRefused(await books.call('GET', '?include=author.boss.boss.boss'), 400, 'include:', 'at most 3');
  });

  it('of what is no relation is a 400', async () => {
    assertRefused(await books.call('GET', '?include=auther'), 400, 'include:', "did you mean 'author'");
    for (const path of ['title', 'author.name', '', 'author.', '.author', 'author,', strangerId]) {
      assertRefused(await books.call('GET', `?include=${path}`), 400, 'include:');
    }
  });
});
