import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import type { JsonObject } from '../../src/model/json.ts';
import { type Reply, startApp, type TestApp } from '../harness.ts';
import { seed } from '../seed.ts';
import { resultOf } from '../support.ts';
import { Clock, makePeople, type People, type SignedIn, second, signedIn } from './people.ts';

interface Token {
  readonly text: string;
  readonly replaces: Token | undefined;
  spentAt?: number;
  successorSpent: boolean;
}

describe(`spent refresh tokens (VITRINE_SEED=${seed})`, () => {
  const clock = new Clock();
  let app: TestApp;
  let people: People;
  before(async () => {
    app = await startApp({ now: clock.now });
    people = await makePeople(app);
    await people.register('ann');
  });
  after(() => app.close());

  /** Whether it must give tokens, by the rule alone. */
  const isGood = ({ spentAt, successorSpent }: Token) =>
    spentAt === undefined || (spentAt + 10 * second >= clock.now() && !successorSpent);

  async function walk(steps: readonly { which: number; wait: number }[]): Promise<void> {
    const first: SignedIn = await people.login('ann');
    const family: Token[] = [{ text: first.refreshToken, replaces: undefined, successorSpent: false }];
    for (const { which, wait } of steps) {
      clock.move(wait);
      const token = family[which % family.length] as Token;
      const reply = await people.refresh(token.text);
      if (!isGood(token)) {
        assert.equal(reply.status, 401);
        for (const { text } of family) assert.equal((await people.refresh(text)).status, 401);
        return;
      }
      const { refreshToken } = signedIn(reply);
      if (token.spentAt === undefined && token.replaces) token.replaces.successorSpent = true;
      token.spentAt ??= clock.now();
      family.push({ text: refreshToken, replaces: token, successorSpent: false });
    }
  }

  it('give tokens within ten seconds while no successor is spent, and else end the family', async () => {
    const step = fc.record({ which: fc.nat({ max: 20 }), wait: fc.constantFrom(0, 1, 4_000, 9_999, 10_001) });
    await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 8 }), walk), {
      seed,
      numRuns: 60,
    });
  });

  it('end what grew out of the same sign-in by a switch of the workspace, and no other sign-in', async () => {
    const bea = await people.register('bea');
    const workspace = await people.workspace(bea, 'hers');
    clock.move(second);
    const other = await people.login('bea');
    clock.move(second);
    const stolen = await people.login('bea');
    clock.move(second);
    const thief = await people.switch(signedIn(await people.refresh(stolen.refreshToken)), workspace);
    clock.move(11 * second);
    assert.equal((await people.refresh(stolen.refreshToken)).status, 401);
    assert.equal((await people.me(thief.accessToken)).status, 401);
    assert.equal((await people.refresh(thief.refreshToken)).status, 401);
    assert.equal((await people.me(other.accessToken)).status, 200);
  });

  const endOther = async ({ accessToken: token }: SignedIn) => {
    const { found } = resultOf(await people.auth('GET', 'sessions', undefined, { token }));
    const other = (found as JsonObject[]).find(({ current }) => !current);
    return people.auth('DELETE', `sessions/${other?._id}`, undefined, { token });
  };
  /** Whatever a thief who has switched may do to be rid of the session that the stolen token was of. */
  const riddances: Record<string, (thief: SignedIn) => Promise<Reply>> = {
    'the end of one session': endOther,
    'the end of all others': ({ accessToken: token }) =>
      people.auth('DELETE', 'sessions', undefined, { token }),
  };
  for (const [name, end] of Object.entries(riddances)) {
    it(`end what grew out of their sign-in after ${name} too, at once`, async () => {
      const victim = await people.register(`of-${name.replaceAll(' ', '-')}`);
      const workspace = await people.workspace(victim, 'theirs');
      clock.move(second);
      const next = signedIn(await people.refresh(victim.refreshToken));
      const refreshed = signedIn(await people.refresh(next.refreshToken)); // so the first has no grace
      const thief = await people.switch(refreshed, workspace);
      assert.equal((await end(thief)).status, 200);
      for (const { accessToken } of [victim, refreshed])
        assert.equal((await people.me(accessToken)).status, 401);
      const { found } = resultOf(
        await people.auth('GET', 'sessions', undefined, { token: thief.accessToken }),
      );
      assert.equal((found as unknown[]).length, 1);
      assert.equal((await people.refresh(refreshed.refreshToken)).status, 401);
      assert.equal((await people.me(thief.accessToken)).status, 200, 'by a token that was never spent');
      assert.equal((await people.refresh(victim.refreshToken)).status, 401);
      assert.equal((await people.me(thief.accessToken)).status, 401);
      assert.equal((await people.refresh(thief.refreshToken)).status, 401);
    });
  }

  it('end nothing within ten seconds of their session, which was left by a switch, and all of it later', async () => {
    const one = await people.register('two-tabs');
    const workspace = await people.workspace(one, 'theirs');
    clock.move(second);
    const switched = await people.switch(signedIn(await people.refresh(one.refreshToken)), workspace);
    const { refreshToken } = one;
    const { accessToken } = switched;
    assert.equal((await endOther(switched)).status, 200);
    assert.equal((await people.refresh(refreshToken)).status, 401);
    assert.equal((await people.me(accessToken)).status, 200, 'another tab that refreshed at the same moment');
    clock.move(11 * second);
    assert.equal((await people.refresh(refreshToken)).status, 401);
    assert.equal((await people.me(accessToken)).status, 401);
  });
});

