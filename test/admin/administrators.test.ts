import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { hashPassword } from '../../src/access/password.ts';
import { adminKey, startApp, type TestApp } from '../harness.ts';
import { startStorage } from '../storage.ts';

const email = 'root@example.com';
const password = 'a good password';
const minute = 60_000;

let now = Date.UTC(2026, 0, 1);
let app: TestApp;
const storage = await startStorage();

before(async () => {
  const engine = storage.open();
  await engine.administrators.save(email, await hashPassword(password));
  await engine.close();
  app = await startApp({ storage, now: () => now });
  await app.project('shop', { id: 'products', fields: { title: { type: 'text', index: true } } });
});
after(async () => {
  await app.close();
  await storage.remove();
});

async function signIn(who = email, secret = password): Promise<string> {
  const reply = await app.call('POST', '/v1/_admin/login', { body: { email: who, password: secret } });
  assert.equal(reply.status, 200, reply.text);
  return String(reply.body.result.accessToken);
}
const me = (token: string) => app.call('GET', '/v1/_admin/me', { token });

describe("an administrator's session", () => {
  it('ends 30 minutes after its last use', async () => {
    const token = await signIn();
    for (let use = 0; use < 4; use += 1) {
      now += 29 * minute;
      assert.equal((await me(token)).status, 200);
    }
    now += 30 * minute;
    assert.equal((await me(token)).status, 401);
  });

  it('ends after 12 hours however much it is used', async () => {
    const token = await signIn();
    for (let at = 0; at < 12 * 60 - 20; at += 20) {
      now += 20 * minute;
      assert.equal((await app.call('GET', '/v1/_admin/projects', { token })).status, 200);
    }
    now += 21 * minute;
    assert.equal((await me(token)).status, 401);
  });

  it('tells whose it is and until when; the key is nobody in particular', async () => {
    const token = await signIn();
    const { _id, ...rest } = (await me(token)).body.result;
    assert.match(String(_id), /^[0-9a-f-]{36}$/);
    assert.deepEqual(rest, { email, expiresAt: new Date(now + 30 * minute).toISOString() });
    assert.deepEqual((await me(adminKey)).body.result, { _id: null, email: null, expiresAt: null });
  });

  it('ends by logout', async () => {
    const [token, other] = [await signIn(), await signIn()];
    const reply = await app.call('POST', '/v1/_admin/logout', { token });
    assert.deepEqual([reply.status, reply.body.result], [200, {}]);
    assert.equal((await me(token)).status, 401);
    assert.equal((await me(other)).status, 200);
  });
});

describe('a ticket for a download', () => {
  const path = '/v1/shop/products/export?format=csv';
  const make = async (wanted: string) => {
    const reply = await app.call('POST', '/v1/_admin/ticket', { body: { path: wanted }, token: adminKey });
    assert.equal(reply.status, 200, reply.text);
    assert.equal(reply.body.result.expiresIn, 60);
    return String(reply.body.result.ticket);
  };

  it('is good once, for its path alone, in any place of the query', async () => {
    const ticket = await make(path);
    const first = await app.call('GET', `${path}&ticket=${ticket}`);
    assert.equal(first.status, 200, first.text);
    assert.match(first.headers.get('content-disposition') ?? '', /attachment/);
    assert.equal(first.headers.get('cache-control'), 'no-store'); // without a header that keeps it out of shared caches
    assert.equal((await app.call('GET', `${path}&ticket=${ticket}`)).status, 401);
    const front = await make(path);
    assert.equal((await app.call('GET', `/v1/shop/products/export?ticket=${front}&format=csv`)).status, 200);
  });

  it('is spent by a request for another path, and is no token', async () => {
    const ticket = await make(path);
    assert.equal(
      (await app.call('GET', `/v1/shop/products/export?format=json&ticket=${ticket}`)).status,
      401,
    );
    assert.equal((await app.call('GET', `${path}&ticket=${ticket}`)).status, 401);
    const other = await make(path);
    assert.equal((await app.call('GET', path, { token: other })).status, 401);
    assert.equal((await app.call('GET', `/v1/_admin/projects?ticket=${other}`)).status, 401);
  });

  it('lasts a minute, and is for a path below /v1 only', async () => {
    const ticket = await make(path);
    now += minute;
    assert.equal((await app.call('GET', `${path}&ticket=${ticket}`)).status, 401);
    for (const wanted of ['https://elsewhere.example/', '/metrics', '/v1/', '', 5]) {
      const reply = await app.call('POST', '/v1/_admin/ticket', { body: { path: wanted }, token: adminKey });
      assert.equal(reply.status, 400, String(wanted));
    }
    assert.equal((await app.call('POST', '/v1/_admin/ticket', { body: { path } })).status, 401);
  });
});

