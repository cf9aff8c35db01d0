import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Engine } from '../../src/store/engine.ts';
import { People } from '../auth/people.ts';
import { adminKey, startApp, type TestApp } from '../harness.ts';
import { asAdmin, assertRefused, definition, resultOf, strangerId } from '../support.ts';

interface Made {
  readonly _id: string;
  readonly records: number;
  readonly bytes: number;
  readonly checksum: string;
  readonly [key: string]: unknown;
}

let app: TestApp;
let folder: string;
let people: People;
let beforeSaving = async () => {};

const watched = (engine: Engine): Engine => ({
  ...engine,
  async saveProject(...args) {
    await beforeSaving();
    await engine.saveProject(...args);
  },
});

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vitrine-backups-'));
  app = await startApp({ backupFolder: folder, wrap: watched });
  await app.project(
    'shop',
    definition('brands', { name: { type: 'text' } }),
    definition('items', {
      title: { type: 'text', unique: true },
      brand: { type: 'relation', to: 'brands' },
      tags: { type: 'list', of: { type: 'text' } },
      body: { type: 'content' },
      note: { type: 'content', index: true },
    }),
  );
  people = new People(app, 'shop');
  const brand = resultOf(
    await app.call('POST', '/v1/shop/brands', { body: { name: 'Acme' }, ...asAdmin }),
    201,
  );
  for (const title of ['Lamp', 'Blanket']) {
    const body = {
      title,
      brand: String(brand._id),
      tags: ['new', title],
      body: `${title}'s body`,
      note: title,
    };
    resultOf(await app.call('POST', '/v1/shop/items', { body, ...asAdmin }), 201);
  }
});
after(async () => {
  await app.close();
  await rm(folder, { recursive: true, force: true });
});

const admin = (verb: string, path: string, body?: object) =>
  app.call(verb, `/v1/_admin${path}`, { ...asAdmin, ...(body && { body: body as never }) });
const make = async (project = 'shop') =>
  resultOf(await admin('POST', `/projects/${project}/backups`), 201) as unknown as Made;
const restore = (id: string, body: object) => admin('POST', `/backups/${id}/restore`, body);

/** Every record of a project, with all that a record has, and what is found by its fields. */
async function recordsOf(project: string): Promise<unknown> {
  const filters = ["body=Lamp's body", 'note=Lamp', 'title=Lamp', 'tags=Lamp', 'search=lamp', 'sort=-body'];
  const paths = ['brands?sort=_id', 'items?sort=_id', ...filters.map((filter) => `items?${filter}`)];
  const lists = paths.map(async (path) => {
    const { found } = resultOf(await app.call('GET', `/v1/${project}/${path}`, asAdmin));
    assert.notDeepEqual(found, [], path);
    return found;
  });
  return Promise.all(lists);
}

