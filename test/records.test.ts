import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startApp, type TestApp } from './harness.ts';
import { assertRefused, definition, makeProject, Records, resultOf, strangerId } from './support.ts';

const uuidv7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const instant = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;
const fixed = Date.parse('2026-01-02T03:04:05.678Z');

const fields = {
  title: { type: 'text' },
  price: { type: 'number' },
  tags: { type: 'list', of: { type: 'text' } },
};

let app: TestApp;
let path: string;
let notes: Records;
before(async () => {
  app = await startApp();
});
after(() => app.close());

async function freshNotes(from = app): Promise<void> {
  path = await makeProject(from, definition('notes', fields));
  notes = new Records(from, `${path}/notes`);
}

describe('Create', () => {
  it('answers 201 with the created record: the fields, _id, _createdAt and _updatedAt', async () => {
    await freshNotes();
    const made = await notes.create({ title: 'First', price: 2.5 });
    const { _id, _createdAt, _updatedAt, ...rest } = made;
    assert.deepEqual(rest, { title: 'First', price: 2.5, tags: [] });
    assert.equal(_createdAt, _updatedAt);
    assert.deepEqual(await notes.view(_id), made);
  });

  it('gives every record a UUIDv7 of its own and timestamps in ISO 8601, UTC', async () => {
    await freshNotes();
    const earliest = Date.now();
    const rows = await Promise.all(Array.from({ length: 100 }, () => notes.create({})));
    assert.equal(new Set(rows.map(({ _id }) => _id)).size, 100);
    for (const { _id, _createdAt, _updatedAt } of rows) {
      assert.match(_id, uuidv7);
      assert.match(_createdAt, instant);
      assert.match(_updatedAt, instant);
      assert.ok(Math.abs(Date.parse(_createdAt) - earliest) < 10_000);
    }
  });

  it('keeps what was sent to the letter', async () => {
    await freshNotes();
    const title = 'quote " backslash \\ newline \n тест 日本 😀 </script> \u2028 \u0001';
    const { _id } = await notes.create({ title, price: 1.7976931348623157e308, tags: [title, title, ''] });
    const { title: read, price, tags } = await notes.view(_id);
    assert.deepEqual([read, price, tags], [title, 1.7976931348623157e308, [title, title, '']]);
    assert.deepEqual((await notes.list()).found[0], await notes.view(_id));
  });

  it('takes no query parameters', async () => {
    await freshNotes();
    assertRefused(await notes.call('POST', '?fields=title', { title: 'x' }), 400, 'fields');
    assert.equal(await notes.total(), 0);
  });
});

describe('View', () => {
  it('answers one record by its _id, and takes no query parameters', async () => {
    await freshNotes();
    const [first, second] = await notes.createAll([{ title: 'a' }, { title: 'b' }]);
    assert.deepEqual(await notes.view(second?._id ?? ''), second);
    assert.deepEqual(await notes.view(first?._id ?? ''), first);
    assertRefused(await notes.call('GET', `/${first?._id}?fields=title`), 400, 'fields');
  });
});

describe('Update', () => {
  it('changes the fields that were sent, keeps the others and answers the full record', async () => {
    await freshNotes();
    const made = await notes.create({ title: 'a', price: 1, tags: ['x', 'y'] });
    const changed = await notes.update(made._id, { price: 2 });
    assert.deepEqual(changed, { ...made, price: 2, _updatedAt: changed._updatedAt });
    assert.ok(changed._updatedAt > made._updatedAt);
    assert.deepEqual(await notes.view(made._id), changed);
    const emptied = await notes.update(made._id, { tags: [], title: null });
    assert.deepEqual([emptied.tags, emptied.title, emptied.price], [[], null, 2]);
  });

  it('that is refused changes nothing', async () => {
    await freshNotes();
    const made = await notes.create({ title: 'a' });
    assertRefused(await notes.call('PATCH', `/${made._id}`, { title: 'b', price: 'free' }), 400, 'price:');
    assert.deepEqual(await notes.view(made._id), made);
  });

  it('changes one record and no other', async () => {
    await freshNotes();
    const [first, second] = await notes.createAll([{ title: 'a' }, { title: 'a' }]);
    await notes.update(first?._id ?? '', { title: 'b' });
    assert.deepEqual(await notes.view(second?._id ?? ''), second);
  });
});

describe('_updatedAt', () => {
  it('strictly increases with every change, also within one millisecond', async () => {
    const still = await startApp({ now: () => fixed });
    try {
      await freshNotes(still);
      const made = await notes.create({ title: '0' });
      assert.equal(made._createdAt, '2026-01-02T03:04:05.678Z');
      let last = made._updatedAt;
      for (let count = 1; count <= 5; count++) {
        const { _updatedAt, _createdAt } = await notes.update(made._id, { title: String(count) });
        assert.ok(_updatedAt > last, `${_updatedAt} is not after ${last}`);
        assert.equal(_createdAt, made._createdAt);
        last = _updatedAt;
      }
      const replies = await Promise.all(
        Array.from({ length: 20 }, (_, count) => notes.update(made._id, { price: count })),
      );
      assert.equal(new Set(replies.map(({ _updatedAt }) => _updatedAt)).size, 20);
    } finally {
      await still.close();
    }
  });

  it('strictly increases when the clock goes backwards', async () => {
    let time = fixed;
    const odd = await startApp({ now: () => time });
    try {
      await freshNotes(odd);
      const made = await notes.create({ title: 'a' });
      time -= 60_000;
      assert.ok((await notes.update(made._id, { title: 'b' }))._updatedAt > made._updatedAt);
      const later = await notes.create({ title: 'c' });
      assert.ok(later._createdAt >= made._createdAt);
      assert.deepEqual(await notes.values('title'), ['b', 'c']);
    } finally {
      await odd.close();
    }
  });
});

