import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import {
  assertUnauthenticated,
  Clock,
  day,
  makePeople,
  minute,
  type People,
  type Place,
  password,
  type SignedIn,
  startPlace,
} from '../auth/people.ts';
import { type Reply, startApp, type TestApp } from '../harness.ts';
import { assertRefused, type Listed, resultOf, strangerId } from '../support.ts';
import { Post } from './post.ts';

const clock = new Clock();
const post = new Post();
let place: Place;
let app: TestApp;
let people: People;
const signed = new Map<string, SignedIn>();

before(async () => {
  place = await startPlace({ now: clock.now, mail: post });
  app = place.app;
  people = await makePeople(app);
  for (const name of ['ann', 'ben', 'cid']) await people.register(name);
});
after(() => place.close());
beforeEach(async () => {
  clock.move(2 * 60 * minute); // no limit of the test before holds
  for (const name of ['ann', 'ben', 'cid']) signed.set(name, await people.login(name));
});

const who = (name: string): SignedIn => signed.get(name) as SignedIn;
const as = (name: string, verb: string, path: string, body?: Parameters<People['auth']>[2]): Promise<Reply> =>
  people.auth(verb, path, body, { token: who(name).accessToken });

async function invite(space: string, email: string, role?: string): Promise<Record<string, unknown>> {
  const body = { email, ...(role !== undefined && { role }) };
  return resultOf(await as('ann', 'POST', `workspaces/${space}/invitations`, body), 201);
}

const accept = (name: string, id: unknown, token?: string) =>
  as(name, 'POST', `invitations/${id}/accept`, token === undefined ? {} : { token });
const membersOf = async (space: string) =>
  (resultOf(await people.manage('GET', `/workspaces/${space}/members`)) as unknown as Listed).found.map(
    ({ name, role }) => `${name} ${role}`,
  );
const mine = async (name: string) =>
  (resultOf(await as(name, 'GET', 'invitations')) as unknown as Listed).found;

