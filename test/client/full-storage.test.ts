import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { startWorld, type World } from './world.ts';

const realNow = Date.now;
const realWarn = console.warn;
let ahead = 0;
const minute = 60_000;
const password = 'correct horse';

/** As that of a browser: what it refuses leaves the item as it was. */
function storageThat() {
  const items = new Map<string, string>();
  let refuses: readonly string[] = [];
  const check = (method: string) => {
    if (refuses.includes(method)) throw new DOMException('No space left', 'QuotaExceededError');
  };
  return {
    items,
    refuse: (...methods: string[]) => {
      refuses = methods;
    },
    getItem: (key: string) => {
      check('getItem');
      return items.get(key) ?? null;
    },
    setItem: (key: string, value: string) => {
      check('setItem');
      items.set(key, value);
    },
    removeItem: (key: string) => {
      check('removeItem');
      items.delete(key);
    },
  };
}

describe('a sign-in that the storage does not keep', () => {
  let world: World;
  let warned: unknown[] = [];
  before(async () => {
    world = await startWorld({ now: () => realNow() + ahead });
    Date.now = () => realNow() + ahead;
    console.warn = (...words) => warned.push(...words);
  });
  afterEach(() => {
    ahead = 0;
    warned = [];
  });
  after(async () => {
    Date.now = realNow;
    console.warn = realWarn;
    await world.app.close();
  });
  const warning = () => warned.map((error) => (error instanceof DOMException ? error.name : error));

  it('goes on with the tokens that were renewed, and the old ones are not used again', async () => {
    const storage = storageThat();
    const v = world.client({ storage });
    await v.auth.register({ email: 'full1@example.com', password });
    storage.refuse('setItem');
    for (const _ of [1, 2]) {
      ahead += 20 * minute;
      assert.equal((await v.notes.list()).total, 0);
    }
    assert.equal((await v.auth.me()).email, 'full1@example.com');
    assert.deepEqual(warning(), ['QuotaExceededError', 'QuotaExceededError']);
    storage.refuse();
    ahead += 20 * minute;
    await v.notes.list();
    assert.equal((await world.client({ storage }).auth.me()).email, 'full1@example.com', 'stored again');
  });

  it('lasts as long as the client where nothing can be stored or read', async () => {
    const storage = storageThat();
    storage.refuse('getItem', 'setItem', 'removeItem');
    const v = world.client({ storage });
    await v.auth.register({ email: 'full2@example.com', password });
    ahead += 20 * minute;
    assert.equal((await v.auth.me()).email, 'full2@example.com');
    await v.auth.logout();
    assert.equal(await v.auth.user(), null);
    await assert.rejects(v.auth.me(), { status: 401 });
  });

  it('ends where another tab signs out, or in as somebody else', async () => {
    const storage = storageThat();
    const [v, tab] = [world.client({ storage }), world.client({ storage })];
    await v.auth.register({ email: 'full3@example.com', password });
    await v.auth.register({ email: 'full4@example.com', password });
    storage.refuse('setItem');
    ahead += 20 * minute;
    await v.notes.list();
    storage.refuse();
    await tab.auth.login({ email: 'full3@example.com', password });
    assert.equal((await v.auth.me()).email, 'full3@example.com');
    await tab.auth.logout();
    assert.equal(await v.auth.user(), null);
  });

  for (const refused of [['getItem'], ['getItem', 'setItem', 'removeItem']]) {
    it(`goes on with tokens that were renewed as it refused ${refused.join(' and ')}`, async () => {
      const storage = storageThat();
      const fetch: World['fetch'] = async (url, init) => {
        const response = await world.fetch(url, init);
        if (url.endsWith('/_auth/refresh')) storage.refuse(...refused);
        return response;
      };
      const v = world.client({ storage, fetch });
      const email = `full8.${refused.length}@example.com`;
      await v.auth.register({ email, password });
      for (const _ of [1, 2]) {
        ahead += 20 * minute;
        assert.equal((await v.notes.list()).total, 0);
        storage.refuse();
      }
      assert.equal((await v.auth.me()).email, email);
    });
  }

  it('is that of whoever signed in last, though the storage, out of reach meanwhile, still has the one before', async () => {
    const storage = storageThat();
    const [v, tab] = [world.client({ storage }), world.client({ storage })];
    await tab.auth.register({ email: 'full6@example.com', password });
    await v.auth.register({ email: 'full7@example.com', password });
    storage.refuse('getItem', 'setItem', 'removeItem');
    await v.auth.login({ email: 'full6@example.com', password });
    storage.refuse();
    assert.equal((await v.auth.user())?.email, 'full6@example.com');
    assert.equal((await v.auth.me()).email, 'full6@example.com');
    storage.refuse('getItem', 'setItem', 'removeItem');
    await v.auth.logout();
    storage.refuse();
    assert.equal(await v.auth.user(), null, 'signed out');
    await assert.rejects(v.auth.me(), { status: 401 });
    await tab.auth.login({ email: 'full7@example.com', password });
    assert.equal((await v.auth.me()).email, 'full7@example.com', 'what another tab stores now counts');
  });

  it('is not taken for none where it can not be read for a moment', async () => {
    const storage = storageThat();
    const v = world.client({ storage });
    await v.auth.register({ email: 'full5@example.com', password });
    storage.refuse('getItem');
    await assert.rejects(v.notes.list(), { name: 'QuotaExceededError' });
    storage.refuse();
    assert.equal((await v.notes.list()).total, 0);
  });
});
