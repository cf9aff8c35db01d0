import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Failure } from '../../src/failure.ts';
import type { JsonObject } from '../../src/model/json.ts';
import type { Engine } from '../../src/store/engine.ts';
import { StaleSchema } from '../../src/store/schema.ts';
import { startApp, type TestApp } from '../harness.ts';
import { asAdmin, assertRefused, type Listed, resultOf, strangerId } from '../support.ts';
import {
  assertUnauthenticated,
  Clock,
  makePeople,
  minute,
  type People,
  password,
  type SignedIn,
} from './people.ts';

const clock = new Clock();
/** What the next write fails with. */
let failing: (() => Error) | undefined;
const wrap = (engine: Engine): Engine => ({
  ...engine,
  async openProject(id) {
    const store = await engine.openProject(id);
    const insert: typeof store.insert = async (plan) => {
      const error = failing?.();
      failing = undefined;
      if (error) throw error;
      return store.insert(plan);
    };
    return { ...store, insert };
  },
});
let app: TestApp;
let people: People;
let ann: SignedIn;
let north: string;
before(async () => {
  app = await startApp({ now: clock.now, wrap });
  people = await makePeople(app);
  north = await people.workspace(await people.register('ann'), 'North');
  ann = await people.login('ann');
});
after(() => app.close());

const path = () => `/users/${ann.user._id}/impersonate`;

async function impersonate(more: JsonObject = {}): Promise<string> {
  const reply = await people.manage('POST', path(), { minutes: 5, reason: 'Ticket 7', ...more });
  const { accessToken, ...rest } = resultOf(reply);
  assert.deepEqual(rest, { tokenType: 'Bearer', expiresIn: 300 });
  return String(accessToken);
}

async function audit(): Promise<JsonObject[]> {
  const reply = await app.call('GET', '/v1/_admin/audit?project=shop', asAdmin);
  return (resultOf(reply) as unknown as Listed).found as unknown as JsonObject[];
}

