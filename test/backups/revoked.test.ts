import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { hashPassword } from '../../src/access/password.ts';
import type { JsonObject } from '../../src/model/json.ts';
import type { Engine } from '../../src/store/engine.ts';
import { adminKey, startApp, type TestApp } from '../harness.ts';
import { startStorage } from '../storage.ts';
import { asAdmin, assertRefused, Records, resultOf } from '../support.ts';

const email = 'root@example.com';
const password = 'a good password';

let app: TestApp;
let token = '';
/** The step of a request before which its sender is signed out. */
let revokedBefore: 'findProject' | 'listRuns' | 'loadProject' | undefined;
const reach = async (step: typeof revokedBefore) => {
  if (step !== revokedBefore) return;
  revokedBefore = undefined;
  resultOf(await app.call('POST', '/v1/_admin/logout', { token }));
};

const wrap = (engine: Engine): Engine => ({
  ...engine,
  async findProject(id) {
    await reach('findProject');
    return engine.findProject(id);
  },
  async loadProject(...args) {
    await reach('loadProject');
    return engine.loadProject(...args);
  },
  backupRuns: {
    ...engine.backupRuns,
    async list() {
      await reach('listRuns');
      return engine.backupRuns.list();
    },
  },
});

describe('an administrator who is signed out in the middle of a request', () => {
  const storage = startStorage();
  let backup = '';
  const call = async (verb: string, path: string, body?: JsonObject, sender = adminKey) =>
    app.call(verb, `/v1/_admin${path}`, { token: sender, ...(body && { body }) });
  const titles = async (project: string) => {
    const { found } = await new Records(app, `/v1/${project}/products`, asAdmin).list();
    return found.map(({ title }) => title);
  };
  /** The request is refused; the same with another sign-in is not. */
  async function isRefused(step: typeof revokedBefore, verb: string, path: string, body?: JsonObject) {
    const login = await app.call('POST', '/v1/_admin/login', { body: { email, password } });
    token = String(resultOf(login).accessToken);
    revokedBefore = step;
    assertRefused(await call(verb, path, body, token), 401, 'not valid');
    assert.equal(revokedBefore, undefined, 'the step was reached');
  }

  before(async () => {
    const engine = (await storage).open();
    await engine.administrators.save(email, await hashPassword(password));
    await engine.close();
    app = await startApp({ storage: await storage, wrap });
    await app.project('shop', { id: 'products', fields: { title: { type: 'text' } } });
    await new Records(app, '/v1/shop/products', asAdmin).create({ title: 'old' });
    backup = String(resultOf(await call('POST', '/projects/shop/backups'), 201)._id);
    await new Records(app, '/v1/shop/products', asAdmin).create({ title: 'new' });
  });
  after(async () => {
    await app.close();
    await (await storage).remove();
  });

  it('makes no backup', async () => {
    await isRefused('findProject', 'POST', '/projects/shop/backups');
    assert.equal(resultOf(await call('GET', '/backups')).total, 1);
  });

  it('restores nothing, however far it is', async () => {
    for (const step of ['findProject', 'loadProject'] as const) {
      await isRefused(step, 'POST', `/backups/${backup}/restore`, { as: 'again' });
      await isRefused(step, 'POST', `/backups/${backup}/restore`, { as: 'shop', replace: true });
    }
    assertRefused(await call('GET', '/projects/again'), 404);
    assert.deepEqual((await titles('shop')).toSorted(), ['new', 'old']);
    resultOf(await call('POST', `/backups/${backup}/restore`, { as: 'again' }), 201);
    assert.deepEqual(await titles('again'), ['old']);
  });

  it('deletes none', async () => {
    await isRefused('listRuns', 'DELETE', `/backups/${backup}`);
    assert.equal(resultOf(await call('GET', `/backups/${backup}`)).status, 'done');
    resultOf(await call('DELETE', `/backups/${backup}`));
  });
});
