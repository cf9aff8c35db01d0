import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { after, afterEach, before, describe, it } from 'node:test';
import type { JsonObject } from '../../src/model/json.ts';
import { adminKey } from '../harness.ts';
import { sent, startWorld, verified, type World } from './world.ts';

const hour = 3_600_000;

describe('webhooks', () => {
  let world: World;
  before(async () => {
    world = await startWorld();
  });
  after(() => world.close());
  afterEach(async () => {
    const { found } = (await world.admin('GET', '')).body.result as { found: { _id: string }[] };
    for (const { _id } of found) await world.admin('DELETE', `/${_id}`);
    world.receiver.received.length = 0;
    world.receiver.answer((_, response) => response.writeHead(204).end());
    assert.deepEqual(world.app.errors, []);
  });

  const fails = () => world.receiver.answer((_, response) => response.writeHead(500).end());
  const works = () => world.receiver.answer((_, response) => response.writeHead(204).end());
  const types = () => world.receiver.received.map((one) => sent(one).type);

  it('are made with a secret that is answered once', async () => {
    const url = 'https://example.com/hook';
    const body = {
      name: 'orders',
      url,
      collections: ['products'],
      kinds: ['create'],
      fields: ['title', '_owner'],
    };
    const made = await world.admin('POST', '', body);
    assert.equal(made.status, 201, made.text);
    const { result } = made.body;
    assert.match(String(result.secret), /^whsec_[A-Za-z0-9+/]{43}=$/);
    const { secret: _, ...rest } = result;
    assert.deepEqual({ ...rest, ...body }, rest);
    assert.deepEqual([rest.paused, rest.pausedBecause, rest.failures], [false, null, 0]);
    const seen = await world.admin('GET', `/${result._id}`);
    assert.deepEqual(seen.body.result, rest);
    const list = await world.admin('GET', '?perPage=10');
    assert.deepEqual(list.body.result, { page: 1, perPage: 10, total: 1, totalPages: 1, found: [rest] });
    const changed = await world.admin('PATCH', `/${result._id}`, {
      name: 'all',
      fields: null,
      collections: [],
    });
    assert.deepEqual(
      [changed.body.result.name, changed.body.result.fields, changed.body.result.collections],
      ['all', null, []],
    );
    assert.deepEqual((await world.admin('DELETE', `/${result._id}`)).body.result, { _id: result._id });
    for (const verb of ['GET', 'DELETE'])
      assert.equal((await world.admin(verb, `/${result._id}`)).status, 404);
    assert.equal((await world.admin('PATCH', `/${result._id}`, { name: 'x' })).status, 404);
  });

  it('refuse what is wrong, by field', async () => {
    const good = { name: 'x', url: 'https://example.com/' };
    const refused: [object, RegExp][] = [
      [{ url: good.url }, /^name: is required/],
      [{ name: 'x' }, /^url: is required/],
      [{ ...good, url: 'http://example.com/' }, /^url: must be an address that begins with https/],
      [{ ...good, url: 'nonsense' }, /^url: must be an address/],
      [{ ...good, url: 'https://user:secret@example.com/' }, /^url: must not hold a user name/],
      [{ ...good, url: 'https://169.254.169.254/' }, /^url: must not be a private address/],
      [{ ...good, url: 'https://[::ffff:10.0.0.1]/' }, /^url: must not be a private address/],
      [{ ...good, collections: ['product'] }, /^collections: there is no collection 'product'.*products/],
      [{ ...good, collections: 'products' }, /^collections: must be a list/],
      [{ ...good, kinds: ['created'] }, /^kinds: must be some of create, update, delete/],
      [{ ...good, kinds: [] }, /^kinds: must be some/],
      [{ ...good, fields: ['title'] }, /^fields: can be named only where collections has exactly one/],
      [
        { ...good, collections: ['products'], fields: ['titel'] },
        /^fields: there is no field 'titel'.*title/,
      ],
      [{ ...good, secret: 'mine' }, /^secret: is not a known key/],
    ];
    for (const [body, message] of refused) {
      const reply = await world.admin('POST', '', body as never);
      assert.equal(reply.status, 400, reply.text);
      assert.match(reply.body.error, message);
    }
    const { id } = await world.hook({ collections: ['products'], fields: ['title'] });
    const two = await world.admin('PATCH', `/${id}`, { collections: ['products', 'brands'] });
    assert.equal(two.status, 400);
    assert.match(two.body.error, /^collections: must be one/);
  });

  it('are for the administrator alone', async () => {
    const reply = await world.app.call('GET', '/v1/_admin/projects/shop/webhooks');
    assert.equal(reply.status, 401);
    const key = await world.app.call('POST', '/v1/_admin/projects/shop/keys', {
      body: { name: 'k' },
      token: adminKey,
    });
    const token = String(key.body.result.key);
    assert.equal((await world.app.call('GET', '/v1/_admin/projects/shop/webhooks', { token })).status, 403);
    const other = await world.app.call('GET', '/v1/_admin/projects/none/webhooks', { token: adminKey });
    assert.equal(other.status, 404);
  });

  it('are sent each change, signed, in the order of the record', async () => {
    const { id: hook, secret } = await world.hook();
    const id = await world.create('products', { title: 'a' });
    await world.update('products', id, { title: 'b' });
    await world.sends(() => world.receiver.received.length >= 2);
    await world.delete('products', id);
    await world.sends(() => world.receiver.received.length >= 3);
    const all = world.receiver.received.map((one) => verified(secret, one));
    assert.deepEqual(
      all.map(({ type }) => type),
      ['products.create', 'products.update', 'products.delete'],
    );
    const [, second, third] = all;
    assert.equal(second?.data.record?.title, 'b');
    assert.equal(second?.data._id, id);
    assert.equal(third?.data.record, null);
    assert.match(String(second?.timestamp), /^\d{4}-.*Z$/);
    assert.equal(new Set(world.receiver.received.map(({ headers }) => headers['webhook-id'])).size, 3);
    const rows = await world.deliveries(hook);
    assert.deepEqual(
      rows.map(({ kind, status, attempt, code, nextAt }) => [kind, status, attempt, code, nextAt]),
      ['delete', 'update', 'create'].map((kind) => [kind, 'delivered', 1, 204, null]),
    );
    assert.equal(rows[1]?.position, second?.data.position);
  });

  it('are sent what they ask for: collections, kinds and fields', async () => {
    await world.hook({ collections: ['products'], kinds: ['update'], fields: ['title', '_owner'] });
    const id = await world.create('products', { title: 'a', note: 'n' });
    await world.create('brands', { title: 'a brand' });
    await world.update('products', id, { note: 'm' });
    await world.sends(() => world.receiver.received.length >= 1);
    await world.sendsFor(100);
    assert.deepEqual(types(), ['products.update']);
    const [one] = world.receiver.received.map(sent);
    assert.deepEqual(one?.data.record, { _id: id, title: 'a', _owner: null });
  });

  it('obey Retry-After', async () => {
    const { id: hook } = await world.hook();
    world.receiver.answer((_, response) => response.writeHead(429, { 'retry-after': '90' }).end());
    await world.create('products', { title: 'a' });
    await world.sends(() => world.receiver.received.length >= 1);
    const [row] = await world.deliveries(hook);
    const wait = Date.parse(String(row?.nextAt)) - Date.parse(String(row?.at));
    assert.ok(wait >= 90_000 && wait < 91_000, String(wait));
  });

  it('only 2xx counts; a redirect is a failure like any other', async () => {
    const { id: hook } = await world.hook();
    world.receiver.answer((_, response) => response.writeHead(302, { location: 'https://localhost/' }).end());
    await world.create('products', { title: 'a' });
    await world.sends(async () => (await world.deliveries(hook))[0]?.attempt === 1);
    const [row] = await world.deliveries(hook);
    assert.deepEqual([row?.status, row?.code], ['waiting', 302]);
  });

  it('410 pauses, with the position kept; unpaused it goes on', async () => {
    const { id: hook } = await world.hook();
    world.receiver.answer((_, response) => response.writeHead(410).end());
    await world.create('products', { title: 'a' });
    const paused = async () => (await world.admin('GET', `/${hook}`)).body.result.paused === true;
    await world.sends(paused);
    assert.equal((await world.admin('GET', `/${hook}`)).body.result.pausedBecause, 'gone');
    works();
    const later = await world.create('products', { title: 'b' });
    await world.sendsFor(100);
    assert.equal(world.receiver.received.length, 1);
    const on = await world.admin('PATCH', `/${hook}`, { paused: false });
    assert.deepEqual([on.body.result.paused, on.body.result.pausedBecause], [false, null]);
    await world.sends(() => world.receiver.received.length >= 3);
    assert.ok(world.receiver.received.map(sent).some(({ data }) => data._id === later));
  });

  it('somebody may pause it', async () => {
    const { id: hook } = await world.hook();
    const off = await world.admin('PATCH', `/${hook}`, { paused: true });
    assert.deepEqual([off.body.result.paused, off.body.result.pausedBecause], [true, 'manual']);
    await world.create('products', { title: 'a' });
    await world.sendsFor(100);
    assert.equal(world.receiver.received.length, 0);
    await world.admin('PATCH', `/${hook}`, { paused: false });
    await world.sends(() => world.receiver.received.length >= 1);
  });

  it('for a day after it was replaced the old secret signs too', async () => {
    const { id: hook, secret } = await world.hook();
    const rotated = await world.admin('POST', `/${hook}/rotate`);
    const next = String(rotated.body.result.secret);
    assert.equal(rotated.status, 200);
    assert.notEqual(next, secret);
    await world.create('products', { title: 'a' });
    await world.sends(() => world.receiver.received.length >= 1);
    const [one] = world.receiver.received;
    assert.ok(one);
    for (const each of [secret, next]) assert.equal(verified(each, one).type, 'products.create');
  });

  it('a test tells what came of it, and nothing of the answer but its status', async () => {
    const { id: hook, secret } = await world.hook();
    const good = await world.admin('POST', `/${hook}/test`);
    assert.equal(good.status, 200);
    assert.deepEqual([good.body.result.delivered, good.body.result.code], [true, 204]);
    assert.equal(verified(secret, world.receiver.received[0] as never).type, 'webhook.test');
    world.receiver.answer((_, response) => response.writeHead(500).end('a secret of the receiver'));
    const bad = await world.admin('POST', `/${hook}/test`);
    assert.deepEqual([bad.body.result.delivered, bad.body.result.code], [false, 500]);
    assert.ok(!bad.text.includes('secret'));
    assert.equal((await world.deliveries(hook)).length, 0);
  });

  it('are sent again what came after a position', async () => {
    const { id: hook } = await world.hook();
    const ids: string[] = [];
    for (let n = 0; n < 3; n++) ids.push(await world.create('products', { title: String(n) }));
    await world.sends(() => world.receiver.received.length >= 3);
    const before = world.receiver.received.map((one) => [sent(one).data._id, one.headers['webhook-id']]);
    const first = world.receiver.received.map(sent).find(({ data }) => data._id === ids[0]);
    world.receiver.received.length = 0;
    const replayed = await world.admin('POST', `/${hook}/replay`, { after: first?.data.position ?? '' });
    assert.deepEqual([replayed.status, replayed.body.result], [200, {}]);
    await world.sends(() => world.receiver.received.length >= 2);
    await world.sendsFor(100);
    const again = world.receiver.received.map((one) => [sent(one).data._id, one.headers['webhook-id']]);
    assert.deepEqual(again.sort(), before.filter(([id]) => id !== ids[0]).sort());
    assert.equal((await world.admin('POST', `/${hook}/replay`, { after: 'nonsense' })).status, 400);
  });

  it('what is gone by the time is not sent: its deletion is', async () => {
    await world.hook();
    const id = await world.create('products', { title: 'a' });
    await world.delete('products', id);
    await world.sends(() => world.receiver.received.length >= 1);
    await world.sendsFor(100);
    assert.deepEqual(types(), ['products.delete']);
  });

  it('a position that is no longer kept goes on with refetch', async () => {
    const { id: hook } = await world.hook({ collections: ['products'], kinds: ['update'] });
    await world.admin('PATCH', `/${hook}`, { paused: true });
    for (let n = 0; n < 3; n++) await world.create('products', { title: String(n) });
    await world.app.catalog().use('shop', ({ store }) => store.log.forget(Date.now() + hour));
    await world.admin('PATCH', `/${hook}`, { paused: false });
    await world.sends(() => world.receiver.received.length >= 1);
    const id = await world.create('products', { title: 'after' });
    await world.update('products', id, { title: 'later' });
    await world.sends(() => world.receiver.received.length >= 2);
    assert.deepEqual(types(), ['products.refetch', 'products.update']);
    const kept = await world.admin('POST', `/${hook}/replay`, {
      after: sent(world.receiver.received[0] as never).data.position,
    });
    assert.equal(kept.status, 200, kept.text);
  });

  it('come once, as long as nobody dies', async () => {
    await world.hook();
    const create = Array.from({ length: 250 }, (_, index) => ({ title: String(index) }));
    const path = '/v1/shop/products/batch';
    assert.equal((await world.app.call('POST', path, { body: { create }, token: adminKey })).status, 200);
    await world.sends(() => world.receiver.received.length >= 250);
    await world.sendsFor(100);
    const ids = world.receiver.received.map(({ headers }) => headers['webhook-id']);
    assert.deepEqual([ids.length, new Set(ids).size], [250, 250]);
  });

  it('of many changes few are taken from the log before they can be sent', async () => {
    const { id: hook } = await world.hook();
    const held: ServerResponse[] = [];
    world.receiver.answer((_, response) => void held.push(response));
    for (let n = 0; n < 3; n++) {
      const create = Array.from({ length: 500 }, (_, index) => ({ title: `${n} ${index}` }));
      const path = '/v1/shop/products/batch';
      assert.equal((await world.app.call('POST', path, { body: { create }, token: adminKey })).status, 200);
    }
    let total = 0;
    await world.sends(async () => {
      if (held.length < 8) return false;
      total = Number((await world.admin('GET', `/${hook}/deliveries`)).body.result.total);
      works();
      for (const response of held) response.writeHead(204).end();
      return true;
    });
    assert.ok(total >= 8 && total <= 400, `${total} of 1500`);
  });

  it('end with their project, and with their collection', async () => {
    const { app } = world;
    const admin = (verb: string, path: string, body?: object) =>
      app.call(verb, `/v1/_admin/projects${path}`, { body: body as never, token: adminKey });
    await app.project('brief', {
      id: 'things',
      fields: { title: { type: 'text' } },
      api: { access: 'public' },
    });
    const url = `https://localhost:${world.receiver.port}/brief`;
    const made = await admin('POST', '/brief/webhooks', { name: 'x', url, collections: ['things'] });
    assert.equal(made.status, 201);
    await app.call('POST', '/v1/brief/things', { body: { title: 'a' } });
    await admin('DELETE', '/brief/collections/things?confirm=destructive');
    await world.sends(() => world.receiver.received.length >= 1);
    assert.deepEqual(types(), ['things.refetch']);
    assert.equal((await admin('DELETE', '/brief?confirm=destructive')).status, 200);
    const isListed = async () =>
      (await app.catalog().coordination.listWork('webhooks')).some(({ project }) => project === 'brief');
    assert.ok(await isListed());
    world.later(60_000);
    await world.sends(async () => !(await isListed()));
  });

  it('are paused in a project that was restored', async () => {
    const { id: hook, secret } = await world.hook();
    const admin = (verb: string, path: string, body?: object) =>
      world.app.call(verb, `/v1/_admin${path}`, { body: body as never, token: adminKey });
    const backup = await admin('POST', '/projects/shop/backups');
    assert.equal(backup.status, 201, backup.text);
    const restored = await admin('POST', `/backups/${backup.body.result._id}/restore`, { as: 'again' });
    assert.equal(restored.status, 201, restored.text);
    const { result } = (await admin('GET', `/projects/again/webhooks/${hook}`)).body;
    assert.deepEqual([result.paused, result.pausedBecause], [true, 'restored']);
    await admin('PATCH', `/projects/again/webhooks/${hook}`, { paused: false });
    await world.sends(() => world.receiver.received.length >= 2);
    assert.deepEqual(types().sort(), ['brands.refetch', 'products.refetch']);
    for (const one of world.receiver.received) verified(secret, one);
    await admin('DELETE', '/projects/again?confirm=destructive');
  });

  it('a definition that changes is told as refetch, whatever the kinds', async () => {
    await world.hook({ collections: ['brands'], kinds: ['delete'] });
    const path = '/v1/_admin/projects/shop/collections/brands';
    const { result } = (await world.app.call('GET', path, { token: adminKey })).body;
    const fields = { ...(result.fields as object), extra: { type: 'text' } };
    const changed = await world.app.call('PUT', path, {
      body: { ...result, fields } as never,
      token: adminKey,
    });
    assert.equal(changed.status, 200, changed.text);
    await world.sends(() => world.receiver.received.length >= 1);
    assert.deepEqual(types(), ['brands.refetch']);
    assert.deepEqual(sent(world.receiver.received[0] as never).data.record, null);
  });

  // From here on the clock is put forward: signatures are not of the present any more.

  it('try again after 5 s, 5 min, 30 min, 2 h, 5 h and 10 h, then give up, and the next goes on', async () => {
    const { id: hook } = await world.hook();
    world.receiver.answer((one, response) => {
      response.writeHead(sent(one).type === 'products.create' ? 500 : 204).end();
    });
    const id = await world.create('products', { title: 'a' });
    const waits: number[] = [];
    for (let attempt = 1; attempt <= 7; attempt++) {
      await world.sends(() => world.receiver.received.length >= attempt);
      if (attempt === 6) await world.update('products', id, { title: 'b' });
      const [row] = (await world.deliveries(hook)).filter(({ kind }) => kind === 'create');
      assert.equal(row?.attempt, attempt);
      assert.equal(row?.code, 500);
      if (row?.nextAt === null) break;
      waits.push((Date.parse(String(row?.nextAt)) - Date.parse(String(row?.at))) / 1000);
      world.later((waits[attempt - 1] as number) * 1000);
    }
    for (const [index, expected] of [5, 300, 1_800, 7_200, 18_000, 36_000].entries()) {
      const wait = waits[index] ?? 0;
      assert.ok(wait >= expected * 0.9 && wait <= expected * 1.1, `${wait} s in place of ${expected}`);
    }
    await world.sends(() => world.receiver.received.length >= 8);
    const ids = world.receiver.received.map(({ headers }) => headers['webhook-id']);
    assert.equal(new Set(ids.slice(0, 7)).size, 1);
    assert.equal(types().at(-1), 'products.update');
    const rows = await world.deliveries(hook);
    assert.deepEqual(
      rows.map(({ kind, status }) => [kind, status]),
      [
        ['update', 'delivered'],
        ['create', 'failed'],
      ],
    );
  });

  for (const [name, ahead] of [
    ['two hours', 2 * hour],
    ['a year', 365 * 24 * hour],
  ] as const) {
    it(`what a clock put off that was ${name} ahead is tried once it is right again`, async () => {
      await world.hook();
      world.receiver.answer((_, response) => response.writeHead(500).end());
      world.later(ahead);
      await world.create('products', { title: 'a' });
      await world.sends(() => world.receiver.received.length >= 1);
      world.later(-ahead);
      await world.sends(() => world.receiver.received.length >= 2);
      assert.deepEqual(types(), ['products.create', 'products.create']);
    });
  }

  it('what a node took whose clock is two hours ahead, and did not send, is due for the next', async () => {
    const { id } = await world.hook();
    await world.sendsFor(100);
    const found = await world.app.catalog().use('shop', async ({ store: { webhooks }, schema }) => {
      const { position = '' } = (await webhooks.find(id)) ?? {};
      const change = { position, kind: 'create', collection: 'products', id: 'r', changed: 0 } as const;
      const now = Date.now();
      const places = { webhook: id, from: position, to: position, schema: schema.version };
      await webhooks.take({ ...places, changes: [change], anew: false, now: now + 2 * hour });
      return webhooks.misdated(id, now, 10);
    });
    assert.deepEqual(
      found.map(({ id }) => id),
      ['r'],
    );
  });

  it('a record that fails does not hold up others, and its changes meanwhile become one', async () => {
    const { id: hook } = await world.hook();
    const bad = await world.create('products', { title: 'bad' });
    world.receiver.answer((one, response) => {
      response.writeHead(sent(one).data._id === bad ? 500 : 204).end();
    });
    await world.sends(() => world.receiver.received.length >= 1);
    for (let n = 0; n < 5; n++) await world.update('products', bad, { title: `bad ${n}` });
    const good = await world.create('products', { title: 'good' });
    await world.sends(() => world.receiver.received.some((one) => sent(one).data._id === good));
    works();
    world.receiver.received.length = 0;
    // After five seconds, unless those have passed already and it has failed again.
    const waits = (await world.deliveries(hook)).map(
      ({ at, nextAt }) => Date.parse(String(nextAt)) - Date.parse(String(at)),
    );
    world.later(Math.max(...waits.filter((wait) => wait > 0)));
    await world.sends(() => world.receiver.received.length >= 2);
    await world.sendsFor(100);
    const all = world.receiver.received.map(sent);
    assert.deepEqual(
      all.map(({ type, data }) => [type, data._id, data.record?.title]),
      [
        ['products.create', bad, 'bad 4'],
        ['products.update', bad, 'bad 4'],
      ],
    );
  });

  for (const [status, when] of [
    [500, 'after their first try'],
    [500, 'when all are due again'],
    [503, 'when all are due again'],
  ] as const) {
    const name = `hundreds of records that fail with ${status}, and have changed since, do not hold up others ${when}`;
    it(name, async () => {
      await world.hook();
      const titles = Array.from({ length: 220 }, (_, n) => [
        { title: `bad ${n}` },
        { title: `good ${n}` },
      ]).flat();
      world.receiver.answer((one, response) => {
        response.writeHead(String(sent(one).data.record?.title).startsWith('bad') ? status : 204).end();
      });
      const batch = async (body: JsonObject) => {
        const reply = await world.app.call('POST', '/v1/shop/products/batch', { body, token: adminKey });
        assert.equal(reply.status, 200, reply.text);
        return reply.body.result.created as { _id: string; title: string }[];
      };
      const made = await batch({ create: titles });
      await world.sends(
        () => new Set(world.receiver.received.map((one) => sent(one).data._id)).size >= titles.length,
      );
      const bad = made.filter(({ title }) => title.startsWith('bad'));
      await batch({ update: bad.map(({ _id }) => ({ _id, note: 'changed' })) });
      if (when === 'when all are due again') world.later(6_000);
      const last = await world.create('products', { title: 'good at last' });
      const came = () => world.receiver.received.some((one) => sent(one).data._id === last);
      const latest = performance.now() + 60_000;
      await world.sends(() => came() || performance.now() > latest);
      assert.ok(came());
    });
  }

  it('are not sent what waits of a collection or kind that they do not ask for any more', async () => {
    const { id: hook } = await world.hook();
    fails();
    await world.create('products', { title: 'unasked' });
    await world.create('brands', { title: 'asked' });
    await world.sends(() => world.receiver.received.length >= 2);
    works();
    world.receiver.received.length = 0;
    assert.equal((await world.admin('PATCH', `/${hook}`, { collections: ['brands'] })).status, 200);
    world.later(hour);
    await world.sends(() => world.receiver.received.length >= 1);
    await world.sendsFor(300);
    assert.deepEqual(types(), ['brands.create']);
    const waiting = (await world.deliveries(hook)).filter(({ status }) => status === 'waiting');
    assert.deepEqual(waiting, []);
  });

  it('a day and 20 tries without a success pause it', async () => {
    const { id: hook } = await world.hook();
    fails();
    for (let n = 0; n < 18; n++) await world.create('products', { title: String(n) });
    await world.sends(() => world.receiver.received.length >= 18);
    const state = async () => (await world.admin('GET', `/${hook}`)).body.result;
    world.later(25 * hour);
    await world.sends(async () => (await state()).paused === true);
    assert.equal((await state()).pausedBecause, 'failing');
    assert.ok(Number((await state()).failures) >= 20);
  });
});
