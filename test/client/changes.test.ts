import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { changeFeed } from '../../client/changes.ts';
import { createClient } from '../../client/client.ts';
import { fixedTokens, pause, transport } from '../../client/transport.ts';
import { type FeedServer, startFeed } from './feed-server.ts';

describe('the changes of a collection', { timeout: 280_000 }, () => {
  let feed: FeedServer;
  beforeEach(async () => {
    feed = await startFeed();
    feed.add('create', 'before');
  });
  afterEach(() => feed.close());

  const client = (token: string | (() => string) = 't') => createClient(feed.url, { project: 'p', token });
  const things = (token?: string | (() => string)) => client(token).collection('things');
  /** The next so many, as `kind id`. */
  async function take(changes: AsyncIterator<{ kind: string; _id: string | null }>, count: number) {
    const taken: string[] = [];
    for (let index = 0; index < count; index++) {
      const { value, done } = await changes.next();
      assert.ok(!done);
      taken.push(`${value.kind} ${value._id}`);
    }
    return taken;
  }
  const opened = async () => {
    while (feed.open.size === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  };

  it('come from now on, with the place where to go on', async () => {
    const changes = things()
      .changes({ fields: ['title'] })
      [Symbol.asyncIterator]();
    const first = changes.next();
    await opened();
    feed.add('create', 'a');
    const { value } = await first;
    assert.deepEqual(value, {
      position: 'p1',
      kind: 'create',
      collection: 'things',
      _id: 'a',
      at: '2026-01-01T00:00:00.000Z',
      record: { _id: 'a', title: 'line\nbreak\u2028and\u2029more\u0085' },
      next: '2',
    });
    await changes.return?.();
    assert.deepEqual(
      feed.asked.map(({ path, query, token }) => [path, String(query), token]),
      [
        ['/v1/p/things/_changes', 'fields=title&after=now', 'Bearer t'],
        ['/v1/p/things/_changes', 'fields=title&after=1', 'Bearer t'],
      ],
    );
  });

  it('go on after a connection that broke, without one too few or too many', async () => {
    const start = await things().position();
    const changes = things().changes({ after: start })[Symbol.asyncIterator]();
    const first = take(changes, 1);
    await opened();
    feed.add('create', 'b');
    assert.deepEqual(await first, ['create b']);
    feed.cut();
    feed.add('update', 'b');
    feed.add('delete', 'b');
    assert.deepEqual(await take(changes, 2), ['update b', 'delete b']);
    await changes.return?.();
  });

  it('go on from an id that came without a change', async () => {
    const start = Number(await things().position());
    let read = '';
    /** Notes what the client has read of its streams. */
    const noting = async (url: string, init: RequestInit) => {
      const response = await fetch(url, init);
      const note = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
        transform(part, controller) {
          read += new TextDecoder().decode(part);
          controller.enqueue(part);
        },
      });
      return new Response(response.body?.pipeThrough(note) ?? null, response);
    };
    const changes = changeFeed(transport(feed.url, noting, fixedTokens('t')), '/v1/p/things')
      .changes({ after: String(start) })
      [Symbol.asyncIterator]();
    const next = take(changes, 1);
    await opened();
    feed.write(`id: ${start + 1}\n\n`);
    feed.write(': still here\n\n');
    while (!read.includes('still here')) await new Promise((resolve) => setTimeout(resolve, 5));
    feed.cut();
    feed.add('create', 'not for us'); // to which the id leads
    feed.add('create', 'c');
    assert.deepEqual(await next, ['create c']);
    assert.equal(feed.asked.at(-1)?.query.get('after'), String(start + 1));
    await changes.return?.();
  });

  it('go on with a new token where the stream ended with the old one', async () => {
    let token = 'old';
    const changes = things(() => token)
      .changes()
      [Symbol.asyncIterator]();
    const first = take(changes, 1);
    await opened();
    token = 'new';
    feed.end('event: end\ndata: {}\n\n');
    feed.add('create', 'd');
    assert.deepEqual(await first, ['create d']);
    assert.deepEqual(
      feed.asked.map(({ token: sent }) => sent),
      ['Bearer old', 'Bearer old', 'Bearer new'],
    );
    await changes.return?.();
  });

  it('say where everything is to be read anew, and go on', async () => {
    const changes = things().changes()[Symbol.asyncIterator]();
    const first = take(changes, 3);
    await opened();
    const now = await things().position();
    feed.write(`id: ${now}\nevent: reset\ndata: {}\n\n`);
    feed.add('refetch');
    feed.add('create', 'e');
    assert.deepEqual(await first, ['reset null', 'refetch null', 'create e']);
    await changes.return?.();
    feed.refuseNext(410);
    const late = things().changes({ after: 'long ago' })[Symbol.asyncIterator]();
    assert.deepEqual(await take(late, 1), ['reset null']);
    const next = take(late, 1);
    await opened();
    feed.add('create', 'f');
    assert.deepEqual(await next, ['create f']);
    await late.return?.();
  });

  it('go on where the place to begin anew can not be asked for either, for a time', async () => {
    let refusals = 0;
    const broken = async (url: string, init: RequestInit) => {
      const isPlace = url.includes('after=now');
      if (!isPlace && refusals === 0) feed.refuseNext(410);
      if (isPlace && refusals < 2) feed.refuseNext(503);
      refusals += 1;
      return fetch(url, init);
    };
    const { changes } = changeFeed(transport(`${feed.url}/v1/p`, broken, fixedTokens('t')), '/things');
    const late = changes({ after: 'long ago' })[Symbol.asyncIterator]();
    assert.deepEqual(await take(late, 1), ['reset null']);
    assert.ok(refusals > 2);
    await late.return?.();
  });

  it('end with an error that no other try would cure, and not with one that it would', async () => {
    feed.refuseNext(403);
    await assert.rejects(things().changes({ after: '' })[Symbol.asyncIterator]().next(), { status: 403 });
    feed.refuseNext(503);
    const changes = things().changes({ after: '0' })[Symbol.asyncIterator]();
    assert.deepEqual(await take(changes, 1), ['create before']);
    await changes.return?.();
  });

  it('end with the signal, and close the connection', async () => {
    const stop = new AbortController();
    const next = things().changes({ signal: stop.signal })[Symbol.asyncIterator]().next();
    await opened();
    stop.abort(new Error('enough'));
    await assert.rejects(next, /enough/);
    while (feed.open.size > 0) await new Promise((resolve) => setTimeout(resolve, 5));
  });

  it('end with the signal also where more of them are at hand', async () => {
    for (const held of [false, true]) {
      for (const id of ['a', 'b']) feed.add('create', id);
      if (held) feed.hold();
      const stop = new AbortController();
      const send = transport(feed.url, fetch, fixedTokens('t'));
      const { changes } = changeFeed(send, '/v1/p/things', held ? 100 : 5_000);
      const following = changes({ after: '0', signal: stop.signal })[Symbol.asyncIterator]();
      assert.deepEqual(await take(following, 2), ['create before', 'create a']);
      stop.abort(new Error('enough'));
      await assert.rejects(following.next(), /enough/);
    }
  });

  it('come as pages where a proxy holds streams back', async () => {
    feed.hold();
    /** As the client sends them: one that is given up may not have come to the server yet. */
    const waits: (string | null)[] = [];
    const noting = (url: string, init: RequestInit) => {
      waits.push(new URL(url).searchParams.get('wait'));
      return fetch(url, init);
    };
    const send = transport(feed.url, noting, fixedTokens('t'));
    const changes = changeFeed(send, '/v1/p/things', 100).changes({ after: '0' })[Symbol.asyncIterator]();
    feed.add('create', 'a');
    assert.deepEqual(await take(changes, 2), ['create before', 'create a']);
    feed.add('update', 'a');
    assert.deepEqual(await take(changes, 1), ['update a']);
    await changes.return?.();
    assert.deepEqual([waits[0], waits.at(-1)], [null, '20'], 'a stream first');
  });

  it('wait where they are to come back in longer than a timer runs', async () => {
    const stop = new AbortController();
    const waiting = pause(30 * 24 * 3_600, stop.signal).then(() => 'over');
    const still = new Promise((resolve) => setTimeout(resolve, 20, 'still'));
    assert.equal(await Promise.race([waiting, still]), 'still');
    stop.abort(new Error('enough'));
    await assert.rejects(waiting, /enough/);
  });

  it('go on after a page of something in between, whether it came for a stream or for a page', async () => {
    for (const [held, status] of [
      [false, 200],
      [false, 404],
      [true, 200],
    ] as const) {
      if (held) feed.hold();
      let pages = 0;
      const between = async (url: string, init: RequestInit) => {
        if (url.includes('wait=') !== held || pages > 0) return fetch(url, init);
        pages += 1;
        return new Response('<p>Back soon</p>', { status, headers: { 'content-type': 'text/html' } });
      };
      const send = transport(feed.url, between, fixedTokens('t'));
      const { changes } = changeFeed(send, '/v1/p/things', held ? 100 : 5_000);
      const following = changes({ after: '0' })[Symbol.asyncIterator]();
      assert.deepEqual([await take(following, 1), pages], [['create before'], 1]);
      await following.return?.();
    }
  });

  it('come for several collections in one stream', async () => {
    const changes = client()
      .changes({ collections: ['things', 'others'], after: '0' })
      [Symbol.asyncIterator]();
    assert.deepEqual(await take(changes, 1), ['create before']);
    assert.equal(feed.asked[0]?.path, '/v1/p/_changes');
    assert.equal(feed.asked[0]?.query.get('collections'), 'things,others');
    await changes.return?.();
  });
});
