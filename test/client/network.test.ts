import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createClient, VitrineError } from '../../client/client.ts';

interface Seen {
  readonly verb: string;
  readonly path: string;
  readonly key: string | null;
  readonly body: string | null;
}

type Step = (seen: Seen, init: RequestInit) => Response | Promise<Response>;

/** A network that does one step after the other, and what arrived. */
function network(...steps: Step[]) {
  const seen: Seen[] = [];
  const fetch = async (url: string, init: RequestInit): Promise<Response> => {
    const request = new Request(url, init);
    const { pathname, search } = new URL(url);
    const one = {
      verb: request.method,
      path: pathname + search,
      key: request.headers.get('idempotency-key'),
      body: init.body ? String(init.body) : null,
    };
    seen.push(one);
    const step = steps[seen.length - 1];
    if (!step) throw new Error(`nothing is said about request ${seen.length}`);
    return step(one, init);
  };
  return { seen, client: createClient('http://server.test/', { project: 'shop', fetch }) };
}

const answers =
  (status: number, body: object, headers: Record<string, string> = {}): Step =>
  () =>
    Response.json(body, { status, headers });
const record = answers(201, { ok: true, result: { _id: 'a' } });
const refused = (status: number, headers: Record<string, string> = {}) =>
  answers(status, { ok: false, error: `refused with ${status}` }, headers);
const cut: Step = () => Promise.reject(new TypeError('connection lost'));
/** The head arrives, then the connection breaks off. */
const brokenOff: Step = () =>
  new Response(
    new ReadableStream({
      pull(controller) {
        controller.enqueue(new TextEncoder().encode('{"ok":true,'));
        controller.error(new TypeError('connection lost'));
      },
    }),
    { status: 201, headers: { 'content-type': 'application/json' } },
  );

describe('a request that gets no answer', () => {
  for (const [name, failing] of [
    ['a connection that is lost', cut],
    ['an answer that breaks off', brokenOff],
  ] as const) {
    it(`is sent again with the same key and body: ${name}`, async () => {
      const { client, seen } = network(failing, failing, record);
      assert.equal((await client.collection('things').create({ x: 1 }))._id, 'a');
      assert.equal(seen.length, 3);
      assert.match(seen[0]?.key ?? '', /^[\x21-\x7e]{16,255}$/);
      for (const one of seen) assert.deepEqual(one, seen[0]);
    });
  }

  it('is given up after three tries, with status 0 and the cause', async () => {
    const { client, seen } = network(cut, cut, cut);
    const error = await client
      .collection('things')
      .list()
      .catch((reason) => reason);
    assert.ok(error instanceof VitrineError);
    assert.equal(error.status, 0);
    assert.match(error.message, /^No answer from http:\/\/server\.test\/v1\/shop: connection lost$/);
    assert.ok(error.cause instanceof TypeError);
    assert.equal(seen.length, 3);
  });

  it('is not sent again where that could do it twice', async () => {
    const { client, seen } = network(cut);
    await assert.rejects(client.auth.register({ email: 'a@b.example', password: 'x' }), { status: 0 });
    assert.equal(seen.length, 1);
  });

  it('is sent again where somebody signs out: the server would keep the sign-in', async () => {
    const user = { _id: 'u', workspace: null };
    const signedIn = { user, accessToken: 'a', refreshToken: 'r', expiresIn: 900 };
    const { client, seen } = network(
      answers(201, { ok: true, result: signedIn }),
      cut,
      answers(200, { ok: true, result: {} }),
    );
    await client.auth.register({ email: 'ann@example.com', password: 'correct horse' });
    await client.auth.logout();
    assert.deepEqual(seen[2], seen[1]);
  });

  it('is sent again where a switch ends the session that it leaves', async () => {
    const accessToken = `a.${btoa(JSON.stringify({ session: 's' }))}.b`;
    const signedIn = { user: { _id: 'u', workspace: null }, accessToken, refreshToken: 'r', expiresIn: 900 };
    const answer = answers(201, { ok: true, result: signedIn });
    const { client, seen } = network(answer, answer, cut, cut, refused(404));
    await client.auth.register({ email: 'ann@example.com', password: 'correct horse' });
    await client.auth.switch('w');
    const left = { verb: 'DELETE', path: '/v1/shop/_auth/sessions/s', key: null, body: null };
    assert.deepEqual(seen.slice(2), [left, left, left]);
  });

  it('has another key in the next call, and none where nothing is written', async () => {
    const { client, seen } = network(record, record, answers(200, { ok: true, result: {} }));
    await client.collection('things').create({});
    await client.collection('things').update('a', {});
    await client.collection('things').list();
    assert.notEqual(seen[0]?.key, seen[1]?.key);
    assert.equal(seen[2]?.key, null);
  });

  it('has the key that is given, whatever is written: it may be sent again after a restart', async () => {
    const { client, seen } = network(...Array.from({ length: 5 }, () => record));
    const things = client.collection('things');
    const given = { idempotencyKey: 'of-mine' };
    await things.create({}, given);
    await things.update('a', {}, given);
    await things.delete('a', given);
    await things.batch(() => {}, given);
    await client.batch(() => {}, given);
    assert.deepEqual(new Set(seen.map(({ key }) => key)), new Set(['of-mine']));
  });
});