describe('an administrator who acts for a user', () => {
  it('sees and writes what the user would, and every write is in the audit', async () => {
    const token = await impersonate();
    const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
    assert.deepEqual(claims.act, { sub: 'VITRINE_ADMIN_KEY' });
    const made = resultOf(await people.records('POST', 'workspace', { text: 'x' }, { token }), 201);
    const id = String(made._id);
    const listed = await people.records('GET', 'workspace?fields=_owner,_workspace', undefined, {
      token: ann.accessToken,
    });
    assert.deepEqual((resultOf(listed) as unknown as Listed).found[0], {
      ...{ _id: id, _owner: ann.user._id, _workspace: north },
    });
    resultOf(await people.records('PATCH', `workspace/${id}`, { text: 'y' }, { token }));
    assertRefused(await people.records('PATCH', `workspace/${strangerId}`, { text: 'y' }, { token }), 404);
    resultOf(await people.records('POST', 'user/batch', { create: [{ text: 'z' }] }, { token }));
    resultOf(await people.records('DELETE', `workspace/${id}`, undefined, { token }));
    resultOf(await people.records('GET', 'workspace', undefined, { token }));
    const entries = (await audit()).slice(0, 6).map(({ action, target, outcome, actor }) => {
      assert.equal(actor, 'VITRINE_ADMIN_KEY');
      return [action, target, outcome];
    });
    assert.deepEqual(entries, [
      ['impersonated.DELETE', `workspace/${id}`, 'done'],
      ['impersonated.POST', 'user', 'done'],
      ['impersonated.PATCH', `workspace/${strangerId}`, 'refused'],
      ['impersonated.PATCH', `workspace/${id}`, 'done'],
      ['impersonated.POST', 'workspace', 'done'],
      ['user.impersonate', `${ann.user._id}: Ticket 7`, 'done'],
    ]);
  });

  it('has one entry for a write that is answered anew, and knows that a server out of reach did nothing', async () => {
    const token = await impersonate();
    const write = () => people.records('POST', 'user', { text: 'x' }, { token });
    const newest = async (many: number) => (await audit()).slice(0, many).map(({ outcome }) => outcome);
    failing = () => new StaleSchema();
    resultOf(await write(), 201);
    failing = () => new Failure('unavailable', 'Out of reach', { retryAfter: 1 });
    assertRefused(await write(), 503);
    failing = () => new Failure('unavailable', 'Nobody knows');
    assertRefused(await write(), 503);
    assert.deepEqual(await newest(4), ['unknown', 'refused', 'done', 'done']);
    assert.equal((await audit())[3]?.action, 'user.impersonate');
  });

  it('changes nothing about the account, and gets no longer life', async () => {
    const token = await impersonate({ reason: 'Ticket 8' });
    const { found } = resultOf(
      await people.auth('GET', 'sessions', undefined, { token: ann.accessToken }),
    ) as unknown as Listed;
    const session = found.find(({ userAgent }) => String(userAgent).includes('Ticket 8'));
    assert.ok(session, 'the user sees it');
    const refused: [string, string, JsonObject?][] = [
      ['PATCH', 'me', { name: 'x' }],
      ['PATCH', 'me', { password: 'another password', currentPassword: password }],
      ['POST', 'me/delete', { currentPassword: password }],
      ['POST', 'email', { email: 'x@example.com', currentPassword: password }],
      ['POST', 'verify/send'],
      ['POST', 'totp'],
      ['POST', 'totp/confirm', { code: '123456' }],
      ['DELETE', 'totp', { code: '123456' }],
      ['DELETE', 'sessions'],
      ['DELETE', `sessions/${found[0]?._id}`],
      ['DELETE', `identities/${strangerId}`],
      ['POST', 'oidc/one', {}],
      ['POST', 'switch', { workspace: north }],
      ['POST', 'workspaces', { name: 'South' }],
      ['PATCH', `workspaces/${north}`, { name: 'South' }],
      ['DELETE', `workspaces/${north}`],
      ['PATCH', `workspaces/${north}/members/${ann.user._id}`, { role: 'member' }],
      ['DELETE', `workspaces/${north}/members/${ann.user._id}`],
      ['POST', `workspaces/${north}/invitations`, { email: 'x@example.com' }],
      ['DELETE', `workspaces/${north}/invitations/${strangerId}`],
      ['POST', `invitations/${strangerId}/accept`, {}],
      ['POST', `invitations/${strangerId}/decline`],
    ];
    for (const [verb, rest, body] of refused) {
      const reply = await people.auth(verb, rest, body, { token });
      // A path that does not exist would be a 404, and a bad body a 400: nobody gets that far.
      assertRefused(reply, 403, 'acts for a user');
    }
    assert.equal(resultOf(await people.me(token)).email, ann.user.email);
    resultOf(await people.auth('DELETE', `sessions/${session._id}`, undefined, { token: ann.accessToken }));
    assertUnauthenticated(await people.me(token));
    const short = await impersonate();
    clock.move(5 * minute);
    assertUnauthenticated(await people.me(short));
  });

  it('is in a workspace of the user, and ends with the account', async () => {
    ann = await people.login('ann');
    assert.equal(resultOf(await people.me(await impersonate({ workspace: north }))).workspace, north);
    const bad: JsonObject[] = [
      { minutes: 0, reason: 'x' },
      { minutes: 61, reason: 'x' },
      { minutes: 5 },
      { minutes: 5, reason: '' },
      { minutes: 5, reason: 'x', workspace: strangerId },
    ];
    for (const body of bad) assertRefused(await people.manage('POST', path(), body), 400);
    const body = { minutes: 5, reason: 'x' };
    for (const access of ['write', 'read']) {
      const { key } = await people.key({ access });
      assertRefused(await people.manage('POST', path(), body, key), 403);
    }
    assertRefused(await people.manage('POST', path(), body, ann.accessToken), 403);
    assertRefused(await people.manage('POST', `/users/${strangerId}/impersonate`, body), 404);
    const token = await impersonate();
    resultOf(await people.manage('PATCH', `/users/${ann.user._id}`, { disabled: true }));
    assertUnauthenticated(await people.me(token));
    assertRefused(await people.manage('POST', path(), body), 409);
  });
});