describe('an invitation', () => {
  it('is mailed, tells nobody whether the address is registered, and counts once it is accepted', async () => {
    const space = await people.workspace(who('ann'), 'North');
    const [known, unknown] = [await invite(space, 'BEN@example.com'), await invite(space, 'new@example.com')];
    assert.deepEqual(Object.keys(known), Object.keys(unknown));
    const { _id, _createdAt, expiresAt, ...rest } = known;
    assert.deepEqual(rest, {
      email: 'ben@example.com',
      role: 'member',
      workspace: { _id: space, name: 'North' },
    });
    assert.equal(Date.parse(String(expiresAt)) - Date.parse(String(_createdAt)), 7 * day);
    await app.work();
    assert.deepEqual(post.sent.map(({ to }) => to).toSorted(), ['ben@example.com', 'new@example.com']);
    assert.match(post.last('ben@example.com').text, /North/);
    assert.deepEqual(await membersOf(space), ['ann owner']);
    assertRefused(await as('ben', 'GET', `workspaces/${space}/members`), 404);

    assert.deepEqual(
      (await mine('ben')).map((one) => [one._id, (one as unknown as { workspace: object }).workspace]),
      [[_id, { _id: space, name: '' }]],
      'whoever has not shown that the address is theirs is not told names',
    );
    assert.deepEqual(await mine('cid'), []);
    assertRefused(await accept('ben', _id), 403, 'verif');
    assertRefused(await accept('ben', _id, 'wrong'), 400, 'token');
    const token = post.token('ben@example.com');
    assertRefused(await accept('cid', _id, token), 404);
    assertUnauthenticated(await people.auth('POST', `invitations/${_id}/accept`, { token }));
    for (const path of [`invitations/${_id}/accept`, `invitations/${_id}/decline`]) {
      assertRefused(await as('ben', 'GET', path), 405); // looking at a link joins nothing
    }
    assert.deepEqual(resultOf(await accept('ben', _id, token)), {
      _id: space,
      name: 'North',
      role: 'member',
    });
    assert.deepEqual(await membersOf(space), ['ann owner', 'ben member']);
    assertRefused(await accept('ben', _id, token), 404);
    assert.deepEqual(await mine('ben'), []);
    assertRefused(
      await as('ann', 'POST', `workspaces/${space}/invitations`, { email: 'ben@example.com' }),
      409,
    );
    assertRefused(
      await as('ben', 'POST', `workspaces/${space}/invitations`, { email: 'x@example.com' }),
      403,
    );
    assertRefused(await as('ben', 'GET', `workspaces/${space}/invitations`), 403);
    // Removed since: what was accepted once does not bring them back.
    resultOf(await as('ann', 'DELETE', `workspaces/${space}/members/${who('ben').user._id}`));
    assertRefused(await accept('ben', _id, token), 404);
  });

  it('needs no token of a verified address; a second one replaces the first', async () => {
    const space = await people.workspace(who('ann'), 'East');
    resultOf(await people.manage('PATCH', `/users/${who('cid').user._id}`, { verified: true }));
    const first = await invite(space, 'cid@example.com');
    const second = await invite(space, 'Cid@Example.com', 'owner');
    const open = resultOf(await as('ann', 'GET', `workspaces/${space}/invitations`)) as unknown as Listed;
    assert.deepEqual(
      open.found.map(({ _id, role }) => [_id, role]),
      [[second._id, 'owner']],
    );
    assert.equal((await mine('cid')).length, 1);
    const count = post.to('cid@example.com').length;
    await app.work();
    assert.equal(post.to('cid@example.com').length, count + 1, 'nothing is sent for the first');
    assertRefused(await accept('cid', first._id), 404);
    assert.equal(resultOf(await as('cid', 'POST', `invitations/${second._id}/accept`)).role, 'owner');
    assert.deepEqual(await membersOf(space), ['ann owner', 'cid owner']);
    resultOf(await people.manage('PATCH', `/users/${who('cid').user._id}`, { verified: false }));
  });

  it('is over when it is withdrawn, declined, too old, or its workspace is gone', async () => {
    const space = await people.workspace(who('ann'), 'South');
    const path = `workspaces/${space}/invitations`;
    const one = await invite(space, 'ben@example.com');
    await app.work();
    const token = post.token('ben@example.com');
    assertRefused(await as('cid', 'POST', `invitations/${one._id}/decline`), 404);
    assertRefused(await as('ann', 'DELETE', `${path}/${strangerId}`), 404);
    resultOf(await as('ann', 'DELETE', `${path}/${one._id}`));
    assertRefused(await as('ann', 'DELETE', `${path}/${one._id}`), 404);
    assertRefused(await accept('ben', one._id, token), 404);

    const two = await invite(space, 'ben@example.com');
    resultOf(await as('ben', 'POST', `invitations/${two._id}/decline`));
    assertRefused(await accept('ben', two._id, token), 404);

    const three = await invite(space, 'ben@example.com');
    await app.work();
    const last = post.token('ben@example.com');
    assertRefused(await accept('ben', three._id, token), 400, 'token');
    resultOf(await as('ann', 'DELETE', `workspaces/${space}`));
    assertRefused(await accept('ben', three._id, last), 404);

    const other = await people.workspace(who('ann'), 'West');
    const four = await invite(other, 'ben@example.com');
    await app.work();
    clock.move(7 * day);
    signed.set('ben', await people.login('ben'));
    assert.deepEqual(await mine('ben'), []);
    assertRefused(await accept('ben', four._id, post.token('ben@example.com')), 404);
    assert.deepEqual(await membersOf(other), ['ann owner']);
  });

  it('for somebody who became a member in another way does not bring them back', async () => {
    const space = await people.workspace(who('ann'), 'Centre');
    const user = who('ben').user._id;
    const one = await invite(space, 'ben@example.com');
    const other = await invite(space, 'cid@example.com');
    await app.work();
    resultOf(await people.manage('POST', `/workspaces/${space}/members`, { user }), 201);
    resultOf(await as('ann', 'DELETE', `workspaces/${space}/members/${user}`));
    assertRefused(await accept('ben', one._id, post.token('ben@example.com')), 404);
    assert.deepEqual(await membersOf(space), ['ann owner']);
    resultOf(await accept('cid', other._id, post.token('cid@example.com')));
  });

  it('ends with the last member, who alone could have withdrawn it', async () => {
    const space = await people.workspace(who('ann'), 'Alone');
    const one = await invite(space, 'ben@example.com');
    await app.work();
    const token = post.token('ben@example.com');
    resultOf(await people.manage('DELETE', `/workspaces/${space}/members/${who('ann').user._id}`));
    assert.deepEqual(await mine('ben'), []);
    assertRefused(await accept('ben', one._id, token), 404);
    const user = who('cid').user._id;
    resultOf(await people.manage('POST', `/workspaces/${space}/members`, { user }), 201);
    assertRefused(await accept('ben', one._id, token), 404);
    assert.deepEqual(await membersOf(space), ['cid owner']);
  });

  it('of another project is none', async () => {
    await app.project('elsewhere');
    const space = await people.workspace(who('ann'), 'Here');
    const one = await invite(space, 'ben@example.com');
    await app.work();
    const body = { email: 'ben@example.com', password };
    const { accessToken } = resultOf(
      await app.call('POST', '/v1/elsewhere/_auth/register', { body }),
      201,
    ) as unknown as SignedIn;
    const path = `/v1/elsewhere/_auth/invitations/${one._id}/accept`;
    const token = post.token('ben@example.com');
    assertRefused(await app.call('POST', path, { body: { token }, token: accessToken }), 404);
    assertRefused(
      await app.call('POST', `/v1/shop/_auth/invitations/${one._id}/accept`, {
        body: { token },
        token: accessToken,
      }),
      403,
    );
  });

  it('twenty an hour by one user', async () => {
    const space = await people.workspace(who('ann'), 'Many');
    for (let nth = 0; nth < 20; nth++) await invite(space, `many${nth}@example.com`);
    const body = { email: 'many20@example.com' };
    assertRefused(await as('ann', 'POST', `workspaces/${space}/invitations`, body), 429);
    const open = resultOf(await as('ann', 'GET', `workspaces/${space}/invitations`)) as unknown as Listed;
    assert.equal(open.total, 20);
    clock.move(61 * minute);
    signed.set('ann', await people.login('ann'));
    await invite(space, body.email);
  });

  it('without mail the answer has the token, once', async () => {
    const silent = await startApp({ now: clock.now, storage: place.storage });
    try {
      const space = await people.workspace(who('ann'), 'Silent');
      const path = `/v1/shop/_auth/workspaces/${space}/invitations`;
      const token = who('ann').accessToken;
      const made = resultOf(
        await silent.call('POST', path, { body: { email: 'ben@example.com' }, token }),
        201,
      );
      assert.match(String(made.token), /^[\w-]{43}$/);
      const { found } = resultOf(await silent.call('GET', path, { token })) as unknown as Listed;
      assert.deepEqual(Object.keys(found[0] ?? {}).includes('token'), false);
      resultOf(await accept('ben', made._id, String(made.token)));
      assert.deepEqual(await membersOf(space), ['ann owner', 'ben member']);
    } finally {
      await silent.close();
    }
  });

  it('carries no message of whoever names a workspace', async () => {
    const name = 'Win at https://evil.example/x?y=<b>1</b>\nSubject: hello {link} {token}';
    const space = await people.workspace(who('ann'), name);
    await invite(space, 'spam@example.com');
    await app.work();
    const { subject, text, html } = post.last('spam@example.com');
    for (const part of [subject, text, html]) {
      assert.ok(!part.includes('evil.example'), part);
      assert.doesNotMatch(part, /^Subject:/m);
    }
    assert.ok(!html.includes('<b>'), html);
    assert.equal(text.split('token=').length, 2, 'braces in a name are no place for a token');
  });
});

