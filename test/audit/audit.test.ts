import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { hashPassword } from '../../src/access/password.ts';
import { auditRetention } from '../../src/audit/retention.ts';
import type { Engine } from '../../src/store/engine.ts';
import { type CallOptions, startApp, type TestApp } from '../harness.ts';
import { type NamedStorage, startStorage } from '../storage.ts';
import { asAdmin, assertRefused, resultOf } from '../support.ts';

const email = 'root@example.com';
const password = 'a good password';
const day = 24 * 60 * 60_000;

interface Entry {
  readonly _id: string;
  readonly at: string;
  readonly actor: string | null;
  readonly action: string;
  readonly project: string | null;
  readonly target: string | null;
  readonly address: string | null;
  readonly outcome: string;
  readonly requestId: string;
}

let now = Date.UTC(2026, 0, 1);
let storage: NamedStorage;
let engine: Engine;
let app: TestApp;

before(async () => {
  storage = await startStorage();
  engine = storage.open();
  await engine.administrators.save(email, await hashPassword(password));
  app = await startApp({ storage, now: () => now });
  await app.project('shop', { id: 'products', fields: { title: { type: 'text' } } });
});
after(async () => {
  await app.close();
  await engine.close();
  await storage.remove();
});

const admin = (verb: string, path: string, options: CallOptions = {}) =>
  app.call(verb, `/v1/_admin${path}`, { ...asAdmin, ...options });

async function entries(query = ''): Promise<Entry[]> {
  return resultOf(await admin('GET', `/audit${query}`)).found as Entry[];
}

async function newest(): Promise<Entry> {
  const [entry] = await entries('?perPage=1');
  assert.ok(entry);
  return entry;
}

/** What an entry says, without ids and times. */
const told = ({ actor, action, project, target, outcome }: Entry) => [
  actor,
  action,
  project,
  target,
  outcome,
];

const signIn = (who: string, secret: string) =>
  app.call('POST', '/v1/_admin/login', { body: { email: who, password: secret } });