describe('a refusal', () => {
  for (const status of [429, 503]) {
    it(`with ${status} and Retry-After is waited for`, async () => {
      const { client, seen } = network(refused(status, { 'retry-after': '1' }), record);
      const start = performance.now();
      await client.collection('things').create({});
      assert.ok(performance.now() - start >= 950);
      assert.equal(seen[1]?.key, seen[0]?.key);
    });
  }

  it('with 503 alone is not sent again: nobody knows whether it was done', async () => {
    const { client, seen } = network(refused(503));
    await assert.rejects(client.collection('things').create({}), { status: 503, retryAfter: undefined });
    assert.equal(seen.length, 1);
  });

  it('that asks for more than half a minute is for the caller to decide', async () => {
    const { client, seen } = network(refused(429, { 'retry-after': '3600' }));
    await assert.rejects(client.collection('things').list(), { status: 429, retryAfter: 3600 });
    assert.equal(seen.length, 1);
  });

  it('may name a date, as proxies do', async () => {
    const later = new Date(Date.now() + 100_000).toUTCString();
    const { client } = network(refused(503, { 'retry-after': later }));
    const error = await client
      .collection('things')
      .list()
      .catch((reason) => reason);
    assert.ok(error.retryAfter > 90 && error.retryAfter <= 100, String(error.retryAfter));
  });

  it('is tried three times at most', async () => {
    const busy = refused(503, { 'retry-after': '0' });
    const { client, seen } = network(busy, busy, busy);
    await assert.rejects(client.collection('things').delete('a'), { status: 503, retryAfter: 0 });
    assert.equal(seen.length, 3);
  });

  it('of any other kind is told at once, by field', async () => {
    const message =
      "price: must be at least 0; tags[2]: is too long; create[0].title: is required; all of it; x: 'a;b'; constructor: is no field; constructor: at all; create[1].brand, year: are taken";
    const { client, seen } = network(answers(400, { ok: false, error: message }));
    const error = await client
      .collection('things')
      .create({})
      .catch((reason) => reason);
    assert.equal(error.message, message);
    assert.deepEqual(error.fields, {
      price: 'must be at least 0',
      'tags[2]': 'is too long',
      'create[0].title': 'is required',
      x: "'a;b'",
      constructor: 'is no field; at all',
      'create[1].brand': 'are taken',
      'create[1].year': 'are taken',
    });
    assert.equal(seen.length, 1);
  });

  it('by something that is not Vitrine still has a status and a message', async () => {
    const page = () => new Response('<h1>Bad gateway</h1>', { status: 502, statusText: 'Bad Gateway' });
    const portal = () => new Response('<h1>Sign in to this network</h1>');
    const { client } = network(page, portal);
    await assert.rejects(client.collection('things').list(), { status: 502, message: /Bad Gateway|502/ });
    await assert.rejects(client.collection('things').list(), {
      status: 200,
      message: /is the address right/,
    });
  });

  it('with an error that is no text is no lost answer, and is sent once', async () => {
    const { client, seen } = network(answers(400, { error: { code: 7 } }), answers(409, { error: 7 }));
    for (const status of [400, 409])
      await assert.rejects(client.collection('things').create({}), { status, fields: {} });
    assert.equal(seen.length, 2);
  });

  it('is told of every call where a page of something else came as if all were well', async () => {
    const headers = { etag: '"1"' };
    for (const text of ['<p>Sign in to this network</p>', '{"message":"hi"}', '{"result":"x"}', 'null']) {
      const page: Step = () => new Response(text, { status: 200, headers });
      const { client, seen } = network(page, page, page, page);
      const things = client.collection('things');
      const calls = [
        () => things.list(),
        () => things.view('a'),
        () => things.create({}),
        () => things.update('a', {}),
      ];
      for (const call of calls) await assert.rejects(call, { status: 200, message: /is the address right/ });
      assert.equal(seen.length, 4, 'none was sent again');
    }
  });
});

