import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { digest } from '../../src/access/secret.ts';
import type { JsonObject } from '../../src/model/json.ts';
import { adminKey, type Reply, startApp, type TestApp } from '../harness.ts';
import { followEvents } from './events.ts';

/** The change feed through the front door: pages, waiting and streams, for whoever may see what. */

const field = { fields: { text: { type: 'text' }, n: { type: 'number' } } };
const collections = [
  { id: 'open', ...field, api: { access: 'public' } },
  { id: 'own', ...field, api: { access: 'user' } },
  { id: 'team', ...field, api: { access: 'workspace' } },
  { id: 'off', ...field, api: { access: 'public', methods: { changes: { enabled: false } } } },
  { id: 'dark', ...field, api: { access: 'public', methods: { viewAll: { enabled: false } } } },
];

interface Change {
  readonly position: string;
  readonly kind: string;
  readonly collection: string;
  readonly _id: string | null;
  readonly at: string;
  readonly record: Record<string, unknown> | null;
}

interface Page {
  readonly next: string;
  readonly upToDate: boolean;
  readonly changes: readonly Change[];
}

const pageOf = (reply: Reply): Page => {
  assert.equal(reply.status, 200, reply.text);
  return reply.body.result as unknown as Page;
};
const told = ({ changes }: Page) =>
  changes.map(({ kind, collection, _id }) => `${kind} ${collection} ${_id}`);

