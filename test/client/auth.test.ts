import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import type { User } from '../../client/client.ts';
import { startWorld, type World } from './world.ts';

const realNow = Date.now;
let ahead = 0;
const minutes = 60_000;

let accounts = 0;
const newAccount = () => {
  accounts += 1;
  return { email: `user${accounts}@example.com`, password: 'correct horse' };
};

/** As localStorage: what several tabs share. */
function sharedStorage() {
  const items = new Map<string, string>();
  return {
    items,
    getItem: (key: string) => items.get(key) ?? null,
    setItem: (key: string, value: string) => void items.set(key, value),
    removeItem: (key: string) => void items.delete(key),
  };
}

/** An answer that never comes. */
function untilAborted(signal: AbortSignal | null | undefined): Promise<Response> {
  return new Promise((_, reject) => {
    const end = () => reject(signal?.reason);
    if (signal?.aborted) end();
    else signal?.addEventListener('abort', end);
  });
}

describe('accounts through the client', () => {
  let world: World;
  before(async () => {
    world = await startWorld({ now: () => realNow() + ahead });
    Date.now = () => realNow() + ahead;
  });
  afterEach(() => {
    ahead = 0;
  });
  after(async () => {
    Date.now = realNow;
    await world.app.close();
  });

  /** A client that counts its requests by path. */
  function counting(storage = sharedStorage()) {
    const seen: string[] = [];
    const fetch: World['fetch'] = (url, init) => {
      seen.push(`${init.method} ${new URL(url).pathname.replace('/v1/shop', '')}`);
      return world.fetch(url, init);
    };
    return { v: world.client({ fetch, storage }), seen, storage };
  }
  const refreshes = (seen: readonly string[]) => seen.filter((one) => one.endsWith('/_auth/refresh')).length;

  it('registers, signs in and out, and says who it is', async () => {
    const account = newAccount();
    const { v, storage } = counting();
    const changes: (string | null)[] = [];
    const end = v.auth.onChange((user) => changes.push(user?.email ?? null));
    assert.equal(await v.auth.user(), null);
    const user = await v.auth.register(account);
    assert.equal(user.email, account.email);
    assert.deepEqual(await v.auth.user(), user);
    const note = await v.notes.create({ text: 'mine' });
    assert.equal((await v.notes.list()).found[0]?._id, note._id);
    assert.deepEqual(await v.auth.me(), user);
    assert.equal((await v.auth.updateMe({ name: 'Ann' })).name, 'Ann');
    assert.equal((await v.auth.user())?.name, 'Ann');
    await v.auth.logout();
    assert.equal(await v.auth.user(), null);
    assert.equal(storage.items.size, 0);
    await assert.rejects(v.notes.list(), { status: 401 });
    assert.equal((await v.auth.login(account)).user?._id, user._id);
    end();
    await v.auth.logout();
    assert.deepEqual(changes, [account.email, account.email, null, account.email]);
    await assert.rejects(v.auth.login({ ...account, password: 'wrong password' }), { status: 401 });
  });

  it('switches to a workspace', async () => {
    const { v } = counting();
    await v.auth.register(newAccount());
    await assert.rejects(v.tasks.list(), { status: 403 });
    const workspace = await v.auth.workspaces.create({ name: 'Team' });
    assert.equal((await v.auth.switch(workspace._id)).workspace, workspace._id);
    await v.tasks.create({ text: 'ours' });
    assert.equal((await v.tasks.list()).total, 1);
    assert.deepEqual(
      (await v.auth.workspaces.list()).found.map(({ name }) => name),
      ['Team'],
    );
    assert.equal((await v.auth.workspaces.members(workspace._id)).found[0]?.role, 'owner');
  });

  /** A member who is in `team`, and was removed from it just now; `home` is another workspace of theirs. */
  async function removedMember() {
    const [owner, account] = [counting().v, newAccount()];
    const { v } = counting();
    await owner.auth.register(newAccount());
    const { _id: team } = await owner.auth.workspaces.create({ name: 'Team' });
    const { _id: member } = await v.auth.register(account);
    const { _id: home } = await v.auth.workspaces.create({ name: 'Home' });
    const { _id, token } = await owner.auth.workspaces.invite(team, { email: account.email });
    await v.auth.invitations.accept(_id, token);
    await v.auth.switch(team);
    await owner.auth.workspaces.removeMember(team, member);
    const heard: unknown[] = [];
    v.auth.onChange((user) => heard.push(user?.workspace));
    return { v, home, heard };
  }

  it('says that somebody was removed from their workspace, once me or a refresh has told', async () => {
    const one = await removedMember();
    await assert.rejects(one.v.tasks.list(), { status: 403 });
    assert.equal((await one.v.auth.me()).workspace, null);
    assert.deepEqual([one.heard, (await one.v.auth.user())?.workspace], [[null], null]);
    const other = await removedMember();
    ahead = 16 * minutes;
    await assert.rejects(other.v.tasks.list(), { status: 401, message: /in another workspace/ });
    assert.deepEqual([other.heard, (await other.v.auth.user())?.workspace], [[other.home], other.home]);
  });

  it('says nothing of a user who is as before', async () => {
    const { v } = counting();
    await v.auth.register(newAccount());
    const heard: unknown[] = [];
    v.auth.onChange((user) => heard.push(user?.name));
    await v.auth.me();
    await v.auth.updateMe({ name: 'Ann' });
    await v.auth.me();
    assert.deepEqual(heard, ['Ann']);
  });

  it('writes nothing to another workspace than that in which it was begun', async () => {
    const { v } = await removedMember();
    ahead = 16 * minutes;
    await assert.rejects(v.tasks.create({ text: 'for the team' }), { status: 401 });
    assert.equal((await v.tasks.list()).total, 0);
  });

  /** A client whose calls of a path are answered once `release` is called. */
  function held(path: string) {
    const { promise, resolve: release } = Promise.withResolvers<void>();
    const storage = sharedStorage();
    const fetch: World['fetch'] = async (url, init) => {
      const response = await world.fetch(url, init);
      if (new URL(url).pathname.endsWith(path)) await promise;
      return response;
    };
    return { v: world.client({ fetch, storage }), storage, release };
  }

  it('says nothing of an answer about somebody who has signed out meanwhile, or switched', async () => {
    for (const switches of [true, false]) {
      const { v, release } = held('/_auth/me');
      await v.auth.register(newAccount());
      const { _id: team } = await v.auth.workspaces.create({ name: 'Team' });
      const heard: unknown[] = [];
      v.auth.onChange((user) => heard.push(user?.workspace));
      const asked = v.auth.me();
      if (switches) await v.auth.switch(team);
      else await v.auth.logout();
      release();
      await asked;
      const workspace = switches ? team : undefined;
      assert.deepEqual([heard, (await v.auth.user())?.workspace], [[workspace], workspace]);
    }
  });

  it('does not sign in again by a switch that is answered after signing out, and leaves no sign-in open', async () => {
    const account = newAccount();
    const { v, release } = held('/_auth/switch');
    await v.auth.register(account);
    const { _id: team } = await v.auth.workspaces.create({ name: 'Team' });
    const switched = assert.rejects(v.auth.switch(team), { status: 401 });
    await v.auth.logout();
    release();
    await switched;
    assert.equal(await v.auth.user(), null);
    await v.auth.login(account);
    assert.equal((await v.auth.sessions.list()).found.length, 1);
    await v.auth.switch(team);
    assert.equal((await v.auth.sessions.list()).found.length, 1);
  });

  it('is signed out by a new password', async () => {
    const account = newAccount();
    const { v } = counting();
    await v.auth.register(account);
    const heard: unknown[] = [];
    v.auth.onChange((user) => heard.push(user));
    await v.auth.updateMe({ password: 'another horse', currentPassword: account.password });
    assert.deepEqual([heard, await v.auth.user()], [[null], null]);
    await v.auth.login({ ...account, password: 'another horse' });
  });

  it('is left as it is by a client with another token', async () => {
    const { v, storage } = counting();
    await v.auth.register(newAccount());
    const other = counting();
    await other.v.auth.register(newAccount());
    const before = [...storage.items];
    const as = v.as(JSON.parse([...other.storage.items.values()][0] ?? '').accessToken);
    assert.deepEqual(await as.auth.me(), await other.v.auth.me());
    await as.auth.logout();
    assert.deepEqual([...storage.items], before);
  });

  it('renews its token before it ends: once, however many calls wait for it', async () => {
    const { v, seen } = counting();
    await v.auth.register(newAccount());
    ahead = 14.6 * minutes;
    await Promise.all(Array.from({ length: 10 }, () => v.notes.list()));
    assert.equal(refreshes(seen), 1);
    assert.equal(seen.filter((one) => one === 'GET /notes').length, 10);
    ahead += 14 * minutes;
    await v.notes.list();
    assert.equal(refreshes(seen), 1);
  });

  it('renews it after a 401 too, once, and repeats the call', async () => {
    const { v, seen, storage } = counting();
    await v.auth.register(newAccount());
    ahead = 20 * minutes; // for the server; the clock of this machine stands still
    Date.now = realNow;
    try {
      await Promise.all([v.notes.create({ text: 'a' }), v.notes.create({ text: 'b' }), v.notes.list()]);
    } finally {
      Date.now = () => realNow() + ahead;
    }
    assert.equal(refreshes(seen), 1);
    assert.equal((await v.notes.list()).total, 2);
    assert.equal(storage.items.size, 1);
  });

  it('renews it once for all clients that share a storage', async () => {
    const first = counting();
    await first.v.auth.register(newAccount());
    const others = Array.from({ length: 9 }, () => counting(first.storage));
    ahead = 15 * minutes;
    await Promise.all([first, ...others].map(({ v }) => v.notes.list()));
    const all = [first, ...others].reduce((sum, { seen }) => sum + refreshes(seen), 0);
    // Where the runtime has no locks the server bears those that come together.
    assert.ok(globalThis.navigator?.locks ? all === 1 : all <= 10, `${all} refreshes`);
    for (const { v } of others) assert.ok(await v.auth.me());
  });

  it('signs out where the refresh token is not good any more, and says so outside the lock', async () => {
    const { v, storage } = counting();
    const account = newAccount();
    await v.auth.register(account);
    const { accessToken, refreshToken } = JSON.parse([...storage.items.values()][0] ?? '');
    await world.app.call('POST', '/v1/shop/_auth/logout', { body: { refreshToken } });
    const told: (User | null)[] = [];
    const nested: Promise<unknown>[] = [];
    v.auth.onChange((user) => {
      told.push(user);
      if (!user) nested.push(v.auth.login(account)); // what hangs where it is called under the lock
    });
    await assert.rejects(v.notes.list(), { status: 401 });
    await Promise.all(nested);
    assert.deepEqual(
      told.map((user) => user?.email ?? null),
      [null, account.email],
    );
    assert.notEqual(JSON.parse([...storage.items.values()][0] ?? '').accessToken, accessToken);
    await v.notes.list();
  });

  it('writes nothing as nobody for who was signed in until now, and lets them read what is public', async () => {
    for (const writes of [true, false]) {
      const { v, storage } = counting();
      await v.auth.register(newAccount());
      const { refreshToken } = JSON.parse([...storage.items.values()][0] ?? '');
      await world.app.call('POST', '/v1/shop/_auth/logout', { body: { refreshToken } });
      ahead += 16 * minutes;
      if (writes) await assert.rejects(v.brands.create({ name: 'of Ann' }), { status: 401 });
      assert.equal((await v.brands.list({ where: { name: 'of Ann' } })).total, 0);
      assert.equal(await v.auth.user(), null);
    }
  });

  it('signs in also where a listener throws, which is told as of any event', async () => {
    const { v } = counting();
    v.auth.onChange(() => {
      throw new Error('of a listener');
    });
    const thrown: unknown[] = [];
    const { queueMicrotask: queue } = globalThis;
    globalThis.queueMicrotask = (run) => {
      queue(() => {
        try {
          run();
        } catch (error) {
          thrown.push(error);
        }
      });
    };
    try {
      assert.ok(await v.auth.register(newAccount()));
    } finally {
      globalThis.queueMicrotask = queue;
    }
    assert.match(String(thrown[0]), /of a listener/);
  });

  it('stays signed in where the server could not be reached for new tokens', async () => {
    const storage = sharedStorage();
    await world.client({ storage }).auth.register(newAccount());
    ahead = 16 * minutes;
    const offline = world.client({ storage, fetch: () => Promise.reject(new TypeError('offline')) });
    await assert.rejects(offline.notes.list(), { status: 0 });
    assert.equal(storage.items.size, 1);
    await world.client({ storage }).notes.list();
  });

  it('asks once more where new tokens do not come, while the server still gives them again', async () => {
    const { v, storage } = counting();
    await v.auth.register(newAccount());
    ahead = 16 * minutes;
    let refreshed = 0;
    const silent = world.client({
      storage,
      fetch: async (url, init) => {
        if (!url.endsWith('/_auth/refresh')) return world.fetch(url, init);
        refreshed += 1;
        const isFirst = refreshed === 1;
        const response = await world.fetch(url, { ...init, signal: null });
        return isFirst ? untilAborted(init.signal) : response;
      },
    });
    const { setTimeout: later } = globalThis;
    const soon = (run: () => void, ms = 0) => later(run, refreshed === 0 && ms > 1_000 ? 20 : ms);
    globalThis.setTimeout = soon as typeof setTimeout;
    try {
      assert.equal((await silent.notes.list()).total, 0);
    } finally {
      globalThis.setTimeout = later;
    }
    assert.equal(refreshed, 2);
    assert.equal(storage.items.size, 1);
  });

  it('is signed out at once also where the server does not answer that', async () => {
    const { v, storage, release } = held('/_auth/logout');
    await v.auth.register(newAccount());
    const told = new Promise((resolve) => v.auth.onChange(resolve));
    const ended = v.auth.logout();
    assert.equal(await told, null);
    assert.equal(storage.items.size, 0);
    release();
    await ended;
  });

  it('does not bring a sign-in back that ended while its refresh was under way', async () => {
    const storage = sharedStorage();
    await world.client({ storage }).auth.register(newAccount());
    ahead = 16 * minutes;
    const v = world.client({
      storage,
      fetch: async (url, init) => {
        const response = await world.fetch(url, init);
        if (url.endsWith('/_auth/refresh')) storage.items.clear();
        return response;
      },
    });
    await assert.rejects(v.notes.list(), { status: 401 });
    assert.equal(storage.items.size, 0);
  });

  it('does nothing in the name of somebody who signed in meanwhile, in another tab', async () => {
    const storage = sharedStorage();
    await world.client({ storage }).auth.register(newAccount());
    const other = world.client({ storage });
    let refused = 0;
    const v = world.client({
      storage,
      fetch: async (url, init) => {
        if (init.method !== 'POST' || !url.endsWith('/notes')) return world.fetch(url, init);
        refused += 1;
        await other.auth.register(newAccount());
        return Response.json({ ok: false, error: 'The token has expired' }, { status: 401 });
      },
    });
    await assert.rejects(v.notes.create({ text: 'of the first' }), { status: 401 });
    assert.equal(refused, 1);
    assert.equal((await other.notes.list()).total, 0);
  });

  it('nor where they signed in while new tokens were on their way', async () => {
    const storage = sharedStorage();
    await world.client({ storage }).auth.register(newAccount());
    ahead = 16 * minutes;
    const other = world.client({ storage });
    const v = world.client({
      storage,
      fetch: async (url, init) => {
        if (url.endsWith('/_auth/refresh')) await other.auth.register(newAccount());
        return world.fetch(url, init);
      },
    });
    await assert.rejects(v.notes.create({ text: 'of the first' }), { status: 401 });
    assert.equal((await other.notes.list()).total, 0);
  });

  it('goes on with new tokens where the storage does not say whose they are', async () => {
    const { v, storage } = counting();
    const user = await v.auth.register(newAccount());
    const [[key, kept] = ['', '']] = storage.items;
    storage.items.set(key, JSON.stringify({ ...JSON.parse(kept), user: undefined }));
    ahead = 16 * minutes;
    assert.deepEqual(await v.auth.me(), user);
  });

  it('renews tokens also on a page that may not use locks', async () => {
    const { v, seen } = counting();
    await v.auth.register(newAccount());
    ahead = 16 * minutes;
    const known = Object.getOwnPropertyDescriptor(globalThis, 'navigator');
    const request = () => Promise.reject(new DOMException('not here', 'SecurityError'));
    Object.defineProperty(globalThis, 'navigator', { configurable: true, value: { locks: { request } } });
    try {
      await v.notes.list();
    } finally {
      if (known) Object.defineProperty(globalThis, 'navigator', known);
    }
    assert.equal(refreshes(seen), 1);
  });

  it('takes a storage that answers later, and what is in it that is not its own', async () => {
    const items = new Map<string, string>();
    const later = {
      getItem: async (key: string) => items.get(key),
      setItem: async (key: string, value: string) => void items.set(key, value),
      removeItem: async (key: string) => void items.delete(key),
    };
    const v = world.client({ storage: later });
    await v.auth.register(newAccount());
    assert.ok(await v.auth.user());
    for (const key of items.keys()) items.set(key, 'not JSON');
    assert.equal(await v.auth.user(), null);
  });

  it('can be given up on while a refresh is under way, which goes on for the others', async () => {
    const storage = sharedStorage();
    await world.client({ storage }).auth.register(newAccount());
    ahead = 16 * minutes;
    let answer = () => {};
    const held = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const v = world.client({
      storage,
      fetch: async (url, init) => {
        if (url.endsWith('/_auth/refresh')) await held;
        return world.fetch(url, init);
      },
    });
    const stop = new AbortController();
    const given = v.notes.list({ signal: stop.signal });
    const other = v.notes.list();
    stop.abort(new Error('enough'));
    await assert.rejects(given, /enough/);
    answer();
    assert.equal((await other).total, 0);
  });
});
