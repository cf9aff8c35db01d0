import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Reply, startApp, type TestApp } from '../harness.ts';
import { asAdmin, assertRefused, type Listed, pause, resultOf } from '../support.ts';
import { assertUnauthenticated, makePeople, type People, password, type SignedIn } from './people.ts';

let app: TestApp;
let people: People;
before(async () => {
  app = await startApp();
  people = await makePeople(app);
});
after(() => app.close());

const read = (collection: string, token: string): Promise<Reply> =>
  people.records('GET', collection, undefined, { token });

/** Neither of a sign-in's tokens is good for anything. */
async function assertOver({ accessToken, refreshToken }: SignedIn): Promise<void> {
  assertUnauthenticated(await people.me(accessToken));
  for (const level of ['public', 'user', 'workspace']) assertUnauthenticated(await read(level, accessToken));
  assertUnauthenticated(await people.records('POST', 'public', { text: 'x' }, { token: accessToken }));
  assertUnauthenticated(await people.refresh(refreshToken));
}

/** A user in a workspace, with a token that was used: whatever is remembered of it must not help. */
async function settled(name: string): Promise<{ user: SignedIn; workspace: string; path: string }> {
  const first = await people.register(name);
  const workspace = await people.workspace(first, name);
  const user = await people.login(name);
  for (const level of ['public', 'user', 'workspace']) resultOf(await read(level, user.accessToken));
  return { user, workspace, path: `/users/${user.user._id}` };
}

describe('honoured at the very next request', () => {
  it('disabling a user; enabling brings back the sign-in, not the sessions', async () => {
    const { user, path } = await settled('ann');
    assert.equal(resultOf(await people.manage('PATCH', path, { disabled: true })).disabled, true);
    await assertOver(user);
    const refused = await people.tryLogin('ann');
    assertUnauthenticated(refused);
    assert.equal(refused.text, (await people.tryLogin('unknown')).text);
    assert.equal(resultOf(await people.manage('PATCH', path, { disabled: false })).disabled, false);
    await assertOver(user);
    await people.login('ann');
  });

  it("a user's password set by management", async () => {
    const { user, path } = await settled('ben');
    resultOf(await people.manage('PATCH', path, { password: 'set by management' }));
    await assertOver(user);
    assertUnauthenticated(await people.tryLogin('ben'));
    await people.login('ben', 'set by management');
  });

  it('a name set by management ends nothing', async () => {
    const { user, path } = await settled('bob');
    assert.equal(resultOf(await people.manage('PATCH', path, { name: 'Bobby' })).name, 'Bobby');
    assert.equal(resultOf(await people.me(user.accessToken)).name, 'Bobby');
  });

  it('deleting a user; the same address made again has no records, no workspaces and no tokens of before', async () => {
    const { user, workspace, path } = await settled('cid');
    for (const level of ['user', 'workspace']) {
      resultOf(await people.records('POST', level, { text: 'mine' }, { token: user.accessToken }), 201);
    }
    assert.deepEqual(resultOf(await people.manage('DELETE', path)), { _id: user.user._id });
    await assertOver(user);
    assertUnauthenticated(await people.tryLogin('cid'));
    assertRefused(await people.manage('GET', path), 404);
    assertRefused(await people.manage('DELETE', path), 404);

    const again = await people.register('cid');
    assert.notEqual(again.user._id, user.user._id);
    assert.equal(again.user.workspace, null);
    await assertOver(user);
    assert.equal((resultOf(await read('user', again.accessToken)) as unknown as Listed).total, 0);
    assertRefused(await read('workspace', again.accessToken), 403);
    const spaces = await people.auth('GET', 'workspaces', undefined, { token: again.accessToken });
    assert.equal((resultOf(spaces) as unknown as Listed).total, 0);
    assertRefused(await people.auth('POST', 'switch', { workspace }, { token: again.accessToken }), 404);
    assertRefused(await people.manage('GET', `/workspaces/${workspace}/members`), 404); // they were alone in it
  });

  it('removing a member: workspace level is a 403, user level goes on, and so for leaving', async () => {
    for (const how of ['owner', 'leaves', 'management'] as const) {
      const { user: owner, workspace } = await settled(`owner-${how}`);
      await people.join(workspace, await people.register(`member-${how}`));
      const member = await people.login(`member-${how}`);
      const token = member.accessToken;
      for (const level of ['user', 'workspace']) {
        resultOf(await people.records('POST', level, { text: 'x' }, { token }), 201);
      }
      assert.equal((resultOf(await read('workspace', token)) as unknown as Listed).total, 1);

      const path = `workspaces/${workspace}/members/${member.user._id}`;
      const reply =
        how === 'management'
          ? await people.manage('DELETE', `/${path}`)
          : await people.auth('DELETE', path, undefined, {
              token: how === 'owner' ? owner.accessToken : token,
            });
      assert.deepEqual(resultOf(reply), { _id: member.user._id });

      assertRefused(await read('workspace', token), 403);
      assertRefused(await people.records('POST', 'workspace', { text: 'x' }, { token }), 403);
      assert.equal((resultOf(await read('user', token)) as unknown as Listed).total, 1);
      resultOf(await read('public', token));
      assert.equal(resultOf(await people.me(token)).workspace, null);
      const made = resultOf(await people.records('POST', 'user', { text: 'x' }, { token }), 201);
      const query = `user?_id=${String(made._id)}&fields=_workspace`;
      const { found } = resultOf(await people.records('GET', query, undefined, asAdmin)) as unknown as Listed;
      assert.equal(found[0]?._workspace, null);
      const refreshed = resultOf(await people.refresh(member.refreshToken)) as unknown as SignedIn;
      assert.equal(refreshed.user.workspace, null);
      assert.equal((resultOf(await read('workspace', owner.accessToken)) as unknown as Listed).total, 1);
    }
  });

  it('deleting a workspace: its members have none, and one of the same name is another', async () => {
    const { user, workspace } = await settled('dan');
    resultOf(await people.records('POST', 'workspace', { text: 'x' }, { token: user.accessToken }), 201);
    assert.deepEqual(resultOf(await people.manage('DELETE', `/workspaces/${workspace}`)), { _id: workspace });
    assertRefused(await read('workspace', user.accessToken), 403);
    resultOf(await read('user', user.accessToken));
    assertRefused(await people.manage('GET', `/workspaces/${workspace}`), 404);
    assertRefused(await people.manage('DELETE', `/workspaces/${workspace}`), 404);
    const next = await people.workspace(user, 'dan');
    assert.notEqual(next, workspace);
    const switched = await people.switch(user, next);
    assert.equal((resultOf(await read('workspace', switched.accessToken)) as unknown as Listed).total, 0);
  });

  it('revoking a key', async () => {
    const [one, two] = [await people.key({ name: 'one' }), await people.key({ name: 'two' })];
    for (const { key } of [one, two]) resultOf(await read('user', key));
    assert.deepEqual(resultOf(await people.manage('DELETE', `/keys/${one._id}`)), { _id: one._id });
    assertUnauthenticated(await read('public', one.key));
    assertUnauthenticated(await people.manage('GET', '/users', undefined, one.key));
    resultOf(await read('user', two.key));
    assertRefused(await people.manage('DELETE', `/keys/${one._id}`), 404);
  });
});

