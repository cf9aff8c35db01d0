import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { digest } from '../../src/access/secret.ts';
import type { JsonObject } from '../../src/model/json.ts';
import { startWriterThread } from '../../src/runtime/writers.ts';
import { adminKey, type Reply, startApp, type TestApp } from '../harness.ts';
import { type Storage, sqliteStorage, startStorage, testEngine } from '../storage.ts';
import { pause, resultOf } from '../support.ts';

const email = 'root@example.com';
const passwordHash = 'stands for the hash of a password';
const rounds = 5;

let storage: Storage;
/** Two nodes over the same data: a sign-in is ended at another one than its writes go to. */
let app: TestApp;
let other: TestApp;
before(async () => {
  // A commit takes 20 ms: all that can happen between the check of a sign-in and the end of its transaction does.
  const driver = new URL('../durability/slow-driver.ts', import.meta.url);
  const failed = (error: unknown) => assert.fail(String(error));
  let thread: ReturnType<typeof startWriterThread> | undefined;
  const writers = () => {
    thread ??= startWriterThread({ driver, failed });
    return thread;
  };
  storage = testEngine === 'postgres' ? await startStorage() : await sqliteStorage(writers);
  [app, other] = [await startApp({ storage }), await startApp({ storage })];
  await app.project(
    'shop',
    { id: 'items', fields: { by: { type: 'text', index: true }, n: { type: 'number' } } },
    { id: 'drafts', fields: { title: { type: 'text' } } },
  );
  await app.catalog().administrators.save(email, passwordHash);
});
after(async () => {
  await other.close();
  await app.close();
  await storage.remove();
});

let signIns = 0;

async function signIn(): Promise<string> {
  signIns += 1;
  const token = `va_${String(signIns).padStart(43, '0')}`;
  const session = { digest: digest(token), email, ends: Date.now() + 3_600_000, passwordHash };
  assert.ok(await app.catalog().administrators.openSession(session, Date.now()));
  return token;
}

interface Kind {
  write(token: string, name: string): Promise<Reply>;
  /** What shows that writes under such a name were done. */
  done(name: string): Promise<unknown>;
}

const admin = '/v1/_admin';
const shop = `${admin}/projects/shop`;
const post = (token: string, path: string, body: JsonObject) => app.call('POST', path, { token, body });
const found = async (path: string) => resultOf(await app.call('GET', path, { token: adminKey })).found;
const named = async (path: string, key: string, name: string) =>
  ((await found(`${path}?perPage=1000`)) as Record<string, unknown>[])
    .map((one) => String(one[key]))
    .filter((one) => one.startsWith(name));
const item = (name: string) => ({ by: name });
const itemsOf = (name: string) => found(`/v1/shop/items?by=${name}&perPage=1000`);
let limits = 1_000;
/** Another one each time. */
const definition = () => ({ id: 'drafts', fields: { title: { type: 'text', maxLength: ++limits } } });

const kinds: Readonly<Record<string, Kind>> = {
  Create: { write: (token, name) => post(token, '/v1/shop/items', item(name)), done: itemsOf },
  batch: {
    write: (token, name) => post(token, '/v1/shop/items/batch', { create: [item(name), item(name)] }),
    done: itemsOf,
  },
  'batch of several collections': {
    write: (token, name) =>
      post(token, '/v1/shop/_batch', {
        operations: [
          { method: 'create', collection: 'items', data: item(name) },
          { method: 'create', collection: 'drafts', data: { title: name } },
        ],
      }),
    done: itemsOf,
  },
  'a key': {
    write: (token, name) => post(token, `${shop}/keys`, { name }),
    done: (name) => named(`${shop}/keys`, 'name', name),
  },
  'a workspace': {
    write: (token, name) => post(token, `${shop}/workspaces`, { name }),
    done: (name) => named(`${shop}/workspaces`, 'name', name),
  },
  'a webhook': {
    write: (token, name) => post(token, `${shop}/webhooks`, { name, url: 'https://example.com/hook' }),
    done: (name) => named(`${shop}/webhooks`, 'name', name),
  },
  'a collection': {
    write: (token, name) => post(token, `${shop}/collections`, { id: name, fields: { a: { type: 'text' } } }),
    done: (name) => named(`${shop}/collections`, 'id', name),
  },
  'a definition': {
    write: (token) => app.call('PUT', `${shop}/collections/drafts`, { token, body: definition() }),
    done: async () => resultOf(await app.call('GET', `${shop}/collections/drafts`, { token: adminKey })),
  },
  'a project': {
    write: (token, name) => post(token, `${admin}/projects`, { id: name }),
    done: (name) => named(`${admin}/projects`, 'id', name),
  },
  "a project's name": {
    write: (token, name) => app.call('PATCH', shop, { token, body: { name } }),
    done: async () => resultOf(await app.call('GET', shop, { token: adminKey })).name,
  },
};

describe('a sign-in of an administrator that is ended', () => {
  for (const [what, { write, done }] of Object.entries(kinds)) {
    it(`writes nothing after that is answered: ${what}`, async () => {
      for (let round = 0; round < rounds; round++) {
        const token = await signIn();
        const name = `${what.replaceAll(/\W/g, '')}${round}`.toLowerCase();
        const writes = Array.from({ length: 3 }, async (_, index) => {
          await pause(index * 2);
          return write(token, `${name}w${index}`);
        });
        await pause(round);
        resultOf(await other.call('POST', `${admin}/logout`, { token }));
        const all = () => Promise.all([0, 1, 2].map((index) => done(`${name}w${index}`)));
        const then = await all();
        const replies = await Promise.all(writes);
        for (const { status, text } of replies) assert.ok([200, 201, 401].includes(status), text);
        assert.deepEqual(await all(), then, `round ${round}: ${replies.map(({ status }) => status)}`);
      }
    });
  }

  it('goes on with everything where another one is ended', async () => {
    const [token, ended] = [await signIn(), await signIn()];
    resultOf(await other.call('POST', `${admin}/logout`, { token: ended }));
    for (const { write } of Object.values(kinds)) {
      const reply = await write(token, 'last');
      assert.ok([200, 201].includes(reply.status), reply.text);
    }
  });
});