describe('A backup', () => {
  it('is made, listed, looked at and deleted', async () => {
    const made = await make();
    assert.deepEqual(Object.keys(made), [
      ...['_id', 'project', '_createdAt', 'status', 'bytes', 'records', 'checksum'],
    ]);
    assert.equal(made.status, 'done');
    assert.equal(made.project, 'shop');
    assert.equal(made.records, 3);
    const listed = resultOf(await admin('GET', '/backups?project=shop'));
    assert.deepEqual(listed, { page: 1, perPage: 25, total: 1, totalPages: 1, found: [made] });
    assert.deepEqual(resultOf(await admin('GET', '/backups?project=other')).found, []);
    assert.deepEqual(resultOf(await admin('GET', `/backups/${made._id}`)), made);
    assert.deepEqual(resultOf(await admin('DELETE', `/backups/${made._id}`)), { _id: made._id });
    const { found } = resultOf(await admin('GET', '/audit?project=shop&action=backup.delete'));
    assert.deepEqual(
      (found as { target: string }[]).map(({ target }) => target),
      [made._id],
    );
    assertRefused(await admin('GET', `/backups/${made._id}`), 404, made._id);
    assert.deepEqual(await readdir(join(folder, 'shop')), []);
  });

  it('is one private file with a manifest beside it, and the same as a download', async () => {
    const made = await make();
    const [file, beside] = ['db', 'json'].map((kind) => join(folder, 'shop', `${made._id}.${kind}`));
    for (const path of [file, beside]) assert.equal((await stat(String(path))).mode & 0o777, 0o600);
    const bytes = await readFile(String(file));
    assert.equal(bytes.length, made.bytes);
    assert.equal(createHash('sha256').update(bytes).digest('hex'), made.checksum);
    const manifest = JSON.parse(await readFile(String(beside), 'utf8'));
    assert.equal(manifest.counts['records of items'], 2);
    assert.equal(manifest.checksum, made.checksum);
    const path = `/v1/_admin/backups/${made._id}/file`;
    const { url } = resultOf(await admin('POST', '/ticket', { path }));
    for (const [address, token] of [
      [path, adminKey],
      [String(url), undefined],
    ] as const) {
      const reply = await app.fetch(
        new Request(`http://vitrine.test${address}`, {
          headers: token ? { authorization: `Bearer ${token}` } : {},
        }),
      );
      assert.equal(reply.status, 200);
      assert.equal(reply.headers.get('cache-control'), 'no-store');
      assert.deepEqual(Buffer.from(await reply.arrayBuffer()), bytes);
    }
    assert.equal((await app.call('GET', path)).status, 401);
    const audited = resultOf(await admin('GET', '/audit?project=shop&action=backup.download'));
    const targets = (audited.found as { target: string }[]).map(({ target }) => target);
    assert.deepEqual(targets, [made._id, made._id]);
  });

  it('whose file somebody removed says so, and nothing of it is restored', async () => {
    const { _id } = await make();
    await rm(join(folder, 'shop', `${_id}.db`));
    const path = `/backups/${_id}/file`;
    const refused = await admin('GET', path);
    assertRefused(refused, 404, _id, 'its file is not there any more');
    const { url } = resultOf(await admin('POST', '/ticket', { path: `/v1/_admin${path}` }));
    assertRefused(await app.call('GET', String(url)), 404, 'its file is not there any more');
    const { found } = resultOf(await admin('GET', '/audit?action=backup.download&perPage=2'));
    assert.deepEqual(
      (found as { outcome: string }[]).map(({ outcome }) => outcome),
      ['refused', 'refused'],
    );
    const restored = await restore(_id, { as: 'fileless' });
    assertRefused(restored, 404, 'its file is not there any more');
    assert.equal(restored.headers.get('retry-after'), null);
    assertRefused(await restore(_id, { as: 'shop', replace: true }), 404, 'its file is not there any more');
    assertRefused(await admin('GET', '/projects/fileless'), 404);
    assert.equal(resultOf(await admin('GET', `/backups/${_id}`)).restore, undefined);
    resultOf(await admin('DELETE', `/backups/${_id}`));
  });

  it('is of a project that is there', async () => {
    assertRefused(await admin('POST', '/projects/none/backups'), 404, 'none');
    assertRefused(await admin('GET', `/backups/${strangerId}`), 404);
    assertRefused(await admin('GET', `/backups/${strangerId}/file`), 404);
    assertRefused(await admin('DELETE', `/backups/${strangerId}`), 404);
    assertRefused(await restore(strangerId, { as: 'other' }), 404);
    assert.equal((await app.call('POST', '/v1/_admin/projects/shop/backups')).status, 401);
  });

  it('is made by one at a time: another one meanwhile is a 409', async () => {
    const { promise: othersAsked, resolve: goOn } = Promise.withResolvers<void>();
    let [saving, answered] = [0, 0];
    beforeSaving = () => {
      saving += 1;
      if (saving > 1) goOn();
      return othersAsked;
    };
    const ask = async () => {
      const { status } = await admin('POST', '/projects/shop/backups');
      answered += 1;
      if (answered === 2) goOn(); // not before: who asks after it is made gets another one
      return status;
    };
    const enough = setTimeout(goOn, 30_000); // of whoever waits in place of an answer
    const statuses = await Promise.all([ask(), ask(), ask()]);
    clearTimeout(enough);
    beforeSaving = async () => {};
    assert.deepEqual(statuses.sort(), [201, 409, 409]);
    await make();
  });

  it('stays when its project is deleted', async () => {
    await app.project('gone', definition('brands', { name: { type: 'text' } }), definition('items', {}));
    const made = await make('gone');
    resultOf(await admin('DELETE', '/projects/gone'));
    const back = resultOf(await restore(made._id, { as: 'gone' }), 201);
    assert.equal(back.id, 'gone');
  });
});

