import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { Catalog } from '../src/catalog/catalog.ts';
import { Failure } from '../src/failure.ts';
import type { JsonObject } from '../src/model/json.ts';
import type { Engine } from '../src/store/engine.ts';
import { startApp, type TestApp } from './harness.ts';
import { type NamedStorage, startStorage, testEngine } from './storage.ts';
import { asAdmin, definition, makeProject, pause, Records, resultOf } from './support.ts';

const text = { type: 'text' };

let storage: NamedStorage;
let folder = '';
/** Where projects end. */
let a: TestApp;
/** Where they are used meanwhile. */
let b: TestApp;

/** What happens when this node is about to open a project or to delete it, or has counted its records. */
const hooks: {
  opening?: (() => Promise<unknown>) | undefined;
  counted?: (() => Promise<unknown>) | undefined;
  deleting?: (() => Promise<unknown>) | undefined;
} = {};
const once = async (name: keyof typeof hooks) => {
  const hook = hooks[name];
  hooks[name] = undefined;
  await hook?.();
};
const wrap = (engine: Engine): Engine => ({
  ...engine,
  async deleteProject(...args) {
    await once('deleting');
    return engine.deleteProject(...args);
  },
  async openProject(id) {
    await once('opening');
    const store = await engine.openProject(id);
    return {
      ...store,
      async countRecords(...args) {
        const count = await store.countRecords(...args);
        await once('counted');
        return count;
      },
    };
  },
});

before(async () => {
  storage = await startStorage();
  folder = await mkdtemp(join(tmpdir(), 'vitrine-ends-'));
  a = await startApp({ storage, backupFolder: folder });
  b = await startApp({ storage, backupFolder: folder, wrap });
});
after(async () => {
  await a.close();
  await b.close();
  await storage.remove();
  await rm(folder, { recursive: true, force: true });
});

const adminOf = (path: string) => path.replace('/v1/', '/v1/_admin/projects/');
const things = definition('things', { key: text });
const parts = (more: JsonObject = {}) => {
  const of = { type: 'relation', to: 'things', onDelete: 'cascade' };
  return definition('parts', { of, key: text, ...more });
};

describe('a project that another node deletes', () => {
  it('is not there for one that was just about to open it, and leaves nothing behind', async () => {
    const path = await makeProject(a, things);
    hooks.opening = async () =>
      resultOf(await a.call('DELETE', `${adminOf(path)}?confirm=destructive`, asAdmin));
    const statuses: number[] = [];
    for (const [verb, rest, body] of [
      ['GET', `${adminOf(path)}/collections`],
      ['GET', `${path}/things`],
      ['POST', `${adminOf(path)}/keys`, { name: 'k' }],
      ['POST', `${adminOf(path)}/collections`, things],
    ] as const) {
      statuses.push((await b.call(verb, rest, { ...asAdmin, ...(body && { body }) })).status);
    }
    assert.deepEqual(statuses, [404, 404, 404, 404]);
    resultOf(await a.call('POST', '/v1/_admin/projects', { ...asAdmin, body: { id: path.slice(4) } }), 201);
    if (testEngine === 'postgres') return;
    const files = await readdir(join(String(storage.flags[1]), 'projects'));
    assert.deepEqual(
      files.filter((name) => name.includes('orphan')),
      [],
    );
  });
});

describe('a deletion that was not confirmed', () => {
  const create = (path: string) => new Records(a, `${path}/things`, asAdmin).create({ key: 'kept' });

  it('of a project does not take a record along that was created after its records were counted', async () => {
    const path = await makeProject(a, things);
    hooks.counted = () => create(path);
    const reply = await b.call('DELETE', adminOf(path), asAdmin);
    assert.equal(reply.status, 409, reply.text);
    assert.match(reply.text, /its record/);
    await create(path);
    assert.equal(await new Records(b, `${path}/things`, asAdmin).total(), 2);
  });

  for (const [what, of] of [
    ['a collection', (path: string) => `${adminOf(path)}/collections/things`],
    ['a project', adminOf],
  ] as const) {
    it(`of ${what} that is empty deletes it`, async () => {
      const path = await makeProject(a, things);
      resultOf(await b.call('DELETE', of(path), asAdmin));
      assert.equal((await a.call('GET', `${path}/things`, asAdmin)).status, 404);
    });

    it(`of ${what} beside creations: either all that were acknowledged are there, or none was`, async () => {
      for (let round = 0; round < 5; round++) {
        const path = await makeProject(a, things);
        const creations = Array.from({ length: 6 }, async (_, at) => {
          for (let turn = 0; turn < at * round; turn++) await new Promise((resolve) => setImmediate(resolve));
          return a.call('POST', `${path}/things`, { ...asAdmin, body: { key: 'k' } });
        });
        const reply = await b.call('DELETE', of(path), asAdmin);
        const statuses = (await Promise.all(creations)).map(({ status }) => status);
        const made = statuses.filter((status) => status === 201).length;
        assert.deepEqual(
          statuses.filter((status) => status !== 201 && status !== 404),
          [],
        );
        if (reply.status === 200) assert.equal(made, 0);
        else {
          assert.equal(reply.status, 409, reply.text);
          assert.equal(await new Records(a, `${path}/things`, asAdmin).total(), made);
        }
      }
    });
  }
});

