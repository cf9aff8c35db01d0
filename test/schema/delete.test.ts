import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { JsonObject } from '../../src/model/json.ts';
import { People } from '../auth/people.ts';
import { adminKey, startApp, type TestApp } from '../harness.ts';
import { asAdmin, assertRefused, definition, Records, resultOf } from '../support.ts';
import { relation, Schema, text } from './support.ts';

const projects = '/v1/_admin/projects';
let app: TestApp;
before(async () => {
  app = await startApp();
});
after(() => app.close());

const remove = (path: string, query = '') => app.call('DELETE', `${path}${query && `?${query}`}`, asAdmin);
const make = (path: string, body: JsonObject) => app.call('POST', path, { ...asAdmin, body });

describe('DELETE of a collection', () => {
  it('that holds records is a 409 that says how many, and is done with confirm=destructive', async () => {
    const schema = await Schema.make(app, definition('notes', { a: text }), definition('empty', { a: text }));
    const notes = schema.records('notes');
    const rows = await notes.createAll([{ a: 'red' }, { a: 'old' }]);
    const before = await schema.dump();
    assertRefused(await remove(`${schema.path}/notes`), 409, '2 records', 'confirm=destructive');
    assertRefused(await remove(`${schema.path}/notes`, 'confirm=yes'), 400, 'confirm');
    assertRefused(await remove(`${schema.path}/notes`, 'force=1'), 400, 'force');
    assertRefused(await app.call('DELETE', `${schema.path}/notes`), 401);
    assert.deepEqual(await schema.dump(), before);
    assert.deepEqual(resultOf(await remove(`${schema.path}/notes`, 'confirm=destructive')), { id: 'notes' });
    for (const restart of [false, true]) {
      if (restart) await app.reopen();
      for (const rest of ['', `/${rows[0]?._id}`, '/distinct?fields=a', '/export?format=csv']) {
        assertRefused(await notes.call('GET', rest), 404, 'notes');
      }
      assertRefused(await notes.call('POST', '', { a: 'x' }), 404);
      assertRefused(await app.call('GET', `${schema.path}/notes`, asAdmin), 404, 'notes');
      assertRefused(await remove(`${schema.path}/notes`, 'confirm=destructive'), 404);
    }
    assert.deepEqual(
      (await schema.definitions()).map(({ id }) => id),
      ['empty'],
    );
  });

  it('that holds none needs no confirmation, also when its records were deleted before', async () => {
    const schema = await Schema.make(app, definition('never', { a: text }), definition('once', { a: text }));
    const once = schema.records('once');
    await once.remove((await once.create({ a: 'x' }))._id);
    resultOf(await remove(`${schema.path}/never`));
    resultOf(await remove(`${schema.path}/once`));
    assert.deepEqual(await schema.definitions(), []);
  });

  it('that others relate to is a 409 that names the relation, confirmed or not', async () => {
    const schema = await Schema.make(
      app,
      definition('brands', { a: text, parent: relation('brands') }),
      definition('products', { brand: relation('brands', { kind: 'multiple' }) }),
    );
    for (const query of ['', 'confirm=destructive']) {
      assertRefused(await remove(`${schema.path}/brands`, query), 409, 'products', 'brand');
    }
    resultOf(await remove(`${schema.path}/products`));
    resultOf(await remove(`${schema.path}/brands`));
  });

  it('brings nothing back when it is made again under its name', async () => {
    const unique = { ...text, unique: true };
    const schema = await Schema.make(app, definition('notes', { a: unique }));
    const notes = schema.records('notes');
    const row = await notes.create({ a: 'red' });
    for (let round = 0; round < 3; round++) {
      resultOf(await remove(`${schema.path}/notes`, 'confirm=destructive'));
      resultOf(await make(schema.path, definition('notes', { a: unique })), 201);
      assert.equal(await notes.total(), 0);
      assert.equal(await notes.total('search=red'), 0);
      assert.deepEqual(await notes.distinct('fields=a'), { a: [] });
      assertRefused(await notes.call('GET', `/${row._id}`), 404);
      const again = await notes.create({ a: 'red' });
      assert.notEqual(again._id, row._id);
      assert.equal(await notes.total(), 1);
    }
  });
});