describe('the change feed', () => {
  let app: TestApp;
  const users: { id: string; token: string }[] = [];

  before(async () => {
    app = await startApp();
    await app.project('p', ...collections);
    for (const name of ['ann', 'ben']) {
      const body = { email: `${name}@example.com`, password: 'correct horse' };
      const reply = await app.call('POST', '/v1/p/_auth/register', { body });
      const { user, accessToken } = reply.body.result as { user: { _id: string }; accessToken: string };
      users.push({ id: user._id, token: accessToken });
    }
  });
  after(() => app.close());

  const user = (index: number) => users[index] as { id: string; token: string };
  const get = async (path: string, token?: string) => pageOf(await app.call('GET', path, { token }));
  const now = async (token?: string) => (await get('/v1/p/_changes?after=now', token)).next;
  async function create(collection: string, token = adminKey, body = {}): Promise<string> {
    const reply = await app.call('POST', `/v1/p/${collection}`, { body, token });
    assert.equal(reply.status, 201, reply.text);
    return String(reply.body.result._id);
  }
  const update = (collection: string, id: string, body: object, token = adminKey) =>
    app.call('PATCH', `/v1/p/${collection}/${id}`, { body: body as never, token });
  const remove = (collection: string, id: string, token = adminKey) =>
    app.call('DELETE', `/v1/p/${collection}/${id}`, { token });

  it('tells of each record once, at its last change, as the caller sees it', async () => {
    const start = await now();
    const one = await create('open', adminKey, { text: 'a' });
    const two = await create('open', adminKey, { text: 'b' });
    for (const text of ['c', 'd']) await update('open', one, { text });
    const gone = await create('open');
    await remove('open', gone);
    const page = await get(`/v1/p/_changes?after=${start}`);
    assert.deepEqual(told(page), [`create open ${two}`, `update open ${one}`, `delete open ${gone}`]);
    assert.equal(page.upToDate, true);
    const view = await app.call('GET', `/v1/p/open/${one}`);
    assert.deepEqual(page.changes[1]?.record, view.body.result);
    assert.equal(page.changes[1]?.at, view.body.result._updatedAt);
    assert.equal(page.changes[2]?.record, null);
    assert.deepEqual(
      told(await get(`/v1/p/_changes?after=${page.changes[0]?.position}`)),
      told(page).slice(1),
    );
    assert.deepEqual(await get(`/v1/p/_changes?after=${page.next}`), { ...page, changes: [] });
    const walked: string[] = [];
    for (let next = start, done = false; !done; ) {
      const part = await get(`/v1/p/open/_changes?perPage=1&after=${next}`);
      walked.push(...told(part));
      next = part.next;
      done = part.upToDate;
    }
    assert.deepEqual(walked, told(page));
    const narrow = await get(`/v1/p/open/_changes?fields=text&after=${start}`);
    assert.deepEqual(narrow.changes[1]?.record, { _id: one, text: 'd' });
  });

  it('tells nobody of records out of their scope, and moves on', async () => {
    const [ann, ben] = [user(0), user(1)];
    const [ofAnn, ofBen] = [await now(ann.token), await now(ben.token)];
    const mine = await create('own', ann.token);
    const page = await get(`/v1/p/_changes?after=${ofAnn}`, ann.token);
    assert.deepEqual(told(page), [`create own ${mine}`]);
    const others = await get(`/v1/p/_changes?after=${ofBen}`, ben.token);
    assert.deepEqual(others.changes, []);
    assert.notEqual(others.next, ofBen);
    assert.deepEqual(told(await get(`/v1/p/own/_changes?after=${await now(adminKey)}`, adminKey)), []);
    await update('own', mine, { _owner: ben.id });
    assert.deepEqual(told(await get(`/v1/p/_changes?after=${page.next}`, ann.token)), [`delete own ${mine}`]);
    const gained = await get(`/v1/p/_changes?after=${others.next}`, ben.token);
    assert.deepEqual(told(gained), [`update own ${mine}`]);
    // And back, and away once more: the last of it alone.
    await update('own', mine, { _owner: ann.id });
    await update('own', mine, { _owner: ben.id });
    assert.deepEqual(told(await get(`/v1/p/_changes?after=${page.next}`, ann.token)), [`delete own ${mine}`]);
    await update('own', mine, { _owner: ann.id });
    assert.deepEqual(told(await get(`/v1/p/_changes?after=${page.next}`, ann.token)), [`update own ${mine}`]);
    await remove('own', mine);
    assert.deepEqual(told(await get(`/v1/p/_changes?after=${page.next}`, ann.token)), [`delete own ${mine}`]);
    assert.deepEqual(told(await get(`/v1/p/_changes?after=${gained.next}`, ben.token)), [
      `delete own ${mine}`,
    ]);
  });

  it('refuses what View All would, and what is no position', async () => {
    const status = async (path: string, token?: string) => (await app.call('GET', path, { token })).status;
    const { token } = user(0);
    assert.equal(await status('/v1/p/own/_changes'), 401);
    assert.equal(await status('/v1/p/_changes?collections=own'), 401);
    assert.equal(await status('/v1/p/team/_changes', token), 403);
    assert.equal(await status('/v1/p/off/_changes'), 404);
    assert.equal(await status('/v1/p/dark/_changes'), 404);
    assert.equal(await status('/v1/p/off/_changes', adminKey), 200);
    assert.equal(await status('/v1/p/none/_changes'), 404);
    assert.equal(await status('/v1/p/_changes?collections=open,none'), 404);
    assert.equal(await status('/v1/p/_changes?fields=text'), 400);
    assert.equal(await status('/v1/p/_changes?wait=61'), 400);
    assert.equal(await status('/v1/p/_changes?perPage=0'), 400);
    const position = await now(token);
    assert.equal(await status(`/v1/p/_changes?after=${position}`), 400);
    assert.equal(await status(`/v1/p/_changes?after=x${position}`, token), 400);
    assert.equal(await status(`/v1/p/_changes?after=${position}`, 'nonsense'), 401);
    assert.equal(await status(`/v1/p/_changes?after=${position}`, user(1).token), 400);
  });

  it('gives large records a few at a time, and goes on with the next', async () => {
    const [begin, large] = [await now(), 'x'.repeat(900_000)];
    const made: string[] = [];
    for (let n = 0; n < 24; n++) made.push(await create('open', adminKey, { text: large, n }));
    const told: unknown[] = [];
    for (let after = begin; ; ) {
      const reply = await app.call('GET', `/v1/p/open/_changes?perPage=1000&after=${after}`);
      assert.ok(reply.text.length < 8_000_000, `${reply.text.length} characters`);
      const page = pageOf(reply);
      told.push(...page.changes.map(({ _id, record }) => [_id, record?.n, String(record?.text).length]));
      after = page.next;
      if (page.upToDate) break;
    }
    assert.deepEqual(
      told,
      made.map((id, n) => [id, n, large.length]),
    );
  });

  it('waits for what concerns the caller alone', async () => {
    const { token } = user(0);
    const start = await now(token);
    const begun = performance.now();
    const waiting = get(`/v1/p/_changes?collections=own&wait=60&after=${start}`, token);
    await create('own', user(1).token);
    await new Promise((resolve) => setTimeout(resolve, 100));
    const mine = await create('own', token);
    const page = await waiting;
    assert.deepEqual(told(page), [`create own ${mine}`]);
    assert.ok(performance.now() - begun < 55_000, 'it came when the wait was over');
    const quiet = await get(`/v1/p/_changes?collections=own&wait=1&after=${page.next}`, token);
    assert.deepEqual(quiet.changes, []);
  });

  it('lets others have their turn while somebody reads through a long log', async () => {
    const start = await now();
    const create = Array.from({ length: 200 }, (_, n) => ({ n }));
    const made = await app.call('POST', '/v1/p/open/batch', { body: { create }, token: adminKey });
    const ids = (made.body.result.created as { _id: string }[]).map(({ _id }) => _id);
    for (let round = 0; round < 25; round++) {
      const body = { update: ids.map((_id, n) => ({ _id, n: n + round + 1 })) };
      assert.equal((await app.call('POST', '/v1/p/open/batch', { body, token: adminKey })).status, 200);
    }
    let [turns, reading] = [0, true];
    const count = () => {
      turns += 1;
      if (reading) setImmediate(count);
    };
    setImmediate(count);
    const begun = performance.now();
    const stream = await followEvents(app, `/v1/p/open/_changes?after=${start}`);
    await stream.next(({ data }) => data?._id === ids.at(-1));
    reading = false;
    const took = performance.now() - begun;
    await stream.close();
    assert.ok(turns >= Math.min(10, took / 10), `others had ${turns} turns in ${took} ms`);
  });

  it('streams changes, goes on where a client was, and ends when it may not', async () => {
    const { token } = user(0);
    const stream = await followEvents(app, '/v1/p/_changes?after=now', { token });
    assert.equal(stream.status, 200);
    assert.equal(stream.headers.get('content-type'), 'text/event-stream');
    const one = await create('own', token, { text: 'x' });
    const event = await stream.next();
    assert.equal(event.event, 'create');
    assert.equal(event.data?._id, one);
    assert.equal(event.id, event.data?.position);
    await stream.close();
    const two = await create('own', token, { text: 'y' });
    const again = await followEvents(app, '/v1/p/_changes?after=now', {
      token,
      headers: { 'last-event-id': String(event.id) },
    });
    assert.equal((await again.next()).data?._id, two);
    const before = again.seen.length;
    await app.call('PATCH', `/v1/_admin/projects/p/users/${user(0).id}`, {
      body: { disabled: true },
      token: adminKey,
    });
    await create('open');
    await again.over;
    assert.deepEqual(
      again.seen.slice(before).map(({ event: kind }) => kind),
      ['end'],
    );
  });

  it('gives tickets to those who can send no header', async () => {
    const { token } = user(1);
    const reply = await app.call('POST', '/v1/p/_auth/ticket', { token });
    assert.equal(reply.status, 200, reply.text);
    const { ticket, expiresIn } = reply.body.result as { ticket: string; expiresIn: number };
    assert.ok(expiresIn > 800 && expiresIn <= 900);
    const stream = await followEvents(app, `/v1/p/_changes?after=now&ticket=${ticket}`);
    const one = await create('own', token);
    assert.equal((await stream.next()).data?._id, one);
    await stream.close();
    assert.equal((await app.call('GET', `/v1/p/own?ticket=${ticket}`)).status, 401);
    for (const bad of [`ticket=x${ticket}`, 'ticket=', 'ticket', 'ticket=a.b', `ticket=${token}`]) {
      assert.equal((await app.call('GET', `/v1/p/_changes?${bad}`)).status, 401, bad);
      assert.equal((await app.call('GET', `/v1/p/open/_changes?after=now&${bad}`)).status, 401, bad);
      for (const absent of ['nope', 'off'])
        assert.equal((await app.call('GET', `/v1/p/${absent}/_changes?${bad}`)).status, 404, bad);
    }
    assert.equal((await app.call('POST', '/v1/p/_auth/ticket')).status, 401);
    assert.equal((await app.call('POST', '/v1/p/_auth/ticket', { token: adminKey })).status, 403);
  });

  it('gives a sign of life, with the position where only others had changes', async () => {
    const { token } = user(1);
    // Each has a second of its own among twenty: so one of them is soon.
    const path = '/v1/p/_changes?collections=own&after=now';
    const streams = await Promise.all(Array.from({ length: 20 }, () => followEvents(app, path, { token })));
    const until = async (isSo: () => boolean) => {
      for (const latest = performance.now() + 60_000; !isSo(); ) {
        assert.ok(performance.now() < latest, 'no sign of life');
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    };
    await until(() => streams.every(({ lastId }) => lastId !== undefined));
    const known = streams.map(({ lastId }) => lastId);
    await create('own');
    await until(() => streams.some(({ lastId }, index) => lastId !== known[index]));
    const moved = streams.find(({ lastId }, index) => lastId !== known[index]);
    assert.deepEqual(
      streams.flatMap(({ seen }) => seen),
      [],
    );
    for (const stream of streams) await stream.close();
    const mine = await create('own', token);
    assert.deepEqual(told(await get(`/v1/p/_changes?after=${moved?.lastId}`, token)), [`create own ${mine}`]);
  });

  it('begins a stream anew whose position is not kept any more', async () => {
    const start = await now();
    for (let count = 0; count < 3; count++) await create('open');
    await app.catalog().use('p', ({ store }) => store.log.forget(Date.now() + 60_000));
    assert.equal((await app.call('GET', `/v1/p/_changes?after=${start}`)).status, 410);
    const stream = await followEvents(app, `/v1/p/_changes?after=${start}`);
    const { event, id } = await stream.next();
    assert.equal(event, 'reset');
    const one = await create('open');
    assert.equal((await stream.next()).data?._id, one);
    await stream.close();
    assert.deepEqual(told(await get(`/v1/p/_changes?after=${id}`)), [`create open ${one}`]);
  });

  it('tells by refetch of every switch of viewAll and changes, and of no other', async () => {
    await app.project('switched', { id: 'a', ...field, api: { access: 'public' } });
    const [off, path] = [{ enabled: false }, '/v1/switched/_changes'];
    const kinds = async (methods: JsonObject) => {
      const { next } = await get(`${path}?after=now`, adminKey);
      const body = { id: 'a', ...field, api: { access: 'public', methods } };
      const put = await app.call('PUT', '/v1/_admin/projects/switched/collections/a', {
        ...{ body, token: adminKey },
      });
      assert.equal(put.status, 200, put.text);
      return (await get(`${path}?after=${next}`, adminKey)).changes.map(({ kind }) => kind);
    };
    assert.deepEqual(await kinds({ changes: off }), ['refetch']);
    assert.deepEqual(await kinds({ changes: off, viewAll: off }), ['refetch']);
    assert.deepEqual(await kinds({ viewAll: off }), ['refetch']);
    assert.deepEqual(await kinds({ viewAll: off, create: off }), []);
    assert.deepEqual(await kinds({}), ['refetch']);
  });

  it('tells an administrator nothing that is committed after their sign-in has ended', async () => {
    const [email, password] = ['admin@example.com', 'a long enough password'];
    await app.catalog().administrators.offerSetup(digest('set-up'));
    const made = await app.call('POST', '/v1/_admin/setup', { body: { token: 'set-up', email, password } });
    assert.equal(made.status, 201, made.text);
    const signIn = async () => {
      const reply = await app.call('POST', '/v1/_admin/login', { body: { email, password } });
      return String(reply.body.result.accessToken ?? reply.body.result.token);
    };
    const [token, other] = [await signIn(), await signIn()];
    const stream = await followEvents(app, '/v1/p/open/_changes?after=now', { token });
    await stream.started;
    const one = await create('open');
    assert.equal((await stream.next()).data?._id, one);
    const begin = await now(other);
    const waiting = app.call('GET', `/v1/p/open/_changes?wait=60&after=${begin}`, { token: other });
    await new Promise((resolve) => setTimeout(resolve, 100));
    for (const ended of [token, other])
      assert.equal((await app.call('POST', '/v1/_admin/logout', { token: ended })).status, 200);
    await create('open');
    assert.equal((await waiting).status, 401);
    await stream.over;
    assert.deepEqual(
      stream.seen.map(({ event }) => event),
      ['create', 'end'],
    );
  });

  it('tells by refetch that a collection is another one, also where it is gone', async () => {
    await app.project('q', { id: 'a', ...field, api: { access: 'public' } }, { id: 'b', ...field });
    const stream = await followEvents(app, '/v1/q/_changes?collections=a&after=now');
    const all = await followEvents(app, '/v1/q/_changes?after=now');
    const put = (id: string, body: object) =>
      app.call('PUT', `/v1/_admin/projects/q/collections/${id}`, { body: body as never, token: adminKey });
    const more = { ...field.fields, more: { type: 'text' } };
    assert.equal((await put('a', { id: 'a', fields: more, api: { access: 'public' } })).status, 200);
    assert.deepEqual((await stream.next()).data?.collection, 'a');
    await put('b', { id: 'b', fields: more }); // none of nobody's business
    await app.call('DELETE', '/v1/_admin/projects/q/collections/a', { token: adminKey });
    assert.deepEqual((await stream.next()).event, 'refetch');
    assert.deepEqual((await stream.next()).event, 'end');
    await stream.over;
    const kinds = [await all.next(), await all.next()];
    assert.deepEqual(
      kinds.map(({ event, data }) => `${event} ${data?.collection}`),
      ['refetch a', 'refetch a'],
    );
    await app.call('DELETE', '/v1/_admin/projects/q?confirm=destructive', { token: adminKey });
    await all.over;
  });

  it('gives nobody fields that they could not ask for any more', async () => {
    const { token } = user(1);
    const put = async (access: string, fields: object = field.fields) => {
      const body = { id: 'owned', fields, api: { access } } as never;
      const path = '/v1/_admin/projects/p/collections/owned?confirm=destructive';
      const reply = await app.call('PUT', path, { body, token: adminKey });
      assert.equal(reply.status, 200, reply.text);
    };
    const made = { token: adminKey, body: { id: 'owned', ...field, api: { access: 'user' } } };
    assert.equal((await app.call('POST', '/v1/_admin/projects/p/collections', made)).status, 201);
    const lost = [
      ['fields=text,_owner', () => put('public'), /_owner/],
      ['fields=text,n', () => put('user', { text: { type: 'text' } }), /'n' is not a field/],
    ] as const;
    for (const [query, change, message] of lost) {
      await put('user');
      const path = `/v1/p/owned/_changes?${query}&after=`;
      const { next } = await get(`${path}now`, token);
      const stream = await followEvents(app, `${path}now`, { token });
      await stream.started;
      const waiting = app.call('GET', `${path}${next}&wait=60`, { token });
      const mine = await create('owned', token, { text: 'mine' });
      assert.equal((await stream.next()).data?._id, mine);
      assert.deepEqual(told(pageOf(await waiting)), [`create owned ${mine}`]);
      const again = app.call('GET', `${path}${(await get(`${path}now`, token)).next}&wait=60`, { token });
      await change();
      await create('owned', adminKey, { text: "somebody else's" });
      const refused = await again;
      assert.equal(refused.status, 400, refused.text);
      assert.match(refused.body.error, message);
      await stream.over;
      assert.deepEqual(
        stream.seen.map(({ event }) => event),
        ['create', 'refetch', 'end'],
      );
    }
  });
});
