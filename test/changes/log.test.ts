import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Catalog } from '../../src/catalog/catalog.ts';
import type { Project } from '../../src/catalog/project.ts';
import { requireCollection } from '../../src/catalog/require-collection.ts';
import { Failure } from '../../src/failure.ts';
import type { ChangesAnswer, ChangesPlan, LogPosition } from '../../src/store/changes.ts';
import type { InsertPlan } from '../../src/store/write-plans.ts';
import { startStorage } from '../storage.ts';

/** The log as the store has it, without anybody's scope: what webhooks read. */

const all = { kind: 'all' } as const;
const notes = { id: 'notes', fields: { text: { type: 'text' } }, api: { access: 'public' } };
const parts = {
  id: 'parts',
  fields: { of: { type: 'relation', to: 'notes', onDelete: 'cascade' } },
  api: { access: 'public' },
};

async function withCatalog(work: (catalog: Catalog) => Promise<void>): Promise<void> {
  const storage = await startStorage();
  const catalog = new Catalog(storage.open(), Date.now);
  try {
    await catalog.createProject('p', 'p');
    await catalog.createCollection('p', notes);
    await catalog.createCollection('p', parts);
    await work(catalog);
  } finally {
    await catalog.close();
    await storage.remove();
  }
}

function planOf({ schema }: Project, after: ChangesPlan['after'], limit = 1_000): ChangesPlan {
  const collections = [...schema.collections.values()].map(({ ref }) => ({ ref, scope: all, extra: [] }));
  return {
    version: schema.version,
    after,
    collections,
    names: undefined,
    limit,
    authorities: [],
    now: Date.now(),
  };
}

const read = (catalog: Catalog, after: ChangesPlan['after'], limit?: number): Promise<ChangesAnswer> =>
  catalog.use('p', (project) => project.store.log.read(planOf(project, after, limit)), 'fresh');

const told = ({ changes }: ChangesAnswer) =>
  changes.map((one) => (one.kind === 'refetch' ? `refetch ${one.name}` : `${one.kind} ${one.id}`));

let last = 0;
const newId = () => `0190a000-0000-7000-8000-${String(++last).padStart(12, '0')}`;

function insertPlan(project: Project, collection: string, values: InsertPlan['values']): InsertPlan {
  const { ref } = requireCollection(project, collection);
  const references = Object.entries(values).flatMap(([field, id]) =>
    field === 'of' && typeof id === 'string' ? [{ field, ids: [id], scope: all }] : [],
  );
  return { collection: ref, id: newId(), at: Date.now(), values, binding: {}, references };
}

async function insert(catalog: Catalog, collection: string, values: InsertPlan['values']): Promise<string> {
  return catalog.use('p', async (project) => {
    const plan = insertPlan(project, collection, values);
    await project.store.insert(plan);
    return plan.id;
  });
}

const remove = (catalog: Catalog, collection: string, id: string) =>
  catalog.use('p', (project) => {
    const { ref } = requireCollection(project, collection);
    return project.store.delete({ collection: ref, id, scope: all, at: Date.now() });
  });

test('every change has a position, in the order of commits, and a record comes once', async () => {
  await withCatalog(async (catalog) => {
    const start = await catalog.use('p', ({ store }) => store.log.newest());
    const one = await insert(catalog, 'notes', { text: 'a' });
    const two = await insert(catalog, 'notes', { text: 'b' });
    await catalog.use('p', (project) =>
      project.store.update({
        ...insertPlan(project, 'notes', { text: 'c' }),
        id: one,
        scope: all,
      }),
    );
    const page = await read(catalog, start);
    assert.deepEqual(told(page), [`create ${two}`, `update ${one}`]);
    assert.ok(page.upToDate);
    const first = await read(catalog, start, 1);
    assert.deepEqual(told(first), []); // the creation of what was changed since
    assert.ok(!first.upToDate);
    await remove(catalog, 'notes', one);
    assert.deepEqual(told(await read(catalog, page.next)), [`delete ${one}`]);
    assert.deepEqual(told(await read(catalog, first.next)), [`create ${two}`, `delete ${one}`]);
  });
});

