import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Json } from '../../src/model/json.ts';
import { type Reply, startApp, type TestApp } from '../harness.ts';
import { assertRefused, type Listed, type Row, resultOf, strangerId } from '../support.ts';
import { makePeople, type People, type SignedIn } from './people.ts';

let app: TestApp;
let people: People;
let [ann, ben, cid, eve]: SignedIn[] = [];
let north: string;
before(async () => {
  app = await startApp();
  people = await makePeople(app);
  [ann, ben, cid, eve] = await Promise.all(['ann', 'ben', 'cid', 'eve'].map((name) => people.register(name)));
  north = await people.workspace(who('ann'), 'North');
  await people.join(north, who('ben'));
});
after(() => app.close());

function who(name: 'ann' | 'ben' | 'cid' | 'eve'): SignedIn {
  const found = { ann, ben, cid, eve }[name];
  assert.ok(found);
  return found;
}

const as = (name: 'ann' | 'ben' | 'cid' | 'eve', verb: string, path: string, body?: Json): Promise<Reply> =>
  people.auth(verb, path, body, { token: who(name).accessToken });

async function listed(reply: Promise<Reply>): Promise<Row[]> {
  return (resultOf(await reply) as unknown as Listed).found;
}

describe('_auth/workspaces', () => {
  it('whoever makes one is its owner, and sees their own alone, in the order of joining', async () => {
    const made = resultOf(await as('cid', 'POST', 'workspaces', { name: 'West' }), 201);
    assert.deepEqual(Object.keys(made).sort(), ['_id', 'name', 'role']);
    assert.deepEqual([made.name, made.role], ['West', 'owner']);
    assert.deepEqual(await listed(as('cid', 'GET', 'workspaces')), [made]);
    assert.deepEqual(await listed(as('ann', 'GET', 'workspaces')), [
      { _id: north, name: 'North', role: 'owner' },
    ]);
    assert.deepEqual(await listed(as('ben', 'GET', 'workspaces')), [
      { _id: north, name: 'North', role: 'member' },
    ]);
    assert.deepEqual(await listed(as('eve', 'GET', 'workspaces')), []);
  });

  it('is paged', async () => {
    const pia = await people.register('pia');
    const ids: string[] = [];
    for (const name of ['1', '2', '3', '4', '5']) ids.push(await people.workspace(pia, name));
    const token = pia.accessToken;
    const pages: string[][] = [];
    for (const page of [1, 2, 3, 4]) {
      const reply = await people.auth('GET', `workspaces?perPage=2&page=${page}`, undefined, { token });
      const { found, ...rest } = resultOf(reply) as unknown as Listed;
      assert.deepEqual(rest, { page, perPage: 2, total: 5, totalPages: 3 });
      pages.push(found.map(({ _id }) => _id));
    }
    assert.deepEqual(pages, [ids.slice(0, 2), ids.slice(2, 4), ids.slice(4), []]);
    for (const query of ['page=0', 'perPage=1001', 'perPage=x', 'nonsense=1']) {
      assertRefused(await people.auth('GET', `workspaces?${query}`, undefined, { token }), 400);
    }
  });

  it('needs a name', async () => {
    for (const body of [
      {},
      { name: '' },
      { name: 5 },
      { name: 'x', role: 'owner' },
      { name: 'x'.repeat(5000) },
    ]) {
      assertRefused(await as('ann', 'POST', 'workspaces', body as Json), 400);
    }
  });
});

