import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { defaultLimits } from '../src/http/services.ts';
import type { JsonObject } from '../src/model/json.ts';
import { startApp, type TestApp } from './harness.ts';
import { assertRefused, definition, makeProject, Records, type Row, resultOf } from './support.ts';

const MiB = 1024 * 1024;
const text = (mebibytes: number, letter = 'x') => letter.repeat(mebibytes * MiB);

describe('the size of a record', () => {
  let app: TestApp;
  let notes: Records;
  before(async () => {
    app = await startApp();
    const content = { type: 'content' };
    const fields = { a: content, b: content, c: content, n: { type: 'number' } };
    notes = new Records(app, `${await makeProject(app, definition('notes', fields))}/notes`);
  });
  after(() => app.close());

  const refusal = /The record would have \d+ bytes as JSON, and 2097152 are the most/;

  it('is at most twice a body after Create, Update and batch', async () => {
    const create = [{ a: 'small' }, { a: text(2) }];
    const batch = await notes.call('POST', '/batch', { create });
    assertRefused(batch, 400, /^create\[1\]: The record would have/);
    assert.equal(await notes.total(), 0);
    const { _id } = await notes.create({ a: text(0.9) });
    await notes.update(_id, { b: text(0.9) });
    assertRefused(await notes.call('PATCH', `/${_id}`, { c: text(0.5) }), 400, refusal);
    assertRefused(
      await notes.call('POST', '/batch', { update: [{ _id, c: text(0.5) }] }),
      400,
      /^update\[0\]: /,
    );
    assert.equal((await notes.view(_id)).c, null);
    await notes.update(_id, { a: null, c: text(0.9) });
  });

  it('counts bytes, and is looked at once the whole record is there', async () => {
    const wide = 'é'.repeat(0.95 * MiB);
    assertRefused(await notes.call('POST', '/batch', { create: [{ a: wide, b: wide }] }), 400, refusal);
    const [one] =
      (resultOf(await notes.call('POST', '/batch', { create: [{ a: wide }] })).created as Row[]) ?? [];
    assertRefused(await notes.call('PATCH', `/${one?._id}`, { b: text(0.2) }), 400, refusal);
  });
});