describe('A restore', () => {
  it('makes a project of another name with all that there was, and nobody is signed in', async () => {
    const ann = await people.register('ann');
    const made = await make();
    const project = resultOf(await restore(made._id, { as: 'copy' }), 201);
    assert.equal(project.id, 'copy');
    assert.deepEqual(await recordsOf('copy'), await recordsOf('shop'));
    const found = await app.call('GET', '/v1/copy/items?search=blank', asAdmin);
    assert.equal((resultOf(found).found as unknown[]).length, 1);
    const copied = new People(app, 'copy');
    assert.equal((await copied.auth('POST', 'refresh', { refreshToken: ann.refreshToken })).status, 401);
    assert.equal((await people.auth('POST', 'refresh', { refreshToken: ann.refreshToken })).status, 200);
    const again = await copied.auth('POST', 'login', {
      email: ann.user.email,
      password: 'correct horse battery',
    });
    assert.equal(again.status, 200, again.text);
    assertRefused(await restore(made._id, { as: 'copy' }), 409, 'copy', 'replace');
    assertRefused(await restore(made._id, { as: 'nobody', replace: true }), 404, 'nobody');
    assertRefused(await restore(made._id, { as: 'Not a name' }), 400, 'as');
    assertRefused(await restore(made._id, { as: 'x', more: 1 }), 400, 'more');
  });

  it('keeps its settings: who may register, and how long changes are kept', async () => {
    const settings = { auth: { registration: 'closed' }, changes: { days: 30 } };
    resultOf(await admin('POST', '/projects', { id: 'set', name: 'Set', ...settings }), 201);
    const settingsOf = async (id: string) => {
      const { auth, changes } = resultOf(await admin('GET', `/projects/${id}`));
      return { auth, changes };
    };
    const before = await settingsOf('set');
    assert.deepEqual(before.changes, { days: 30 });
    const made = await make('set');
    const restored = resultOf(await restore(made._id, { as: 'set-again' }), 201);
    assert.deepEqual(restored.changes, { days: 30 });
    assert.deepEqual(await settingsOf('set-again'), before);
    resultOf(await admin('PATCH', '/projects/set', { changes: { days: 3 } }));
    resultOf(await restore(made._id, { as: 'set', replace: true }), 201);
    assert.deepEqual(await settingsOf('set'), before);
  });

  it('in place of a project backs that up first, and keeps who was removed or disabled since', async () => {
    const [ben, cat, dan] = [
      await people.register('ben'),
      await people.register('cat'),
      await people.register('dan'),
    ];
    const keys = [];
    for (const name of ['stays', 'goes'])
      keys.push(resultOf(await admin('POST', '/projects/shop/keys', { name }), 201));
    const team = resultOf(await admin('POST', '/projects/shop/workspaces', { name: 'Team' }), 201);
    const members = `/projects/shop/workspaces/${team._id}/members`;
    resultOf(await admin('POST', members, { user: dan.user._id, role: 'owner' }), 201);
    resultOf(await admin('POST', members, { user: ben.user._id, role: 'member' }), 201);
    const before = await recordsOf('shop');
    const made = await make();
    resultOf(await admin('DELETE', `${members}/${ben.user._id}`));
    resultOf(await admin('PATCH', `/projects/shop/users/${cat.user._id}`, { disabled: true }));
    resultOf(await admin('DELETE', `/projects/shop/keys/${keys[1]?._id}`));
    resultOf(await admin('DELETE', `/projects/shop/users/${ben.user._id}`));
    resultOf(await app.call('POST', '/v1/shop/items', { body: { title: 'Later' }, ...asAdmin }), 201);
    const eve = await people.register('eve');

    const { next } = resultOf(await app.call('GET', '/v1/shop/items/_changes?after=now', asAdmin));
    const feed = (project: string) =>
      app.call('GET', `/v1/${project}/items/_changes?after=${encodeURIComponent(String(next))}`, asAdmin);
    assert.equal((await feed('shop')).status, 200);
    const known = resultOf(await admin('GET', '/backups?project=shop')).total as number;
    resultOf(await restore(made._id, { as: 'shop', replace: true }), 201);
    assert.equal(resultOf(await admin('GET', '/backups?project=shop')).total, known + 1);
    assert.deepEqual(await recordsOf('shop'), before);
    assert.equal((await feed('shop')).status, 410, 'positions of before are of no use any more');
    assert.equal((await admin('GET', `/projects/shop/users/${ben.user._id}`)).status, 404);
    assert.equal((await admin('GET', `/projects/shop/users/${eve.user._id}`)).status, 404);
    assert.equal(resultOf(await admin('GET', `/projects/shop/users/${cat.user._id}`)).disabled, true);
    assert.equal(resultOf(await admin('GET', `/projects/shop/users/${dan.user._id}`)).disabled, false);
    assert.equal((resultOf(await admin('GET', members)).found as unknown[]).length, 1);
    const use = (key: unknown) => app.call('GET', '/v1/shop/items', { token: String(key) });
    assert.equal((await use(keys[0]?.key)).status, 200);
    assert.equal((await use(keys[1]?.key)).status, 401);
    resultOf(await app.call('POST', '/v1/shop/items', { body: { title: 'Later' }, ...asAdmin }), 201);
  });

  it('of a file in which a bit is another is refused, and makes no project', async () => {
    const made = await make();
    const path = join(folder, 'shop', `${made._id}.db`);
    const bytes = await readFile(path);
    for (const place of [17, Math.floor(bytes.length / 2), bytes.length - 1]) {
      const flipped = Buffer.from(bytes);
      flipped[place] = (flipped[place] ?? 0) ^ 4;
      await writeFile(path, flipped);
      assertRefused(await restore(made._id, { as: 'flipped' }), 409, made._id, 'SHA-256');
    }
    assertRefused(await admin('GET', '/projects/flipped'), 404);
    const seen = resultOf(await admin('GET', `/backups/${made._id}`)).restore as Record<string, unknown>;
    assert.equal(seen.status, 'failed');
    await writeFile(path, bytes);
    resultOf(await restore(made._id, { as: 'flipped' }), 201);
    app.errors.length = 0;
  });
});