describe('a workspace', () => {
  it('is renamed and deleted by an owner; with records only when that is confirmed', async () => {
    const space = await people.workspace(who('ann'), 'Old');
    await people.join(space, who('ben'));
    const renamed = resultOf(await as('ann', 'PATCH', `workspaces/${space}`, { name: 'New' }));
    assert.deepEqual(renamed, { _id: space, name: 'New', role: 'owner' });
    for (const [verb, body] of [
      ['PATCH', { name: 'Mine' }],
      ['DELETE', undefined],
    ] as const) {
      assertRefused(await as('ben', verb, `workspaces/${space}`, body), 403);
      assertRefused(await as('cid', verb, `workspaces/${space}`, body), 404);
    }
    const inside = await people.switch(who('ann'), space);
    const member = await people.switch(who('ben'), space);
    const token = inside.accessToken;
    const record = resultOf(await people.records('POST', 'workspace', { text: 'ours' }, { token }), 201);
    assertRefused(await as('ann', 'DELETE', `workspaces/${space}`), 409, 'confirm=destructive');
    assertRefused(await as('ann', 'DELETE', `workspaces/${space}?confirm=yes`), 400, 'confirm');
    resultOf(await people.records('GET', `workspace/${record._id}`, undefined, { token }));
    const asked = performance.now();
    resultOf(await as('ann', 'DELETE', `workspaces/${space}?confirm=destructive`));
    if (performance.now() - asked >= 3_000) await app.work(); // what it leaves to others then
    const { key } = await people.key();
    assertRefused(await people.records('GET', `workspace/${record._id}`, undefined, { token: key }), 404);
    for (const over of [inside, member]) {
      const reply = await people.records('GET', 'workspace', undefined, { token: over.accessToken });
      assertRefused(reply, 403);
    }
    assertRefused(await as('ann', 'DELETE', `workspaces/${space}`), 404);
  });
});