describe('the size of an answer', () => {
  let app: TestApp;
  let path: string;
  const of = (id: string) => new Records(app, `${path}/${id}`);
  const values = ['v0', 'v1', 'v2', 'v3', 'v4'];
  before(async () => {
    const body = { bytes: 20 * MiB, depth: 32, timeout: 30_000 };
    app = await startApp({
      limits: { body, records: { ...defaultLimits.records, batchWork: Number.MAX_SAFE_INTEGER } },
    });
    const content = { type: 'content' };
    const to = (kind: string) => ({ type: 'relation', to: 'large', kind });
    path = await makeProject(
      app,
      definition('large', { n: { type: 'number', index: true }, body: content }),
      definition('refs', { one: to('single'), two: to('single'), three: to('single'), many: to('multiple') }),
      definition('values', Object.fromEntries(values.map((name) => [name, content]))),
    );
    for (let n = 0; n < 9; n++) await of('large').create({ n, body: text(8, String(n)) });
  });
  after(() => app.close());

  it('of a page is at most 64 MiB', async () => {
    const refused = await of('large').call('GET', '?perPage=9');
    assertRefused(refused, 400, 'perPage: the page would have more than 67108864 bytes');
    assertRefused(await of('large').call('GET', '?perPage=1000&n>=1&sort=-n'), 400, 'perPage: ');
    assert.equal((await of('large').list('perPage=7')).found.length, 7);
    assert.equal((await of('large').list('perPage=9&page=2')).found.length, 0);
    assert.equal((await of('large').list('perPage=1000&n<3')).found.length, 3);
  });

  it('ends a cursor page early, and the next goes on', async () => {
    for (const query of ['', 'sort=-n&']) {
      const seen: unknown[] = [];
      let [after, pages]: [unknown, number] = ['', 0];
      while (typeof after === 'string') {
        const asked = `?${query}fields=n&perPage=100&after=${encodeURIComponent(after)}`;
        const page = resultOf(await of('large').call('GET', asked));
        seen.push(...(page.found as Row[]).map(({ n }) => n));
        after = page.next;
        pages += 1;
      }
      assert.deepEqual(
        seen,
        query === 'sort=-n&' ? [8, 7, 6, 5, 4, 3, 2, 1, 0] : [0, 1, 2, 3, 4, 5, 6, 7, 8],
      );
      assert.equal(pages, 2);
    }
  });

  it('holds at most 16 MiB of included records, over all paths', async () => {
    const large = (await of('large').list('perPage=3')).found.map(({ _id }) => _id) as [
      string,
      string,
      string,
    ];
    const make = async (body: JsonObject) => (await of('refs').create(body))._id;
    const [a, , c] = large;
    const one = await make({ one: a });
    const many = await make({ many: large });
    const all = await make({ one: a, two: a, three: a });
    const include = async (id: string, paths: string, more = '') =>
      of('refs').call('GET', `?_id=${id}&include=${paths}${more}`);
    const held = resultOf(await include(one, 'one,two'))._include as Record<string, Row[]>;
    assert.deepEqual([held.one?.map(({ _id }) => _id), held.two], [[a], []]);
    for (const more of ['', '&after=']) {
      assertRefused(
        await include(many, 'many', more),
        400,
        'perPage: the included records',
        '16777216 bytes',
      );
      assertRefused(await include(all, 'one,two', more), 400, 'perPage: the included records');
      assert.equal((await include(all, 'three', more)).status, 200);
    }
    await of('large').update(c, { body: 'small' });
    await of('refs').update(many, { many: [c, a] });
    const both = resultOf(await include(many, 'many'))._include as Record<string, Row[]>;
    assert.deepEqual(new Set(both.many?.map(({ _id }) => _id)), new Set([a, c]));
    await of('large').update(c, { body: text(8) });
  });

  it('holds no more of them either where a path leads to one record from each of very many', async () => {
    const at = await makeProject(
      app,
      definition('texts', { body: { type: 'content' } }),
      definition('steps', {
        text: { type: 'relation', to: 'texts' },
        more: { type: 'relation', to: 'texts', kind: 'multiple' },
      }),
      definition('walks', { steps: { type: 'relation', to: 'steps', kind: 'multiple' } }),
    );
    const made = async (id: string, create: JsonObject[]) => {
      const { created } = resultOf(await app.call('POST', `${at}/${id}/batch`, { body: { create } }));
      return (created as Row[]).map(({ _id }) => _id);
    };
    const stepsTo = async (count: number) => {
      const texts = await made('texts', Array(count).fill({ body: text(1 / 20) }));
      return made(
        'steps',
        [...texts, ...texts].map((id) => ({ text: id })),
      );
    };
    const walks = new Records(app, `${at}/walks`);
    const steps = await stepsTo(300);
    const { _id } = await walks.create({ steps });
    const alone = new Records(app, `${at}/steps`);
    const [first = ''] = steps;
    const texts = (await new Records(app, `${at}/texts`).list('perPage=250')).found;
    for (const [more, status] of [
      [200, 200],
      [250, 400],
    ] as const) {
      await alone.update(first, { more: texts.slice(0, more).map((one) => one._id) });
      assert.equal((await alone.call('GET', '?include=text,more&perPage=100')).status, status);
    }
    await alone.update(first, { more: [] });
    for (const more of ['', '&after=', '&perPage=1', '&perPage=101']) {
      const held = resultOf(await walks.call('GET', `?include=steps.text${more}`))._include;
      assert.equal((held as Record<string, Row[]>)['steps.text']?.length, 300);
    }
    await walks.update(_id, { steps: [...steps, ...(await stepsTo(20))] });
    for (const more of ['', '&after=', '&perPage=1', '&perPage=101']) {
      const reply = await walks.call('GET', `?include=steps.text${more}`);
      assertRefused(reply, 400, 'perPage: the included records', '16777216 bytes');
    }
  });

  it('of distinct is at most 16 MiB for a field, and 64 MiB for all', async () => {
    const records = of('values');
    await records.create(Object.fromEntries(values.map((name, at) => [name, at < 3 ? text(5) : null])));
    await records.create(Object.fromEntries(values.map((name, at) => [name, at >= 3 ? text(5) : null])));
    assert.equal((await records.call('GET', `/distinct?fields=${values.join(',')}`)).status, 200);
    for (const letter of ['y', 'z']) {
      for (const some of [values.slice(0, 3), values.slice(3)]) {
        await records.create(Object.fromEntries(some.map((name) => [name, text(5, letter)])));
      }
    }
    assert.equal((await records.call('GET', '/distinct?fields=v0,v1')).status, 200);
    const all = await records.call('GET', `/distinct?fields=${values.join(',')}`);
    assertRefused(all, 400, 'fields: the values would have more than 67108864 bytes');
    await records.create({ v0: text(5, 'w') });
    const one = await records.call('GET', '/distinct?fields=v0');
    assertRefused(one, 400, "fields: the values of 'v0' would have more than 16777216 bytes");
    assert.equal((await records.call('GET', '/distinct?fields=v1')).status, 200);
  });

  it('of a batch is at most 64 MiB, and what would have more does nothing', async () => {
    const ids = (await of('large').list('perPage=1000&fields=n&n<5')).found.map(({ _id }) => _id);
    const rest = (await of('large').list('perPage=1000&fields=n&n>=5')).found.map(({ _id }) => _id);
    const update = [...ids, ...rest].map((_id) => ({ _id, n: 100 }));
    const refused = await of('large').call('POST', '/batch', { update });
    assertRefused(refused, 400, 'The answer would have more than 67108864 bytes');
    assert.equal(await of('large').total('n=100'), 0);
    assert.equal((await of('large').call('POST', '/batch', { update: update.slice(0, 1) })).status, 200);
  });

  it('is no bound for an export', async () => {
    for (const sort of ['', '&sort=body']) {
      const address = `http://vitrine.test${path}/large/export?format=ndjson${sort}`;
      const response = await app.fetch(new Request(address));
      let [bytes, lines] = [0, 0];
      for await (const part of response.body ?? []) {
        const some = part as Uint8Array;
        bytes += some.length;
        for (let at = some.indexOf(10); at !== -1; at = some.indexOf(10, at + 1)) lines += 1;
      }
      assert.ok(bytes > 9 * 8 * MiB, String(bytes));
      assert.equal(lines, 9);
    }
  });
});