describe('a project', () => {
  it('is changed by PATCH, part by part', async () => {
    const made = resultOf(await make(projects, { id: 'patched', name: 'Before' }), 201);
    const patch = (body: JsonObject) => app.call('PATCH', `${projects}/patched`, { ...asAdmin, body });
    const named = resultOf(await patch({ name: 'After' }));
    assert.deepEqual({ ...named, _updatedAt: 0 }, { ...made, name: 'After', _updatedAt: 0 });
    assert.ok(String(named._updatedAt) > String(made._updatedAt));
    const closed = resultOf(await patch({ auth: { registration: 'closed' } }));
    assert.equal((closed.auth as JsonObject).registration, 'closed');
    assert.equal(closed.name, 'After');
    assertRefused(
      await new People(app, 'patched').auth('POST', 'register', {
        email: 'a@example.com',
        password: 'long enough',
      }),
      403,
    );
    assertRefused(await patch({ id: 'other' }), 400, 'id');
    assertRefused(await patch({ nam: 'x' }), 400, "did you mean 'name'");
    assertRefused(await patch({ auth: { registration: 'ajar' } }), 400, 'auth.registration');
    assertRefused(await patch({ name: 5 }), 400, 'name');
    await app.reopen();
    assert.deepEqual(resultOf(await app.call('GET', `${projects}/patched`, asAdmin)), closed);
    const lost = await app.call('PATCH', `${projects}/nowhere`, { ...asAdmin, body: { name: 'x' } });
    assertRefused(lost, 404, 'nowhere');
  });

  it('is deleted with all it holds, when that is confirmed', async () => {
    const schema = await Schema.make(app, definition('notes', { a: text }));
    const path = `${projects}/${schema.project}`;
    const row = await schema.records('notes').create({ a: 'red' });
    const before = await schema.dump();
    assertRefused(await remove(path), 409, /\b(1|its) record\b/, 'confirm=destructive');
    assertRefused(await remove(path, 'confirm=1'), 400, 'confirm');
    assert.deepEqual(await schema.dump(), before);
    assert.deepEqual(resultOf(await remove(path, 'confirm=destructive')), { id: schema.project });
    for (const restart of [false, true]) {
      if (restart) await app.reopen();
      assertRefused(await app.call('GET', path, asAdmin), 404);
      assertRefused(await app.call('GET', schema.path, asAdmin), 404);
      assertRefused(await schema.records('notes').call('GET', ''), 404);
      assertRefused(await schema.records('notes').call('GET', `/${row._id}`), 404);
      assertRefused(await schema.records('notes').call('POST', '', { a: 'x' }), 404);
      assertRefused(await schema.put('notes', definition('notes', { a: text })), 404);
      assertRefused(await remove(path, 'confirm=destructive'), 404);
      const { found } = resultOf(await app.call('GET', `${projects}?perPage=1000`, asAdmin));
      assert.ok(!(found as { id: string }[]).some(({ id }) => id === schema.project));
    }
  });

  it('without records needs no confirmation', async () => {
    const schema = await Schema.make(app, definition('notes', { a: text }));
    resultOf(await remove(`${projects}/${schema.project}`));
  });

  it('brings nothing back under its name: records, users, keys and tokens of the old one are dead', async () => {
    const body = definition('notes', { a: text }, { api: { access: 'user' } });
    await app.project('phoenix', body);
    const people = new People(app, 'phoenix');
    const anna = await people.register('anna');
    const key = String(resultOf(await people.manage('POST', '/keys', { name: 'k' }), 201).key);
    const notes = '/v1/phoenix/notes';
    const mine = new Records(app, notes, { token: anna.accessToken });
    const row = await mine.create({ a: 'red' });
    assert.equal(await new Records(app, notes, { token: key }).total(), 1);
    const dead = [key, anna.accessToken];
    resultOf(await remove(`${projects}/phoenix`, 'confirm=destructive'));
    for (const token of dead) assertRefused(await app.call('GET', notes, { token }), 404);
    await app.project('phoenix', body);
    for (const restart of [false, true]) {
      if (restart) await app.reopen();
      for (const token of dead) {
        assertRefused(await app.call('GET', notes, { token }), 401);
        assertRefused(await app.call('POST', notes, { token, body: { a: 'x' } }), 401);
      }
      assertRefused(await people.auth('POST', 'refresh', { refreshToken: anna.refreshToken }), 401);
      assertRefused(await people.tryLogin('anna'), 401);
      assertRefused(await people.manage('GET', '/users', undefined, key), 401);
    }
    const admin = new Records(app, notes, { token: adminKey });
    assert.equal(await admin.total(), 0);
    assertRefused(await admin.call('GET', `/${row._id}`), 404);
    const again = await people.register('anna');
    assert.notEqual(again.user._id, anna.user._id);
    assert.equal(await new Records(app, notes, { token: again.accessToken }).total(), 0);
  });

  it('that is deleted while it is asked gives no 5xx, and its successor is empty and lasts', async () => {
    for (let round = 0; round < 5; round++) {
      await app.project('busy', definition('notes', { a: text }));
      const notes = new Records(app, '/v1/busy/notes', asAdmin);
      await notes.create({ a: 'old' });
      let asking = true;
      const statuses = new Set<number>();
      const ask = async (verb: string) => {
        while (asking) {
          const reply = await notes.call(verb, '', verb === 'POST' ? { a: 'old' } : undefined);
          statuses.add(reply.status);
          await new Promise((resolve) => setImmediate(resolve));
        }
      };
      const asked = [ask('GET'), ask('POST'), ask('GET')];
      await new Promise((resolve) => setTimeout(resolve, 20));
      resultOf(await remove(`${projects}/busy`, 'confirm=destructive'));
      const made = await make(projects, { id: 'busy' });
      asking = false;
      await Promise.all(asked);
      resultOf(made, 201);
      assert.deepEqual(
        [...statuses].filter((status) => ![200, 201, 404].includes(status)),
        [],
      );
      resultOf(await make(`${projects}/busy/collections`, definition('notes', { a: text })), 201);
      assert.equal(await notes.total(), 0);
      const kept = await notes.create({ a: 'new' });
      await app.reopen();
      assert.deepEqual(
        (await notes.list()).found.map(({ _id }) => _id),
        [kept._id],
      );
      resultOf(await remove(`${projects}/busy`, 'confirm=destructive'));
    }
    assert.deepEqual(app.errors, []);
  });
});