describe('administrators', () => {
  const list = async () => {
    const reply = await app.call('GET', '/v1/_admin/administrators', { token: adminKey });
    return reply.body.result.found as { _id: string; email: string }[];
  };
  const invite = (who: string) =>
    app.call('POST', '/v1/_admin/administrators', { body: { email: who }, token: adminKey });
  const setup = (token: string, who: string) =>
    app.call('POST', '/v1/_admin/setup', { body: { token, email: who, password } });
  const remove = (id: string) => app.call('DELETE', `/v1/_admin/administrators/${id}`, { token: adminKey });

  it('are invited by a link that works once, for a day, for that address, and is replaced by the next', async () => {
    const second = 'second@example.com';
    const replaced = String((await invite(second)).body.result.link).split('#')[1] ?? '';
    const invited = await invite('Second@Example.com');
    assert.equal(invited.status, 201);
    const { link, email: who, expiresAt } = invited.body.result;
    assert.equal(who, second);
    assert.equal(expiresAt, new Date(now + 24 * 60 * minute).toISOString());
    assert.match(
      String(link),
      /^http:\/\/vitrine\.test\/_console\/setup\?email=second%40example\.com#[\w-]{43}$/,
    );
    const token = String(link).split('#')[1] ?? '';
    assert.deepEqual(
      (await list()).map((one) => one.email),
      [email],
      'not before they accept',
    );
    assert.equal((await setup(replaced, second)).status, 403);
    assert.equal((await setup(token, 'third@example.com')).status, 403);
    const made = await setup(token, second);
    assert.equal(made.status, 201, made.text);
    assert.equal((await me(String(made.body.result.accessToken))).body.result.email, second);
    assert.equal((await setup(token, second)).status, 403);
    assert.deepEqual(
      (await list()).map((one) => one.email),
      [email, second],
    );
    assert.equal((await invite(second)).status, 409);
    const late = String((await invite('late@example.com')).body.result.link).split('#')[1] ?? '';
    now += 24 * 60 * minute;
    assert.equal((await setup(late, 'late@example.com')).status, 403);
  });

  const withdraw = (id: string) =>
    app.call('DELETE', `/v1/_admin/administrators/invitations/${id}`, { token: adminKey });

  it('an invitation that nobody has used yet is listed, without its link, and can be withdrawn', async () => {
    const open = async (query = '') => {
      const path = `/v1/_admin/administrators/invitations${query}`;
      const reply = await app.call('GET', path, { token: adminKey });
      assert.equal(reply.status, 200, reply.text);
      return reply.body.result;
    };
    assert.equal((await open()).total, 0, 'no used one, and none that has ended');
    const { _id, link } = (await invite('maybe@example.com')).body.result;
    now += minute;
    await invite('another@example.com');
    const ends = (after: number) => new Date(now + (24 * 60 + after) * minute).toISOString();
    const maybe = { _id, email: 'maybe@example.com', expiresAt: ends(-1) };
    const { found, ...counts } = await open();
    assert.deepEqual(counts, { page: 1, perPage: 25, total: 2, totalPages: 1 });
    const [another, second] = found as { _id: string; email: string }[];
    assert.deepEqual(another, { _id: another?._id, email: 'another@example.com', expiresAt: ends(0) });
    assert.deepEqual(second, maybe);
    assert.deepEqual((await open('?page=2&perPage=1')).found, [maybe]);
    assert.deepEqual((await withdraw(String(_id))).body.result, { _id });
    assert.equal((await remove(String(_id))).status, 404);
    assert.equal((await setup(String(link).split('#')[1] ?? '', 'maybe@example.com')).status, 403);
    assert.equal((await withdraw(String(_id))).status, 404);
    assert.equal((await remove(another?._id ?? '')).status, 200, 'as an administrator is removed');
    assert.equal((await open()).total, 0);
    assert.equal((await app.call('GET', '/v1/_admin/administrators/invitations')).status, 401);
  });

  it('stay when the invitation that they have used meanwhile is withdrawn', async () => {
    for (const { _id } of await list()) assert.equal((await withdraw(_id)).status, 404);
    assert.equal((await list()).length, 2);
  });

  it('are removed with their sessions, but never the last one', async () => {
    const token = await signIn();
    const [first, second] = await list();
    const gone = await Promise.all([remove(first?._id ?? ''), remove(second?._id ?? '')]);
    assert.deepEqual(gone.map(({ status }) => status).sort(), [200, 409], 'of two at once one stays');
    const left = await list();
    assert.equal(left.length, 1);
    assert.equal((await me(token)).status, left[0]?.email === email ? 200 : 401);
    assert.equal((await remove(left[0]?._id ?? '')).status, 409);
    assert.equal((await remove('nobody')).status, 404);
    assert.equal((await app.call('GET', '/v1/_admin/administrators')).status, 401);
  });
});

describe('the size of a collection', () => {
  it('is how many records, about how many bytes, and what is indexed', async () => {
    const stats = async () =>
      (await app.call('GET', '/v1/_admin/projects/shop/collections/products/stats', { token: adminKey })).body
        .result;
    const indexes = [{ fields: ['title'], unique: false }];
    assert.deepEqual(await stats(), { records: 0, bytes: 0, indexes });
    const texts: string[] = [];
    for (let n = 0; n < 3; n += 1) {
      const made = await app.call('POST', '/v1/shop/products', { body: { title: `é${n}` }, token: adminKey });
      texts.push(JSON.stringify(made.body.result));
    }
    const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
    assert.deepEqual(await stats(), { records: 3, bytes, indexes });
    const absent = await app.call('GET', '/v1/_admin/projects/shop/collections/x/stats', { token: adminKey });
    assert.equal(absent.status, 404);
  });
});

