import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { JsonObject } from '../../src/model/json.ts';
import { adminKey, type TestApp } from '../harness.ts';
import { Post } from '../mail/post.ts';
import { type Listed, resultOf, strangerId } from '../support.ts';
import { Clock, day, makePeople, type People, type Place, password, startPlace } from './people.ts';

/** Every call of `_auth` for every kind of caller: who is not a user of the project gets no further than that. */

const clock = new Clock();
let place: Place;
let app: TestApp;
let people: People;
before(async () => {
  place = await startPlace({ now: clock.now, mail: new Post() });
  app = place.app;
  people = await makePeople(app);
});
after(() => place.close());

interface Call {
  readonly verb: string;
  readonly path: string;
  readonly open: boolean;
}

async function listCalls(): Promise<Call[]> {
  const reply = await app.call('GET', '/v1/shop/_openapi.json');
  const { paths } = JSON.parse(reply.text) as { paths: Record<string, Record<string, JsonObject>> };
  return Object.entries(paths)
    .filter(([path]) => path.startsWith('/_auth/'))
    .flatMap(([path, verbs]) =>
      Object.entries(verbs).map(([verb, { security }]) => ({
        verb: verb.toUpperCase(),
        path: path.replaceAll(/\{\w+\}/g, strangerId),
        open: Array.isArray(security) && security.length === 0,
      })),
    );
}

/** Tokens of callers who are no user of the project, or not any more, and what they get. */
async function refusedCallers(): Promise<Record<string, { token?: string; status: number }>> {
  const old = await people.register('old');
  clock.move(day); // longer than any access token is good
  const [disabled, deleted, ended, renewed] = await Promise.all(
    ['disabled', 'deleted', 'ended', 'renewed'].map((name) => people.register(name)),
  );
  assert.ok(disabled && deleted && ended && renewed);
  resultOf(await people.manage('PATCH', `/users/${disabled.user._id}`, { disabled: true }));
  resultOf(await people.manage('DELETE', `/users/${deleted.user._id}`));
  resultOf(await people.auth('POST', 'logout', { refreshToken: ended.refreshToken }));
  resultOf(await people.manage('PATCH', `/users/${renewed.user._id}`, { password }));
  await app.project('elsewhere');
  const body = { email: 'ann@example.com', password };
  const stranger = resultOf(await app.call('POST', '/v1/elsewhere/_auth/register', { body }), 201);
  const [, claims = ''] = disabled.accessToken.split('.');
  return {
    nobody: { status: 401 },
    nonsense: { token: 'nonsense', status: 401 },
    unsigned: { token: `eyJhbGciOiJub25lIn0.${claims}.`, status: 401 },
    expired: { token: old.accessToken, status: 401 },
    disabled: { token: disabled.accessToken, status: 401 },
    deleted: { token: deleted.accessToken, status: 401 },
    ended: { token: ended.accessToken, status: 401 },
    'with a new password': { token: renewed.accessToken, status: 401 },
    'of another project': { token: String(stranger.accessToken), status: 403 },
    'a server key': { token: (await people.key()).key, status: 403 },
    'the administrator': { token: adminKey, status: 403 },
  };
}

/** What management sees of a workspace and its owner. */
async function snapshot(space: string, user: string): Promise<unknown[]> {
  const paths = [`/workspaces/${space}`, `/workspaces/${space}/members`, `/users/${user}`];
  return Promise.all(paths.map(async (path) => resultOf(await people.manage('GET', path))));
}

describe('the calls of accounts', () => {
  it('that need a user refuse every other caller, before they look at anything else', async () => {
    const calls = (await listCalls()).filter(({ open }) => !open);
    assert.ok(calls.length > 20, `${calls.length} calls`);
    const callers = await refusedCallers();
    const wrong: string[] = [];
    for (const { verb, path } of calls) {
      for (const [who, { token, status }] of Object.entries(callers)) {
        const body = verb === 'GET' || verb === 'DELETE' ? undefined : { nonsense: 1 };
        const reply = await app.call(verb, `/v1/shop${path}`, { body, token });
        if (reply.status !== status) wrong.push(`${verb} ${path} for ${who}: ${reply.status}`);
      }
    }
    assert.deepEqual(wrong, []);
  });

  it('tell nobody of what is others, whichever real id is in the path', async () => {
    const [secret, marked] = ['Marked workspace', 'marked-owner'];
    const owner = await people.register(marked);
    const space = await people.workspace(owner, secret);
    const asOwner = { token: owner.accessToken };
    const path = `workspaces/${space}/invitations`;
    const body = { email: 'marked-invited@example.com' };
    const invitation = resultOf(await people.auth('POST', path, body, asOwner), 201);
    const sessions = resultOf(await people.auth('GET', 'sessions', undefined, asOwner)) as unknown as Listed;
    const before = await snapshot(space, owner.user._id);
    const eve = await people.register('eve');
    const ids = [space, owner.user._id, String(invitation._id), String(sessions.found[0]?._id)];
    for (const { verb, path: call } of (await listCalls()).filter(({ open }) => !open)) {
      if (call === '/_auth/sessions' && verb === 'DELETE') continue; // her own
      const places = call.split(strangerId).length - 1;
      if (places === 0 && verb !== 'GET') continue;
      for (const first of ids) {
        for (const second of places > 1 ? ids : ['']) {
          const real = call.replace(strangerId, first).replace(strangerId, second);
          const sent = verb === 'GET' || verb === 'DELETE' ? undefined : {};
          const reply = await app.call(verb, `/v1/shop${real}`, { body: sent, token: eve.accessToken });
          assert.doesNotMatch(reply.text, /marked/i, `${verb} ${real}`);
          if (places > 0) assert.ok([400, 404].includes(reply.status), `${verb} ${real}: ${reply.text}`);
        }
      }
    }
    assert.deepEqual(await snapshot(space, owner.user._id), before);
    resultOf(await people.me(owner.accessToken));
  });

  it('that are open take no notice of a token, and refuse what is not asked for', async () => {
    for (const { verb, path } of (await listCalls()).filter((call) => call.open && call.verb === 'POST')) {
      for (const token of [undefined, 'nonsense']) {
        const reply = await app.call(verb, `/v1/shop${path}`, { body: { nonsense: 1 }, token });
        assert.equal(reply.status, 400, `${verb} ${path}: ${reply.text}`);
      }
    }
  });
});