test('a cascade is in the log, a batch that is refused is not', async () => {
  await withCatalog(async (catalog) => {
    const one = await insert(catalog, 'notes', { text: 'a' });
    const two = await insert(catalog, 'parts', { of: one });
    const start = await catalog.use('p', ({ store }) => store.log.newest());
    const refused = catalog.use('p', (project) =>
      project.store.batch({
        steps: [
          { kind: 'insert', place: 'create[0]', plan: insertPlan(project, 'notes', { text: 'x' }) },
          { kind: 'insert', place: 'create[1]', plan: insertPlan(project, 'parts', { of: newId() }) },
        ],
      }),
    );
    await assert.rejects(refused, Failure);
    await remove(catalog, 'notes', one);
    assert.deepEqual(told(await read(catalog, start)).sort(), [`delete ${one}`, `delete ${two}`].sort());
  });
});

test('another definition, another name and a deletion are told by refetch', async () => {
  await withCatalog(async (catalog) => {
    const start = await catalog.use('p', ({ store }) => store.log.newest());
    await insert(catalog, 'notes', { text: 'a' });
    const change = (id: string, definition: Parameters<Catalog['changeCollection']>[2]) =>
      catalog.changeCollection('p', id, definition, { dryRun: false, confirmed: true, progress() {} });
    await change('notes', { ...notes, fields: { text: { type: 'text' }, more: { type: 'number' } } });
    assert.deepEqual(told(await read(catalog, start)), ['refetch notes']); // and nothing of the tables before
    const { next } = await read(catalog, start);
    await change('parts', { ...parts, name: 'Parts' });
    assert.deepEqual(told(await read(catalog, next)), []);
    await change('parts', { ...parts, api: { access: 'user' } });
    assert.deepEqual(told(await read(catalog, next)), ['refetch parts']);
    await change('parts', { ...parts, id: 'pieces', api: { access: 'user' } });
    await catalog.deleteCollection('p', 'pieces', true);
    const page = await read(catalog, next);
    assert.deepEqual(told(page), ['refetch parts', 'refetch parts', 'refetch pieces', 'refetch pieces']);
    const levels = page.changes.map((one) => (one.kind === 'refetch' ? one.level : ''));
    assert.deepEqual(levels, ['public', 'user', undefined, 'user']);
  });
});

test('one operation on over 10,000 records is told by refetch', async () => {
  await withCatalog(async (catalog) => {
    const start = await catalog.use('p', ({ store }) => store.log.newest());
    const many = (count: number) =>
      catalog.use('p', async (project) => {
        const plans = Array.from({ length: count }, () => insertPlan(project, 'notes', { text: 'x' }));
        const steps = plans.map((plan, at) => ({ kind: 'insert', place: `create[${at}]`, plan }) as const);
        await project.store.batch({ steps });
      });
    await many(10_001);
    const page = await read(catalog, start);
    assert.deepEqual(told(page), ['refetch notes']);
    await Promise.all([many(100), many(200)]);
    assert.equal((await read(catalog, page.next)).changes.length, 300);
  });
});

test('what is older than the retention goes but the newest, whose mark stays', async () => {
  await withCatalog(async (catalog) => {
    const start = await catalog.use('p', ({ store }) => store.log.newest());
    for (let count = 0; count < 5; count++) await insert(catalog, 'notes', { text: 'x' });
    const { next } = await read(catalog, start);
    await catalog.use('p', ({ store }) => store.log.forget(Date.now() + 1_000));
    assert.deepEqual(told(await read(catalog, next)), []);
    await assert.rejects(read(catalog, start), { kind: 'gone' });
    await assert.rejects(read(catalog, { ...next, mark: next.mark + 1 }), { kind: 'gone' });
    const one = await insert(catalog, 'notes', { text: 'y' });
    assert.deepEqual(told(await read(catalog, next)), [`create ${one}`]);
    assert.deepEqual(told(await read(catalog, 'oldest')), [`create ${one}`]);
  });
});

test('whoever watches is told of commits, and the entries say whom they concern', async () => {
  await withCatalog(async (catalog) => {
    let start: LogPosition = { pos: 0, mark: 0 };
    const { promise, resolve } = Promise.withResolvers<void>();
    const end = await catalog.use('p', async ({ store }) => {
      start = await store.log.newest();
      return store.log.watch(resolve);
    });
    await insert(catalog, 'notes', { text: 'a' });
    await promise;
    end();
    const { entries } = await catalog.use('p', ({ store }) => store.log.entries(start));
    assert.equal(entries.length, 1);
    assert.deepEqual(entries[0]?.owners, []);
  });
});