it('a list that came because the address was redirected, by which a POST becomes a GET, is no record', async () => {
  const list = answers(200, {
    ok: true,
    result: { page: 1, perPage: 25, total: 0, totalPages: 0, found: [] },
  });
  const { client } = network(list);
  await assert.rejects(client.collection('things').create({}), { message: /is the address right/ });
});

describe('a signal', () => {
  const stopped = new Error('not needed any more');

  it('ends a request, and nothing is sent again', async () => {
    const stop = new AbortController();
    const hangs: Step = (_, { signal }) =>
      new Promise((_resolve, reject) => {
        signal?.addEventListener('abort', () => reject(signal.reason));
        stop.abort(stopped);
      });
    const { client, seen } = network(hangs);
    await assert.rejects(client.collection('things').list({ signal: stop.signal }), stopped);
    assert.equal(seen.length, 1);
  });

  it('ends the wait for the next try', async () => {
    const stop = new AbortController();
    const { client, seen } = network(refused(503, { 'retry-after': '20' }));
    const call = client.collection('things').create({}, { signal: stop.signal });
    setTimeout(() => stop.abort(stopped), 50);
    const start = performance.now();
    await assert.rejects(call, stopped);
    assert.ok(performance.now() - start < 15_000);
    assert.equal(seen.length, 1);
  });

  it('that is aborted already lets nothing be sent', async () => {
    const { client, seen } = network();
    const signal = AbortSignal.abort(stopped);
    const { things } = client;
    assert.ok(things);
    for (const call of [
      () => things.view('a', { signal }),
      () => things.update('a', {}, { signal }),
      () => things.export('csv', { signal }),
      () => client.auth.me({ signal }),
      () => things.all({ signal })[Symbol.asyncIterator]().next(),
      () => things.changes({ signal })[Symbol.asyncIterator]().next(),
    ])
      await assert.rejects(async () => call(), stopped);
    assert.equal(seen.length, 0);
  });
});

describe('a walk', () => {
  const page = (next: string | null) =>
    answers(200, { ok: true, result: { perPage: 1, next, found: [{ _id: 'x' }] } });

  it('fetches one page ahead, and no more', async () => {
    const { client, seen } = network(page('1'), page('2'), page('3'), page(null));
    const pages = client.collection('things').all({ perPage: 1 }).pages()[Symbol.asyncIterator]();
    await pages.next();
    await new Promise((resolve) => setTimeout(resolve, 50));
    assert.equal(seen.length, 2);
    assert.deepEqual(
      seen.map(({ path }) => path),
      ['/v1/shop/things?perPage=1&after=', '/v1/shop/things?perPage=1&after=1'],
    );
  });

  it('that is left ends what is under way', async () => {
    let ended = false;
    const hangs: Step = (_, { signal }) =>
      new Promise((_resolve, reject) => {
        signal?.addEventListener('abort', () => {
          ended = true;
          reject(signal.reason);
        });
      });
    const { client } = network(page('1'), hangs);
    for await (const one of client.collection('things').all()) {
      assert.equal(one._id, 'x');
      break;
    }
    assert.ok(ended);
  });
});

it('no timer runs while no call is under way', async () => {
  const running = new Set<unknown>();
  let added = 0;
  const { setTimeout: set, clearTimeout: clear } = globalThis;
  /** What other tests of this process have left may set timers too. */
  const isOfClient = () => /(?<![\\/]test)[\\/]client[\\/]/.test(new Error().stack ?? '');
  globalThis.setTimeout = ((run: (...args: unknown[]) => void, ms?: number, ...args: unknown[]) => {
    const timer = set(() => {
      running.delete(timer);
      run(...args);
    }, ms);
    if (isOfClient()) {
      running.add(timer);
      added += 1;
    }
    return timer;
  }) as typeof setTimeout;
  globalThis.clearTimeout = ((timer: ReturnType<typeof set>) => {
    running.delete(timer);
    clear(timer);
  }) as typeof clearTimeout;
  try {
    const signedIn = answers(200, {
      ok: true,
      result: { user: { _id: 'u' }, accessToken: 'a', refreshToken: 'r', expiresIn: 1 },
    });
    const { client, seen } = network(signedIn, signedIn, refused(503, { 'retry-after': '0' }), record);
    await client.auth.login({ email: 'a@b.example', password: 'x' });
    await client.collection('things').create({}, { signal: new AbortController().signal });
    assert.equal(seen.length, 4);
    assert.ok(added > 0, 'some ran meanwhile');
    assert.equal(running.size, 0);
  } finally {
    Object.assign(globalThis, { setTimeout: set, clearTimeout: clear });
  }
});
