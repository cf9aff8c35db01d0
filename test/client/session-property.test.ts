import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { drawn } from '../storage.ts';
import { startWorld, type World } from './world.ts';

const seed = Number(process.env.VITRINE_SEED ?? Math.floor(Math.random() * 2 ** 31));
const runs = drawn('VITRINE_RUNS', 15, 8);
const realNow = Date.now;
let ahead = 0;

/** What happens at one moment: some clients ask at once, after so many minutes; so many answers to a refresh are lost. */
interface Moment {
  readonly minutes: number;
  readonly clients: readonly number[];
  readonly lost: number;
  readonly switches: boolean;
}

const moment: fc.Arbitrary<Moment> = fc.record({
  minutes: fc.constantFrom(0, 1, 14, 16, 40, 600),
  clients: fc.array(fc.nat({ max: 4 }), { minLength: 1, maxLength: 8 }),
  lost: fc.constantFrom(0, 0, 1, 2),
  switches: fc.constantFrom(false, false, false, true),
});

describe('five clients that share a sign-in', { timeout: 250_000 }, () => {
  let world: World;
  before(async () => {
    world = await startWorld({ now: () => realNow() + ahead });
    Date.now = () => realNow() + ahead;
  });
  after(async () => {
    Date.now = realNow;
    await world.app.close();
  });

  let accounts = 0;
  async function live(moments: readonly Moment[]): Promise<void> {
    const items = new Map<string, string>();
    const storage = {
      getItem: async (key: string) => items.get(key),
      setItem: async (key: string, value: string) => void items.set(key, value),
      removeItem: async (key: string) => void items.delete(key),
    };
    let lost = 0;
    const fetch: World['fetch'] = async (url, init) => {
      const response = await world.fetch(url, init);
      if (!url.endsWith('/_auth/refresh') || lost === 0) return response;
      lost -= 1;
      throw new TypeError('the answer was lost');
    };
    const clients = Array.from({ length: 5 }, () => world.client({ storage, fetch }));
    const [first] = clients;
    accounts += 1;
    await first?.auth.register({ email: `shared${accounts}@example.com`, password: 'correct horse' });
    const workspace = await first?.auth.workspaces.create({ name: 'Team' });
    for (const { minutes, clients: asking, lost: losing, switches } of moments) {
      ahead += minutes * 60_000;
      lost = losing;
      const calls: Promise<unknown>[] = asking.map((index) => clients[index]?.notes.list() ?? assert.fail());
      await Promise.all(calls);
      lost = 0;
      if (switches) await first?.auth.switch(workspace?._id ?? '');
      assert.equal(items.size, 1, 'still signed in');
    }
  }

  it(`stay signed in, whatever comes together or gets lost (seed ${seed})`, async () => {
    const property = fc.asyncProperty(fc.array(moment, { minLength: 3, maxLength: 8 }), live);
    await fc.assert(property, { seed, numRuns: runs, endOnFailure: true });
  });
});