describe('Delete', () => {
  it('removes a record, answers its _id, and then it is a 404 for every operation', async () => {
    await freshNotes();
    const [first, second] = await notes.createAll([{ title: 'a' }, { title: 'b' }]);
    const id = first?._id ?? '';
    assert.deepEqual(resultOf(await notes.call('DELETE', `/${id}`)), { _id: id });
    assertRefused(await notes.call('GET', `/${id}`), 404, id);
    assertRefused(await notes.call('PATCH', `/${id}`, { title: 'x' }), 404, id);
    assertRefused(await notes.call('DELETE', `/${id}`), 404, id);
    assert.deepEqual((await notes.list()).found, [second]);
  });

  it('sent many times at once succeeds once', async () => {
    await freshNotes();
    const { _id } = await notes.create({});
    const replies = await Promise.all(Array.from({ length: 10 }, () => notes.call('DELETE', `/${_id}`)));
    assert.deepEqual(replies.map(({ status }) => status).sort(), [
      200,
      ...Array.from({ length: 9 }, () => 404),
    ]);
    assert.equal(await notes.total(), 0);
  });
});

describe('a 404', () => {
  it('answers for an unknown project, collection and record', async () => {
    await freshNotes();
    const body = { title: 'x' };
    for (const id of [strangerId, 'x', '0', '%00', 'a%2Fb', '%F0%9F%98%80', "'", '..%2f', 'constructor']) {
      assertRefused(await notes.call('GET', `/${id}`), 404);
      assertRefused(await notes.call('PATCH', `/${id}`, body), 404);
      assertRefused(await notes.call('DELETE', `/${id}`), 404);
    }
    for (const place of ['/v1/nowhere/notes', `${path}/nowhere`, `${path}/Notes`, '/v1/constructor/notes']) {
      assertRefused(await app.call('GET', place), 404);
      assertRefused(await app.call('POST', place, { body }), 404);
      assertRefused(await app.call('GET', `${place}/distinct?fields=title`), 404);
      assertRefused(await app.call('DELETE', `${place}/${strangerId}`), 404);
    }
    assert.deepEqual(app.errors, []);
  });

  it('answers for a record of another collection or another project', async () => {
    await freshNotes();
    const elsewhere = notes;
    const made = await elsewhere.create({ title: 'x' });
    await freshNotes();
    assertRefused(await notes.call('GET', `/${made._id}`), 404);
    assertRefused(await notes.call('DELETE', `/${made._id}`), 404);
    assert.equal(await notes.total(), 0);
    assert.equal(await elsewhere.total(), 1);
  });
});

describe('total', () => {
  it('is right in the moment after every write, with and without a filter or a search', async () => {
    await freshNotes();
    const totals = async () => {
      const queries = ['perPage=1', 'title=a&perPage=1', 'search=a&perPage=1', 'price>=5&perPage=1'];
      return Promise.all([...queries, 'tags=x&perPage=1'].map((query) => notes.total(query)));
    };
    assert.deepEqual(await totals(), [0, 0, 0, 0, 0]);
    const [a, b] = await notes.createAll([
      { title: 'a', price: 5 },
      { title: 'b', tags: ['x'] },
    ]);
    assert.deepEqual(await totals(), [2, 1, 1, 1, 1]);
    await notes.update(b?._id ?? '', { title: 'a', price: 6, tags: ['x', 'y'] });
    assert.deepEqual(await totals(), [2, 2, 2, 2, 1]);
    assertRefused(await notes.call('POST', '', { price: 'x' }), 400);
    assert.deepEqual(await totals(), [2, 2, 2, 2, 1]);
    await notes.remove(a?._id ?? '');
    assert.deepEqual(await totals(), [1, 1, 1, 1, 1]);
    await notes.remove(b?._id ?? '');
    assert.deepEqual(await totals(), [0, 0, 0, 0, 0]);
  });

  it('is right after many writes at once', async () => {
    await freshNotes();
    const rows = await Promise.all(
      Array.from({ length: 600 }, (_, price) => notes.create({ price, title: 'x' })),
    );
    assert.deepEqual([await notes.total(), await notes.total('title=x&perPage=1')], [600, 600]);
    await Promise.all(rows.slice(0, 250).map(({ _id }) => notes.remove(_id)));
    assert.deepEqual([await notes.total(), await notes.total('title=x&perPage=1')], [350, 350]);
  });
});

describe('a restart', () => {
  it('loses no record, and nothing of one', async () => {
    await freshNotes();
    const rows = await notes.createAll([
      { title: 'a', tags: ['x'] },
      { title: 'b', price: 1 },
      { title: 'c' },
    ]);
    const changed = await notes.update(rows[0]?._id ?? '', { price: 9 });
    await notes.remove(rows[2]?._id ?? '');
    await app.reopen();
    const { total, found } = await notes.list();
    assert.deepEqual([total, found], [2, [changed, rows[1]]]);
    assert.equal(await notes.total('search=a'), 1);
    const next = await notes.create({ title: 'd' });
    assert.deepEqual((await notes.list()).found, [changed, rows[1], next]);
  });
});