describe('members', () => {
  it('are listed to members, with roles', async () => {
    const expected = [
      { _id: who('ann').user._id, email: 'ann@example.com', name: 'ann', role: 'owner' },
      { _id: who('ben').user._id, email: 'ben@example.com', name: 'ben', role: 'member' },
    ];
    for (const name of ['ann', 'ben'] as const) {
      assert.deepEqual(await listed(as(name, 'GET', `workspaces/${north}/members`)), expected);
    }
    const reply = await as('ann', 'GET', `workspaces/${north}/members?perPage=1&page=2`);
    const { found, ...rest } = resultOf(reply) as unknown as Listed;
    assert.deepEqual(rest, { page: 2, perPage: 1, total: 2, totalPages: 2 });
    assert.deepEqual(found, expected.slice(1));
  });

  it('to all others the workspace does not exist: the bytes of one that does not', async () => {
    const member = `members/${who('ben').user._id}`;
    const requests: [string, (id: string) => string, Json | undefined][] = [
      ['GET', (id) => `workspaces/${id}/members`, undefined],
      ['PATCH', (id) => `workspaces/${id}`, { name: 'Mine' }],
      ['PATCH', (id) => `workspaces/${id}`, { nonsense: 1 }],
      ['DELETE', (id) => `workspaces/${id}`, undefined],
      ['GET', (id) => `workspaces/${id}/invitations`, undefined],
      ['POST', (id) => `workspaces/${id}/invitations`, { email: 'eve@example.com', role: 'owner' }],
      ['POST', (id) => `workspaces/${id}/invitations`, { nonsense: 1 }],
      ['DELETE', (id) => `workspaces/${id}/invitations/${strangerId}`, undefined],
      ['PATCH', (id) => `workspaces/${id}/members/${who('eve').user._id}`, { role: 'owner' }],
      ['PATCH', (id) => `workspaces/${id}/${member}`, { role: 'owner' }],
      ['DELETE', (id) => `workspaces/${id}/${member}`, undefined],
      ['DELETE', (id) => `workspaces/${id}/members/${who('eve').user._id}`, undefined],
    ];
    for (const [verb, path, body] of requests) {
      const real = await as('eve', verb, path(north), body);
      const none = await as('eve', verb, path(strangerId), body);
      assertRefused(real, 404);
      assert.equal(real.text.replaceAll(north, '<id>'), none.text.replaceAll(strangerId, '<id>'));
    }
    const real = await as('eve', 'POST', 'switch', { workspace: north });
    const none = await as('eve', 'POST', 'switch', { workspace: strangerId });
    assertRefused(real, 404);
    assert.equal(real.text.replaceAll(north, '<id>'), none.text.replaceAll(strangerId, '<id>'));
  });

  it('an owner changes roles and removes anybody, a member leaves', async () => {
    const space = await people.workspace(who('ann'), 'East');
    const path = `workspaces/${space}/members`;
    for (const name of ['ben', 'cid', 'eve'] as const) await people.join(space, who(name));
    assertRefused(await as('ann', 'POST', path, { email: 'cid@example.com', role: 'member' }), 405);
    const made = await as('ann', 'PATCH', `${path}/${who('cid').user._id}`, { role: 'owner' });
    assert.deepEqual(resultOf(made), {
      _id: who('cid').user._id,
      email: 'cid@example.com',
      name: 'cid',
      role: 'owner',
    });
    const roles = (await listed(as('eve', 'GET', path))).map(({ name, role }) => `${name} ${role}`);
    assert.deepEqual(roles, ['ann owner', 'ben member', 'cid owner', 'eve member']);
    for (const body of [{ role: 'king' }, {}, { role: 'member', user: 'x' }]) {
      assertRefused(await as('ann', 'PATCH', `${path}/${who('ben').user._id}`, body), 400);
    }
    assertRefused(await as('ben', 'PATCH', `${path}/${who('ben').user._id}`, { role: 'owner' }), 403);
    assertRefused(await as('ann', 'PATCH', `${path}/${strangerId}`, { role: 'owner' }), 404);

    assertRefused(await as('eve', 'DELETE', `${path}/${who('ben').user._id}`), 403);
    assertRefused(await as('eve', 'DELETE', `${path}/${who('ann').user._id}`), 403);
    resultOf(await as('eve', 'DELETE', `${path}/${who('eve').user._id}`));
    assertRefused(await as('eve', 'GET', path), 404);
    resultOf(await as('cid', 'DELETE', `${path}/${who('ben').user._id}`));
    resultOf(await as('cid', 'DELETE', `${path}/${who('ann').user._id}`));
    assertRefused(await as('cid', 'DELETE', `${path}/${who('ann').user._id}`), 404);
    assertRefused(await as('ann', 'GET', path), 404);
  });

  it('the last owner stays, and stays owner', async () => {
    const space = await people.workspace(who('ann'), 'Last');
    await people.join(space, who('ben'));
    const path = `workspaces/${space}/members`;
    assertRefused(await as('ann', 'DELETE', `${path}/${who('ann').user._id}`), 409, 'owner');
    assertRefused(
      await as('ann', 'PATCH', `${path}/${who('ann').user._id}`, { role: 'member' }),
      409,
      'owner',
    );
    resultOf(await as('ann', 'PATCH', `${path}/${who('ann').user._id}`, { role: 'owner' }));
    resultOf(await as('ann', 'DELETE', `${path}/${who('ben').user._id}`));
    assertRefused(await as('ann', 'DELETE', `${path}/${who('ann').user._id}`), 409, 'owner');
    await people.join(space, who('ben'), 'owner');
    const leaving = ['ann', 'ben'].map((name) => {
      return as(name as 'ann', 'DELETE', `${path}/${who(name as 'ann').user._id}`);
    });
    const statuses = (await Promise.all(leaving)).map(({ status }) => status);
    assert.deepEqual(statuses.toSorted(), [200, 409], 'two owners who leave at the same moment');
  });
});