describe('the list of users', () => {
  it('is searched by a part of address or name, or by a whole address', async () => {
    for (const [who, name] of [
      ['ann@example.com', 'Ann Lee'],
      ['bob@example.com', '100% Bob'],
      ['carl_x@example.org', 'LEE'],
    ]) {
      const body = { email: who ?? '', name: name ?? '', password };
      const made = await app.call('POST', '/v1/_admin/projects/shop/users', { body, token: adminKey });
      assert.equal(made.status, 201, made.text);
    }
    const find = async (query: string) => {
      const reply = await app.call('GET', `/v1/_admin/projects/shop/users?${query}`, { token: adminKey });
      return (reply.body.result.found as { email: string }[]).map((one) => one.email);
    };
    assert.deepEqual(await find('search=lee'), ['ann@example.com', 'carl_x@example.org']);
    assert.deepEqual(await find('search=%25'), ['bob@example.com']);
    assert.deepEqual(await find('search=_'), ['carl_x@example.org']);
    assert.deepEqual(await find('search=EXAMPLE.com'), ['ann@example.com', 'bob@example.com']);
    assert.deepEqual(await find('email=Bob@example.com'), ['bob@example.com']);
    assert.deepEqual(await find('email=bob'), []);
    assert.equal((await find('search=')).length, 3);
  });

  it('is whole where there are many, page by page, and takes a few words', async () => {
    await app.project('crowd');
    const emails = Array.from({ length: 1_200 }, (_, n) => `${n % 3 ? 'ann' : 'bob'}${n}@example.com`);
    await app.catalog().useAccounts('crowd', async ({ store: { accounts } }) => {
      const plain = { name: '', disabled: false, verified: false, profile: {}, created: 1, updated: 1 };
      await Promise.all(emails.map((email) => accounts.createUser({ ...plain, id: email, email }, 'x')));
    });
    const list = (query: string) =>
      app.call('GET', `/v1/_admin/projects/crowd/users?${query}`, { token: adminKey });
    for (const word of ['', 'bob', 'nobody']) {
      const expected = emails.filter((email) => email.includes(word)).sort();
      const found: string[] = [];
      for (const page of [1, 2, 3, 4]) {
        const { total, found: some } = (await list(`search=${word}&perPage=333&page=${page}`)).body.result;
        assert.equal(total, expected.length);
        found.push(...(some as { email: string }[]).map(({ email }) => email));
      }
      assert.deepEqual(found.sort(), expected, word);
    }
    await app.catalog().useAccounts('crowd', async ({ store: { accounts } }) => {
      const client = new AbortController();
      const taken: string[] = [];
      const take = async (query: string, offset: number, search: string[]) => {
        const turn = {
          signal: client.signal,
          take: () => {
            taken.push(query);
            return () => void taken.push('over');
          },
        };
        return (await accounts.listUsers({ limit: 1, offset }, { search }, turn)).total;
      };
      assert.equal(await take('a plain page', 900, []), 1_200);
      assert.deepEqual(taken, []);
      assert.equal(await take('a search', 0, ['bob']), 400);
      assert.deepEqual(taken, ['a search', 'over'], 'an expensive read takes its turn');
      client.abort();
      await assert.rejects(take('far away', 6_000, []));
      assert.deepEqual(taken.slice(2), ['far away', 'over'], 'and ends with its client');
    });
    const words = Array.from({ length: 33 }, (_, n) => `w${n}`).join('+');
    const refused = await list(`search=${words}`);
    assert.equal(refused.status, 400, refused.text);
    assert.match(refused.body.error, /search: must be at most 32 words, not 33/);

    const other = await startApp({ storage });
    const deletion = async () => {
      const path = '/v1/_admin/projects/crowd?confirm=destructive';
      assert.equal((await other.call('DELETE', path, { token: adminKey })).status, 200);
      return () => {};
    };
    const turn = { signal: new AbortController().signal, take: deletion };
    const search = app
      .catalog()
      .useAccounts('crowd', ({ store }) =>
        store.accounts.listUsers({ limit: 1, offset: 0 }, { search: ['bob'] }, turn),
      );
    await assert.rejects(search, /There is no project 'crowd'/, 'deleted before the turn came');
    await other.close();
  });
});

it('an invitation leads to the address that the server was given, path and all, not to Host', async () => {
  const behind = await startApp({ publicUrl: 'https://data.example.com/base' });
  const body = { email: 'new@example.com' };
  const headers = { host: 'evil.example' };
  const reply = await behind.call('POST', '/v1/_admin/administrators', { token: adminKey, body, headers });
  assert.match(String(reply.body.result.link), /^https:\/\/data\.example\.com\/base\/_console\/setup\?/);
  await behind.close();
});