describe('a project that is being deleted', () => {
  const remove = (path: string) => b.call('DELETE', `${adminOf(path)}?confirm=destructive`, asAdmin);
  const use = (path: string) => [
    b.call('GET', `${path}/things`, asAdmin),
    b.call('POST', `${path}/things`, { ...asAdmin, body: { key: 'k' } }),
    b.call('GET', `${adminOf(path)}/collections`, asAdmin),
  ];

  /** What is answered to the deletion, to those who ask before it ends as `end` does, and to one who asks after it. */
  async function deleteMeanwhile(ask: (path: string) => ReturnType<TestApp['call']>[], end = () => {}) {
    const path = await makeProject(b, things);
    resultOf(await b.call('GET', `${path}/things`, asAdmin));
    let asked: ReturnType<TestApp['call']>[] = [];
    hooks.deleting = async () => {
      asked = ask(path);
      await pause(50);
      end();
    };
    const deleted = await remove(path);
    const after = await b.call('GET', `${path}/things`, asAdmin);
    const meanwhile = await Promise.all(asked);
    return { deleted, statuses: [...meanwhile, after].map(({ status }) => status) };
  }
  const fail = () => {
    throw new Failure('unavailable', 'The disk is broken', { retryAfter: 5 });
  };

  it('is not there for those who ask meanwhile', async () => {
    const { deleted, statuses } = await deleteMeanwhile(use);
    resultOf(deleted);
    assert.deepEqual(statuses, [404, 404, 404, 404]);
  });

  it('is there for them where the deletion fails', async () => {
    const { deleted, statuses } = await deleteMeanwhile(use, fail);
    assert.deepEqual([deleted.status, deleted.headers.get('retry-after')], [503, '5'], deleted.text);
    assert.deepEqual(statuses, [200, 201, 200, 200]);
  });

  it('is deleted once by two, and by the second where the first fails', async () => {
    const twice = (path: string) => [remove(path), remove(path)];
    const { deleted, statuses } = await deleteMeanwhile(twice);
    assert.deepEqual([deleted.status, ...statuses], [200, 404, 404, 404]);
    const { deleted: failed, statuses: others } = await deleteMeanwhile(twice, fail);
    assert.equal(failed.status, 503);
    assert.deepEqual(others.slice(0, 2).sort(), [200, 404]);
  });
});

it('a deletion does not wait for somebody who uses the project and asks for it once more', async () => {
  const catalog = new Catalog(storage.open(), Date.now);
  await catalog.createProject('again', 'again');
  const began = performance.now();
  let deletion: Promise<void> | undefined;
  const used = catalog.useAccounts('again', async () => {
    deletion = catalog.deleteProject('again', true);
    await pause(20);
    return catalog.use('again', () => 'used', 'fresh');
  });
  await assert.rejects(used, { kind: 'absent' });
  await deletion;
  const took = performance.now() - began;
  assert.ok(took < 4_000, `${took} ms, though it waits for five seconds where somebody uses it that long`);
  await assert.rejects(
    catalog.use('again', () => 'used'),
    { kind: 'absent' },
  );
  await catalog.close();
});

describe('work in steps beside the end of its project', () => {
  const expected = new Set([200, 201, 404, 409, 503]);
  const batch = { create: Array.from({ length: 1_000 }, () => ({ key: 'x'.repeat(500) })) };

  /** Works until it is told that the project has ended; what was answered that should not be. */
  async function work(path: string, target: string, kind: string, isOver: () => boolean): Promise<string[]> {
    const told: string[] = [];
    for (let count = 0; !isOver(); count++) {
      const [verb, rest, body] =
        kind === 'a change'
          ? ['PUT', `${adminOf(path)}/collections/parts?confirm=destructive`, parts({ [`f${count}`]: text })]
          : kind === 'a large deletion'
            ? ['DELETE', `${path}/things/${target}`]
            : ['POST', `${path}/things/batch`, batch];
      const reply = await b.call(String(verb), String(rest), {
        ...asAdmin,
        ...(body && { body: body as JsonObject }),
      });
      if (!expected.has(reply.status)) told.push(`${reply.status} ${b.logged.at(-1)?.error}`);
      await pause(1);
    }
    return told;
  }

  for (const kind of ['a change', 'a large deletion', 'a batch']) {
    for (const end of ['deleted', 'replaced']) {
      it(`${kind}, and the project is ${end}: nobody is told that something is broken`, async () => {
        for (let round = 0; round < (testEngine === 'postgres' ? 1 : 2); round++) {
          const path = await makeProject(a, things, parts());
          const { _id: target } = await new Records(a, `${path}/things`, asAdmin).create({ key: 'x' });
          const create = Array.from({ length: 1_000 }, () => ({ of: target, key: 'part' }));
          for (let part = 0; part < 2; part++)
            resultOf(await new Records(a, `${path}/parts`, asAdmin).call('POST', '/batch', { create }));
          const backup =
            end === 'replaced'
              ? resultOf(await a.call('POST', `${adminOf(path)}/backups`, asAdmin), 201)
              : undefined;
          await b.call('GET', `${path}/things`, asAdmin);
          let over = false;
          const working = work(path, target, kind, () => over);
          await pause(10 + 20 * round);
          const body = { as: path.slice(4), replace: true };
          const reply = backup
            ? await a.call('POST', `/v1/_admin/backups/${backup._id}/restore`, { ...asAdmin, body })
            : await a.call('DELETE', `${adminOf(path)}?confirm=destructive`, asAdmin);
          over = true;
          assert.deepEqual(await working, []);
          assert.ok(reply.status < 300, reply.text);
        }
      });
    }
  }
});