describe('members that management adds', () => {
  const makeSpace = async (name: string) =>
    String(resultOf(await people.manage('POST', '/workspaces', { name }), 201)._id);
  const add = (space: string, name: 'ann' | 'ben' | 'cid', role?: string) =>
    people.manage('POST', `/workspaces/${space}/members`, {
      user: who(name).user._id,
      ...(role !== undefined && { role }),
    });
  const roles = async (space: string) =>
    (await listed(people.manage('GET', `/workspaces/${space}/members`))).map(
      ({ name, role }) => `${name} ${role}`,
    );

  it('leave no workspace without an owner: the first is one, whatever role is named', async () => {
    const space = await makeSpace('First');
    assert.equal(resultOf(await add(space, 'ann', 'member'), 201).role, 'owner');
    assert.equal(resultOf(await add(space, 'ben'), 201).role, 'member');
    assert.equal(resultOf(await add(space, 'cid', 'member'), 201).role, 'member');
    assertRefused(await add(space, 'ann'), 409, 'already');
    assert.deepEqual(await roles(space), ['ann owner', 'ben member', 'cid member']);
    resultOf(await people.manage('DELETE', `/workspaces/${space}/members/${who('ann').user._id}`));
    assert.deepEqual(await roles(space), ['ben owner', 'cid member']);
  });

  it('one of two that come at once to an empty workspace is its owner', async () => {
    const space = await makeSpace('At once');
    const added = await Promise.all([add(space, 'ann'), add(space, 'ben')]);
    assert.deepEqual(added.map((reply) => resultOf(reply, 201).role).toSorted(), ['member', 'owner']);
  });

  it('are the first again once all were removed', async () => {
    const space = await makeSpace('Again');
    for (const name of ['ann', 'ben'] as const) {
      assert.equal(resultOf(await add(space, name), 201).role, 'owner');
      resultOf(await people.manage('DELETE', `/workspaces/${space}/members/${who(name).user._id}`));
    }
  });
});

describe('the current workspace', () => {
  it('is the first at sign-in, the chosen one after a switch, and stays so over a refresh', async () => {
    const fay = await people.register('fay');
    const [one, two] = [await people.workspace(fay, 'One'), await people.workspace(fay, 'Two')];
    assert.equal(resultOf(await people.me(fay.accessToken)).workspace, null, 'the token says so until then');
    assert.equal((await people.login('fay')).user.workspace, one);
    const switched = await people.switch(fay, two);
    assert.equal(switched.user.workspace, two);
    assert.equal(resultOf(await people.me(switched.accessToken)).workspace, two);
    const refreshed = resultOf(await people.refresh(switched.refreshToken)) as unknown as SignedIn;
    assert.equal(refreshed.user.workspace, two);
    assert.equal((await people.login('fay')).user.workspace, one);
    resultOf(await people.manage('DELETE', `/workspaces/${one}`));
    assert.equal((await people.login('fay')).user.workspace, two);
  });

  it('decides what workspace level shows: each token its own', async () => {
    const gus = await people.register('gus');
    const spaces = [await people.workspace(gus, 'One'), await people.workspace(gus, 'Two')];
    const tokens = await Promise.all(spaces.map(async (id) => (await people.switch(gus, id)).accessToken));
    for (const [at, token] of tokens.entries()) {
      resultOf(await people.records('POST', 'workspace', { text: `in ${at}` }, { token }), 201);
    }
    for (const [at, token] of tokens.entries()) {
      const found = await listed(people.records('GET', 'workspace', undefined, { token }));
      assert.deepEqual(
        found.map(({ text }) => text),
        [`in ${at}`],
      );
    }
    assertRefused(await people.records('GET', 'workspace', undefined, { token: gus.accessToken }), 403);
    assertRefused(await as('ann', 'POST', 'switch', {}), 400);
    assertRefused(await as('ann', 'POST', 'switch', { workspace: 5 }), 400);
  });
});