/** The password is being looked at while the account changes: the sign-in must not outlive the change. */
describe('a sign-in that is under way meanwhile', () => {
  const next = 'another password';
  const changes: Record<string, (user: SignedIn) => Promise<Reply>> = {
    disabling: ({ user }) => people.manage('PATCH', `/users/${user._id}`, { disabled: true }),
    deleting: ({ user }) => people.manage('DELETE', `/users/${user._id}`),
    'a new password by management': ({ user }) =>
      people.manage('PATCH', `/users/${user._id}`, { password: next }),
    'a new password of their own': ({ accessToken }) =>
      people.auth('PATCH', 'me', { password: next, currentPassword: password }, { token: accessToken }),
  };
  for (const [what, change] of Object.entries(changes)) {
    it(`does not outlive ${what}`, async () => {
      const name = `racer-${what.replaceAll(' ', '-')}`;
      const user = await people.register(name);
      let made = false;
      const changed = change(user).finally(() => {
        made = true;
      });
      // From as many addresses, so that none of them is over the limit; and few at a time, so that none waits for too long.
      const logins: Promise<Reply>[] = [];
      let open = 0;
      while (!made || logins.length < 3) {
        if (open < 4) {
          open += 1;
          const peer = `10.0.${logins.length >> 8}.${logins.length & 255}`;
          logins.push(people.tryLogin(name, password, { peer }).finally(() => (open -= 1)));
        }
        await pause(made ? 0 : 10);
      }
      resultOf(await changed);
      for (const reply of await Promise.all(logins)) {
        if (reply.status !== 200) assertUnauthenticated(reply);
        else await assertOver(reply.body.result as unknown as SignedIn);
      }
    });
  }

  it('nor a second change with a password that is not the current one any more', async () => {
    const { accessToken: token } = await people.register('racer-twice');
    const replies = await Promise.all(
      ['first new password', 'second new password'].map((chosen) =>
        people.auth('PATCH', 'me', { password: chosen, currentPassword: password }, { token }),
      ),
    );
    const done = replies.filter(({ status }) => status === 200);
    assert.equal(done.length, 1, replies.map(({ text }) => text).join());
  });
});