describe('the audit', () => {
  it('has what management did: by whom, to what, from where, and with what outcome', async () => {
    const token = String(resultOf(await signIn(email, password)).accessToken);
    const reply = await admin('POST', '/projects/shop/keys', {
      token,
      body: { name: 'ci' },
      peer: '10.1.2.3',
    });
    const { _id, key } = resultOf(reply, 201);
    const entry = await newest();
    assert.deepEqual(told(entry), [email, 'key.create', 'shop', _id, 'done']);
    assert.deepEqual(Object.keys(entry), [
      ...['_id', 'at', 'actor', 'action', 'project', 'target', 'address', 'outcome', 'requestId'],
    ]);
    assert.equal(entry.address, '10.1.2.3');
    assert.equal(entry.at, new Date(now).toISOString());
    assert.equal(reply.headers.get('x-request-id'), entry.requestId);
    await admin('DELETE', `/projects/shop/keys/${_id}`);
    assert.deepEqual(told(await newest()), ['VITRINE_ADMIN_KEY', 'key.delete', 'shop', _id, 'done']);
    assert.ok(!JSON.stringify(await entries()).includes(String(key)));
  });

  it('names what was made, and what was refused', async () => {
    resultOf(await admin('POST', '/projects', { body: { id: 'made' } }), 201);
    assert.deepEqual(told(await newest()), ['VITRINE_ADMIN_KEY', 'project.create', 'made', 'made', 'done']);
    assertRefused(await admin('POST', '/projects', { body: { id: 'made' } }), 409);
    assert.deepEqual(told(await newest()), ['VITRINE_ADMIN_KEY', 'project.create', null, null, 'refused']);
    resultOf(await admin('DELETE', '/projects/made'));
    assert.deepEqual(told(await newest()).slice(1), ['project.delete', 'made', 'made', 'done']);
    assertRefused(await admin('DELETE', '/projects/shop/collections/none'), 404);
    assert.deepEqual(told(await newest()).slice(1), ['collection.delete', 'shop', 'none', 'refused']);
  });

  it('tells no server key, also where one is sent in place of its id', async () => {
    const { key } = resultOf(await admin('POST', '/projects/shop/keys', { body: { name: 'k' } }), 201);
    assertRefused(await admin('DELETE', `/projects/shop/keys/${key}`), 404);
    const entry = await newest();
    assert.deepEqual(told(entry).slice(1), ['key.delete', 'shop', 'vk_…', 'refused']);
    for (const path of [`${key}/keys/x`, `${key}`, `shop/keys/${key}%20`, `shop/keys/%0Ax${key}%0A`])
      assertRefused(await admin('DELETE', `/projects/${path}`), 404);
    assert.deepEqual(
      (await entries('?perPage=4')).map(({ project, target }) => [project, target]),
      [
        ['shop', '\nxvk_…\n'],
        ['shop', 'vk_… '],
        ['vk_…', 'vk_…'],
        ['vk_…', 'x'],
      ],
    );
    assert.ok(!JSON.stringify(await entries()).includes(String(key)));
  });

  it('has what server keys did to accounts, and nothing that only reads', async () => {
    const made = resultOf(await admin('POST', '/projects/shop/keys', { body: { name: 'back end' } }), 201);
    const token = String(made.key);
    const workspace = resultOf(
      await admin('POST', '/projects/shop/workspaces', { token, body: { name: 'Office' } }),
      201,
    );
    const by = `key:${made._id}`;
    assert.deepEqual(told(await newest()), [by, 'workspace.create', 'shop', workspace._id, 'done']);
    const { length } = await entries('?perPage=1000');
    await admin('GET', '/projects/shop/users', { token });
    await admin('GET', '/projects/shop/collections/products/stats');
    const definition = { id: 'products', fields: { name: { type: 'text' } } };
    resultOf(await admin('PUT', '/projects/shop/collections/products?dryRun=true', { body: definition }));
    const question = { caller: 'nobody', collection: 'products', method: 'viewAll' };
    resultOf(await admin('POST', '/projects/shop/explain', { body: question }));
    assert.equal((await entries('?perPage=1000')).length, length);
  });

  it('has nothing of those who may not manage', async () => {
    const { length } = await entries('?perPage=1000');
    for (const token of [undefined, 'va_stranger', 'vk_shop_stranger'])
      assertRefused(await app.call('POST', '/v1/_admin/projects', { token, body: { id: 'x' } }), 401);
    assert.equal((await entries('?perPage=1000')).length, length);
  });

  it("has sign-ins, failed ones too, with the typed address only if it is an administrator's", async () => {
    assertRefused(await signIn(email, 'a wrong password'), 401);
    assert.deepEqual(told(await newest()), [email, 'administrator.login', null, null, 'refused']);
    assertRefused(await signIn('my-password-by-mistake@example.com', 'whatever it is'), 401);
    assert.deepEqual(told(await newest()), [null, 'administrator.login', null, null, 'refused']);
    const { accessToken } = resultOf(await signIn(email, password));
    assert.deepEqual(told(await newest()), [email, 'administrator.login', null, null, 'done']);
    const all = JSON.stringify(await entries('?perPage=1000'));
    for (const secret of [password, 'a wrong password', 'by-mistake', String(accessToken)])
      assert.ok(!all.includes(secret));
  });

  it('takes no entry for sign-ins that the limit refuses', async () => {
    let refused = await signIn('flood@example.com', 'whatever it is');
    for (let count = 0; count < 11; count++) refused = await signIn('flood@example.com', 'whatever it is');
    assertRefused(refused, 429);
    const before = await entries('?perPage=1000');
    assertRefused(await signIn('flood@example.com', 'whatever it is'), 429);
    assert.deepEqual(await entries('?perPage=1000'), before);
  });

  it('says who made the ticket of a download, and that one was made', async () => {
    const token = String(resultOf(await signIn(email, password)).accessToken);
    const path = '/v1/shop/products/export?format=csv&title=secret';
    const { url } = resultOf(await admin('POST', '/ticket', { token, body: { path } }));
    assert.deepEqual(told(await newest()), [email, 'ticket.create', null, null, 'done']);
    assert.equal((await app.call('GET', String(url))).status, 200);
    assertRefused(await app.call('GET', String(url)), 401);
  });

  it('is filtered, and read by pages or by cursor, the newest first', async () => {
    const all = await entries('?perPage=1000');
    const ids = all.map(({ _id }) => _id);
    assert.deepEqual(ids, [...ids].sort().reverse());
    for (const [name, value] of [
      ['project', 'shop'],
      ['actor', email],
      ['action', 'key.create'],
    ] as const) {
      const expected = all.filter((entry) => entry[name] === value);
      assert.ok(expected.length > 0);
      assert.deepEqual(await entries(`?perPage=1000&${name}=${value}`), expected);
    }
    const page = resultOf(await admin('GET', '/audit?page=2&perPage=3'));
    assert.deepEqual([page.page, page.perPage, page.total], [2, 3, all.length]);
    assert.deepEqual(page.found, all.slice(3, 6));
    const walked: unknown[] = [];
    for (let next: unknown = ''; next !== null; ) {
      const part = resultOf(await admin('GET', `/audit?perPage=4&after=${next}`));
      assert.deepEqual(Object.keys(part), ['perPage', 'next', 'found']);
      walked.push(...(part.found as Entry[]));
      next = part.next;
    }
    assert.deepEqual(walked, all);
    assertRefused(await admin('GET', '/audit?after=x'), 400, 'after');
    assertRefused(await admin('GET', '/audit?after=&page=2'), 400, 'after');
    assertRefused(await admin('GET', '/audit?user=x'), 400, 'user');
    assertRefused(await app.call('GET', '/v1/_admin/audit'), 401);
  });

  it('goes on where the outcome can not be written, and does nothing where the entry can not', async () => {
    const failing = await startApp({
      storage,
      now: () => now,
      wrap: (inner) => ({
        ...inner,
        audit: {
          ...inner.audit,
          begin: async (entry) =>
            entry.action === 'project.create' ? Promise.reject(new Error('disk')) : inner.audit.begin(entry),
          finish: async () => Promise.reject(new Error('disk')),
        },
      }),
    });
    assert.equal(
      (await failing.call('POST', '/v1/_admin/projects', { ...asAdmin, body: { id: 'no' } })).status,
      500,
    );
    const path = '/v1/_admin/projects/shop/workspaces';
    const made = resultOf(await failing.call('POST', path, { ...asAdmin, body: { name: 'W' } }), 201);
    assert.ok(made._id);
    assert.equal(failing.errors.length, 2);
    await failing.close();
    assert.deepEqual(told(await newest()), [
      'VITRINE_ADMIN_KEY',
      'workspace.create',
      'shop',
      null,
      'unknown',
    ]);
    assertRefused(await admin('GET', '/projects/no'), 404);
  });

  it('is kept for 90 days, and of what strangers cause so much', async () => {
    now += 89 * day;
    const job = auditRetention(engine.audit, () => now);
    const all = await entries('?perPage=1000');
    resultOf(await admin('POST', '/projects/shop/workspaces', { body: { name: 'Later' } }), 201);
    await job.run(new AbortController().signal);
    assert.equal((await entries('?perPage=1000')).length, all.length + 1);
    const nameless = all.filter(({ actor }) => actor === null);
    await engine.audit.prune(0, 2);
    const left = await entries('?perPage=1000');
    assert.deepEqual(
      left.filter(({ actor }) => actor === null),
      nameless.slice(0, 2),
    );
    now += 2 * day;
    await job.run(new AbortController().signal);
    assert.deepEqual(
      (await entries()).map(({ action }) => action),
      ['workspace.create'],
    );
  });
});