describe('lists of management', () => {
  it('are paged like View All', async () => {
    const schema = await Schema.make(app, ...['a', 'b', 'c'].map((id) => definition(id, {})));
    for (const path of [projects, schema.path]) {
      const all = resultOf(await app.call('GET', `${path}?perPage=1000`, asAdmin));
      const pages: unknown[] = [];
      const total = Number(all.total);
      for (let page = 1; page <= total; page++) {
        const part = resultOf(await app.call('GET', `${path}?perPage=1&page=${page}`, asAdmin));
        assert.deepEqual({ ...part, found: 0 }, { page, perPage: 1, total, totalPages: total, found: 0 });
        pages.push(...(part.found as unknown[]));
      }
      assert.deepEqual(pages, all.found);
      const past = resultOf(await app.call('GET', `${path}?page=1000`, asAdmin));
      assert.deepEqual(past.found, []);
      for (const query of ['perPage=1001', 'page=0', 'page=x', 'sort=id']) {
        assertRefused(await app.call('GET', `${path}?${query}`, asAdmin), 400);
      }
    }
  });
});

describe('a user', () => {
  it('who is made again with the same address owns nothing of the old one, whose tokens are dead', async () => {
    const schema = await Schema.make(app, definition('notes', { a: text }, { api: { access: 'user' } }));
    const people = new People(app, schema.project);
    const anna = await people.register('anna');
    const path = `/v1/${schema.project}/notes`;
    await new Records(app, path, { token: anna.accessToken }).create({ a: 'hers' });
    resultOf(await people.manage('DELETE', `/users/${anna.user._id}`));
    const again = await people.register('anna');
    const hers = new Records(app, path, { token: again.accessToken });
    assert.equal(await hers.total(), 0);
    assertRefused(await app.call('GET', path, { token: anna.accessToken }), 401);
    assertRefused(await people.auth('POST', 'refresh', { refreshToken: anna.refreshToken }), 401);
    await schema.change('notes', { a: text, b: text }, { api: { access: 'user' } });
    assert.equal(await hers.total(), 0);
    assert.equal(await schema.records('notes').total(), 1);
  });
});
