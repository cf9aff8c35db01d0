import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { startWorld, type World } from './world.ts';

const realNow = Date.now;
let ahead = 0;
const minute = 60_000;
const password = 'correct horse';

/** A storage that answers later, as that of an app may: the next read can be held back, with what it found. */
function slowStorage() {
  const items = new Map<string, string>();
  let hold: { held(): void; readonly released: Promise<void> } | undefined;
  return {
    /** Has the next read wait. `reached` is when it does. */
    holdNext() {
      const [reached, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      hold = { held: reached.resolve, released: released.promise };
      return { reached: reached.promise, release: released.resolve };
    },
    async getItem(key: string) {
      const [found, held] = [items.get(key), hold];
      hold = undefined;
      held?.held();
      await held?.released;
      return found;
    },
    setItem: async (key: string, value: string) => void items.set(key, value),
    removeItem: async (key: string) => void items.delete(key),
  };
}

describe('a sign-in in a storage that answers later', () => {
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

  /** A client whose storage is held back from the answer to a call on. */
  function heldFrom(path: string) {
    const storage = slowStorage();
    let hold: ReturnType<typeof storage.holdNext> | undefined;
    const begun = Promise.withResolvers<ReturnType<typeof storage.holdNext>>();
    const fetch: World['fetch'] = async (url, init) => {
      const response = await world.fetch(url, init);
      if (url.endsWith(path) && !hold) {
        hold = storage.holdNext();
        begun.resolve(hold);
      }
      return response;
    };
    return { v: world.client({ storage, fetch }), begun: begun.promise };
  }
  const soon = () => new Promise((resolve) => setTimeout(resolve, 100));

  it('keeps the tokens of a refresh while the answer of me is noted', async () => {
    const { v, begun } = heldFrom('/_auth/me');
    await v.auth.register({ email: 'slow1@example.com', password });
    const me = v.auth.me();
    const { reached, release } = await begun;
    await reached;
    ahead += 15 * minute;
    const listed = v.notes.list();
    await soon();
    release();
    await Promise.all([me, listed]);
    ahead += 15 * minute;
    assert.equal((await v.notes.list()).total, 0, 'still signed in');
  });

  it('is that of whoever signs in while the tokens of another are renewed', async () => {
    const { v, begun } = heldFrom('/_auth/refresh');
    await v.auth.register({ email: 'slow2@example.com', password });
    await v.auth.register({ email: 'slow3@example.com', password });
    ahead += 15 * minute;
    const listed = v.notes.list();
    const { reached, release } = await begun;
    await reached;
    const signedIn = v.auth.login({ email: 'slow2@example.com', password });
    await soon();
    release();
    await Promise.allSettled([listed, signedIn]);
    assert.equal((await v.auth.user())?.email, 'slow2@example.com');
    assert.equal((await v.auth.me()).email, 'slow2@example.com');
  });
});
