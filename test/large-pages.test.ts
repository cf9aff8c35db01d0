import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startApp, type TestApp } from './harness.ts';
import { seed } from './seed.ts';
import { asAdmin, definition, Records, type Row, resultOf } from './support.ts';

let state = seed;
const random = (below: number) => {
  state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
  return Math.floor((state / 2 ** 31) * below);
};

/** Texts that would show a character that is cut in two, or a comma or bracket that is taken for one between records. */
const letters = ['a', 'é', '漢', '🦉', ',', '}', '{"', '\\', '\n', ' '];
function makeText(length: number): string {
  let text = 'x'; // an odd beginning, so that halves of an owl fall on either side of where a text is cut
  while (text.length < 1_000) text += letters[random(letters.length)];
  return text.repeat(Math.ceil(length / text.length));
}

/** Of the page, in bytes, from which on it is sent in parts. */
const large = 6_553_600;

describe(`pages that are sent in parts (VITRINE_SEED=${seed})`, () => {
  let app: TestApp;
  let notes: Records;
  const rows: Row[] = [];
  before(async () => {
    app = await startApp();
    const fields = {
      title: { type: 'text', index: true },
      group: { type: 'number', index: true },
      plain: { type: 'number' },
      body: { type: 'content' },
      next: { type: 'relation', to: 'notes' },
    };
    await app.project('shop', definition('notes', fields));
    notes = new Records(app, '/v1/shop/notes');
    for (let made = 0; made < 60; made++) {
      const body = makeText([100, 150_000, 400_000][random(3)] ?? 0);
      const [title, next] = [
        `t${String(random(1_000)).padStart(3, '0')}`,
        rows.at(random(made))?._id ?? null,
      ];
      rows.push(await notes.create({ title, group: random(3), plain: random(3), body, next }));
    }
  });
  after(() => app.close());

  const by = (name: string) => (one: Row, other: Row) =>
    String(one[name]) < String(other[name]) ? -1 : String(one[name]) > String(other[name]) ? 1 : 0;
  const isOf = (name: string, value: number) => (row: Row) => row[name] === value;
  const lists: readonly { query: string; of(all: readonly Row[]): readonly Row[] }[] = [
    { query: '', of: (all) => all },
    { query: 'sort=-_createdAt', of: (all) => all.toReversed() },
    { query: 'sort=group,title', of: (all) => all.toSorted(by('title')).toSorted(by('group')) },
    { query: 'sort=plain', of: (all) => all.toSorted(by('plain')) },
    { query: 'plain=1&sort=title', of: (all) => all.filter(isOf('plain', 1)).toSorted(by('title')) },
    { query: 'search=x', of: (all) => all },
  ];

  for (const { query, of } of lists)
    it(`hold the same as Views, byte for byte: ${query || 'no query'}`, async () => {
      const expected = of(rows);
      const found = JSON.stringify(expected);
      for (let time = 0; time < 2; time++) {
        const page = await notes.call('GET', `?perPage=100&${query}`);
        const head = `"page":1,"perPage":100,"total":${expected.length},"totalPages":1`;
        assert.ok(
          page.text === `{"ok":true,"result":{${head},"found":${found}}}\n`,
          `${page.text.length} characters`,
        );
        assert.equal(page.headers.get('content-type'), 'application/json; charset=utf-8');
      }
      const walked = await notes.call('GET', `?perPage=100&after=&${query}`);
      assert.ok(walked.text === `{"ok":true,"result":{"perPage":100,"next":null,"found":${found}}}\n`);
    });

  it('are large: otherwise the others would say nothing', async () => {
    const { text, headers } = await notes.call('GET', '?perPage=100');
    assert.ok(Buffer.byteLength(text) > large, `${text.length} characters`);
    assert.equal(headers.get('transfer-encoding'), 'chunked');
    const least = await notes.call('GET', '?perPage=1');
    assert.equal(least.headers.get('transfer-encoding'), null);
  });

  it('have the records that they include, and what is selected of each', async () => {
    const included = rows.filter(({ _id }) => rows.some(({ next }) => next === _id));
    for (const paging of ['', 'after=&']) {
      const page = resultOf(await notes.call('GET', `?perPage=100&${paging}include=next`));
      assert.deepEqual(page.found, rows);
      assert.deepEqual(
        (page._include as { next: Row[] }).next.toSorted(by('_id')),
        included.toSorted(by('_id')),
      );
      const selected = resultOf(await notes.call('GET', `?perPage=100&${paging}fields=title,group`));
      assert.deepEqual(
        selected.found,
        rows.map(({ _id, title, group }) => ({ _id, title, group })),
      );
      const bodies = resultOf(await notes.call('GET', `?perPage=100&${paging}fields=body`));
      assert.deepEqual(
        bodies.found,
        rows.map(({ _id, body }) => ({ _id, body })),
      );
    }
  });

  it('end where a cursor goes on', async () => {
    const found: Row[] = [];
    let next: string | null = '';
    for (let pages = 0; next !== null; pages++) {
      const page = resultOf(await notes.call('GET', `?perPage=45&sort=title&after=${next}`));
      found.push(...(page.found as Row[]));
      next = page.next as string | null;
      assert.ok(pages < 3);
    }
    assert.deepEqual(found, rows.toSorted(by('title')));
  });

  it('are exported and measured like others', async () => {
    const reply = await app.call('GET', '/v1/shop/notes/export?format=json');
    assert.deepEqual(JSON.parse(reply.text), rows);
    const sorted = await app.call('GET', '/v1/shop/notes/export?format=json&sort=plain');
    assert.deepEqual(JSON.parse(sorted.text), rows.toSorted(by('plain')));
  });

  it('are not made for a HEAD, and keep no project from being deleted once their client has gone', async () => {
    const head = await app.call('HEAD', '/v1/shop/notes?perPage=100');
    assert.deepEqual([head.status, head.text, head.headers.get('content-length')], [200, '', null]);
    const page = await app.fetch(new Request('http://vitrine.test/v1/shop/notes?perPage=100'));
    const reader = page.body?.getReader();
    assert.ok(((await reader?.read())?.value?.length ?? 0) > 100_000);
    await reader?.cancel();
    resultOf(await app.call('DELETE', '/v1/_admin/projects/shop?confirm=destructive', asAdmin));
  });
});