describe('a logout', () => {
  const clock = new Clock();
  let app: TestApp;
  let people: People;
  before(async () => {
    app = await startApp({ now: clock.now });
    people = await makePeople(app);
  });
  after(() => app.close());

  /** The owner of a sign-in, and a thief of its access token who has switched. A second sign-in is on another device. */
  async function robbed(name: string) {
    const { user, ...first } = await people.register(name);
    const workspace = await people.workspace({ user, ...first }, 'theirs');
    clock.move(second);
    const device = await people.login(name);
    clock.move(second);
    const owner = await people.login(name);
    clock.move(second);
    return { owner, device, workspace, thief: await people.switch(owner, workspace) };
  }
  const logout = async ({ refreshToken }: SignedIn) =>
    resultOf(await people.auth('POST', 'logout', { refreshToken }));
  async function assertEnded(...ended: SignedIn[]) {
    for (const { accessToken, refreshToken } of ended) {
      assert.equal((await people.me(accessToken)).status, 401);
      assert.equal((await people.refresh(refreshToken)).status, 401);
    }
  }

  it('ends what the holder of a stolen access token got by a switch, and no other sign-in', async () => {
    const { owner, thief, device } = await robbed('ann');
    await logout(owner);
    await assertEnded(owner, thief);
    assert.equal((await people.me(device.accessToken)).status, 200);
  });

  it('ends it also where the owner has switched too, and ended the session before', async () => {
    const { owner, thief, workspace } = await robbed('bea');
    const own = await people.switch(owner, workspace);
    const session = JSON.parse(atob(owner.accessToken.split('.')[1] ?? '')).session;
    const { accessToken: token } = own;
    resultOf(await people.auth('DELETE', `sessions/${session}`, undefined, { token }));
    assert.equal((await people.me(token)).status, 200);
    await logout(own);
    await assertEnded(owner, own, thief);
  });

  it('ends it also where the thief has ended the session of the owner', async () => {
    const { owner, thief, device } = await robbed('cid');
    resultOf(await people.auth('DELETE', 'sessions', undefined, { token: thief.accessToken }));
    assert.equal((await people.me(thief.accessToken)).status, 200);
    await logout(owner);
    await assertEnded(owner, thief, device);
  });

  it('ends it also where the node that switched has a clock that is behind', async () => {
    const { owner, device, workspace } = await robbed('dan');
    clock.move(-3 * second);
    const early = await people.switch(owner, workspace);
    clock.move(3 * second);
    await logout(owner);
    await assertEnded(owner, early);
    assert.equal((await people.me(device.accessToken)).status, 200);
  });

  it('by what such a node gave ends the rest too', async () => {
    const { owner, device, workspace, thief } = await robbed('eve');
    clock.move(-3 * second);
    const early = await people.switch(owner, workspace);
    clock.move(3 * second);
    await logout(early);
    await assertEnded(owner, early, thief);
    assert.equal((await people.me(device.accessToken)).status, 200);
  });

  it('ends no sign-in that began in the same millisecond', async () => {
    const { owner, workspace } = await robbed('fay');
    const [one, other] = [await people.login('fay'), await people.login('fay')];
    clock.move(second);
    const switched = await people.switch(one, workspace);
    await logout(one);
    await assertEnded(one, switched);
    for (const { accessToken } of [owner, other]) assert.equal((await people.me(accessToken)).status, 200);
  });
});
