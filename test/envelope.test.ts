import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createApp } from '../src/http/app.ts';
import { defaultLimits, type Services } from '../src/http/services.ts';
import { adminKey, type Reply, startApp, type TestApp } from './harness.ts';
import { asAdmin, assertRefused, definition, makeProject, Records, resultOf, strangerId } from './support.ts';

let app: TestApp;
let path: string;
let notes: Records;
let id: string;

before(async () => {
  app = await startApp();
  const fields = { title: { type: 'text', unique: true }, n: { type: 'number' } };
  const methods = { distinct: { fields: ['title'] } };
  path = await makeProject(
    app,
    definition('notes', fields, { api: { access: 'public', methods } }),
    definition('closed', fields, { api: { access: 'user' } }),
  );
  notes = new Records(app, `${path}/notes`);
  id = (await notes.create({ title: 'x' }))._id;
});
after(() => app.close());

const admin = () => `/v1/_admin/projects/${path.slice(4)}`;
const headersOf = ({ headers }: Reply, name: string) =>
  (headers.get(name) ?? '').split(',').map((part) => part.trim());

/** One request for each kind of refusal the record API knows. */
const failures = async (): Promise<Reply[]> => [
  await notes.call('POST', '', { n: 'x' }),
  await notes.call('GET', '?nonsense=1'),
  await app.call('GET', `${path}/closed`),
  await app.call('GET', `${path}/notes`, { token: 'wrong' }),
  await notes.call('GET', '/distinct?fields=n'),
  await notes.call('GET', `/${strangerId}`),
  await app.call('GET', '/v1/none/none'),
  await notes.call('PUT', ''),
  await notes.call('POST', '', { title: 'x' }),
  await notes.call('POST', '', { title: 'x'.repeat(1024 * 1024) }),
  await notes.call('GET', `?title=${'x'.repeat(17_000)}`),
  await app.call('POST', `${path}/notes`, { body: {}, headers: { 'content-type': 'text/plain' } }),
];
const failureStatuses = [400, 400, 401, 401, 403, 404, 404, 405, 409, 413, 414, 415];

describe('the envelope', () => {
  it('of every success is ok and result, an object, and no third key', async () => {
    const other = await notes.create({ title: 'other' });
    const replies = [
      await notes.call('GET', ''),
      await notes.call('GET', `/${id}`),
      await notes.call('PATCH', `/${id}`, { n: 1 }),
      await notes.call('GET', '/distinct?fields=title'),
      await notes.call('DELETE', `/${other._id}`),
      await app.call('GET', '/v1/_admin/projects', asAdmin),
      await app.call('GET', admin(), asAdmin),
      await app.call('GET', `${admin()}/collections`, asAdmin),
      await app.call('GET', `${admin()}/collections/notes`, asAdmin),
      await app.call('GET', '/healthz'),
      await app.call('GET', '/readyz'),
    ];
    for (const reply of replies) {
      const result = resultOf(reply);
      assert.ok(typeof result === 'object' && result !== null && !Array.isArray(result), reply.text);
      assert.match(reply.headers.get('content-type') ?? '', /^application\/json/);
    }
  });

  it('of every failure is ok and error, a string, and no third key', async () => {
    const replies = await failures();
    assert.deepEqual(
      replies.map(({ status }) => status),
      failureStatuses,
    );
    for (const reply of replies) {
      assertRefused(reply, reply.status);
      assert.equal(typeof reply.body.error, 'string');
      assert.match(reply.headers.get('content-type') ?? '', /^application\/json/);
    }
  });

  it('never tells of SQL, stacks, files or tables', async () => {
    const nasty = ["'", '"', "';DROP TABLE r1;--", '%', '\\', '😀', '$1', '?1', '*', '(', 'a\u2028b'];
    const replies = await failures();
    for (const value of nasty) {
      const text = encodeURIComponent(value);
      for (const rest of [`/${text}`, `?${text}=1`, `?sort=${text}`, `?fields=${text}`, `?include=${text}`]) {
        replies.push(await notes.call('GET', rest));
      }
      for (const rest of [`?search=${text}`, `?title=${text}`, `?n=${text}`, `/distinct?fields=${text}`]) {
        replies.push(await notes.call('GET', rest));
      }
      replies.push(await notes.call('POST', '', { [value]: value }));
    }
    for (const { text, status } of replies) {
      assert.notEqual(status, 500, text);
      assert.doesNotMatch(
        text,
        /SELECT|INSERT|sqlite|constraint|\/tmp|\/work|node_modules|\br\d+\.|\.ts:\d/i,
      );
    }
    assert.deepEqual(app.errors, []);
  });
});

describe('an unknown path', () => {
  it('is a 404 that names it, with any verb', async () => {
    const unknown = [`${path}/notes/a/b`, '/v1/', `${path}/`, '/v2/shop/notes', '/nope', `${path}/notes/`];
    for (const place of [...unknown, '/V1/shop/notes', '//v1/shop/notes', '/v1/_admin', '/v1/_admin/nope']) {
      for (const verb of ['GET', 'POST', 'PATCH', 'DELETE', 'PUT']) {
        const reply = await app.call(verb, place, asAdmin);
        assertRefused(reply, 404);
      }
    }
    assertRefused(await app.call('GET', '/nope'), 404, '/nope');
  });
});

describe('a verb that a path does not have', () => {
  it('is a 405 whose Allow is exactly what a path of the record API has', async () => {
    const paths: [string, string[], string[]][] = [
      ['', ['GET', 'POST'], ['PUT', 'PATCH', 'DELETE']],
      [`/${id}`, ['GET', 'PATCH', 'DELETE'], ['POST', 'PUT']],
      ['/distinct', ['GET'], ['POST', 'PUT', 'PATCH', 'DELETE']],
    ];
    for (const [rest, allowed, refused] of paths) {
      for (const verb of refused) {
        const reply = await notes.call(verb, rest, {});
        assertRefused(reply, 405, verb);
        assert.deepEqual(headersOf(reply, 'allow').sort(), [...allowed, 'HEAD', 'OPTIONS'].sort());
      }
    }
  });

  it('is a 405 with Allow in management and operations too', async () => {
    const paths: [string, string, string[]][] = [
      ['/v1/_admin/projects', 'DELETE', ['GET', 'POST']],
      [admin(), 'POST', ['GET']],
      [`${admin()}/collections`, 'DELETE', ['GET', 'POST']],
      [`${admin()}/collections/notes`, 'POST', ['GET']],
      ['/healthz', 'POST', ['GET']],
      ['/readyz', 'DELETE', ['GET']],
    ];
    for (const [place, verb, allowed] of paths) {
      const reply = await app.call(verb, place, asAdmin);
      assertRefused(reply, 405, verb);
      const allow = headersOf(reply, 'allow');
      assert.ok(!allow.includes(verb), place);
      for (const one of allowed) assert.ok(allow.includes(one), `${place} ${allow}`);
    }
  });
});

describe('HEAD', () => {
  it('answers as GET does, without the body', async () => {
    for (const rest of ['', `/${id}`, '/distinct?fields=title', `/${strangerId}`, '?page=0']) {
      const get = await notes.call('GET', rest);
      const head = await notes.call('HEAD', rest);
      assert.equal(head.status, get.status);
      assert.equal(head.text, '');
      assert.equal(head.headers.get('content-type'), get.headers.get('content-type'));
      assert.equal(head.headers.get('content-length'), String(Buffer.byteLength(get.text)));
      assert.equal(head.headers.get('access-control-allow-origin'), '*');
    }
    assert.equal((await app.call('HEAD', `${path}/closed`)).status, 401);
    assert.equal((await app.call('HEAD', '/nope')).status, 404);
  });
});

describe('CORS', () => {
  it('lets any origin read the successes and the errors of the record API', async () => {
    const replies = [await notes.call('GET', ''), await notes.call('GET', `/${id}`), ...(await failures())];
    for (const { headers, status, text } of replies) {
      assert.equal(headers.get('access-control-allow-origin'), '*', `${status} ${text}`);
      assert.equal(headers.get('access-control-allow-credentials'), null);
    }
  });

  it('answers a preflight for every path of the record API, without a token', async () => {
    const paths = {
      '/notes': 'POST',
      '/closed': 'POST',
      [`/notes/${id}`]: 'PATCH',
      '/notes/distinct': 'GET',
    };
    for (const [rest, verb] of Object.entries(paths)) {
      const reply = await app.call('OPTIONS', `${path}${rest}`, {
        headers: { origin: 'https://app.example', 'access-control-request-method': verb },
      });
      assert.deepEqual([reply.status, reply.text], [204, '']);
      assert.equal(reply.headers.get('access-control-allow-origin'), '*');
      assert.ok(headersOf(reply, 'access-control-allow-methods').includes(verb));
      assert.ok(headersOf(reply, 'allow').includes(verb));
      const allowed = headersOf(reply, 'access-control-allow-headers').map((name) => name.toLowerCase());
      assert.ok(allowed.includes('authorization') && allowed.includes('content-type'));
    }
  });

  it('is not for management', async () => {
    const origin = { origin: 'https://app.example' };
    for (const verb of ['GET', 'OPTIONS', 'PUT']) {
      for (const token of [adminKey, 'wrong']) {
        const reply = await app.call(verb, '/v1/_admin/projects', { token, headers: origin });
        assert.equal(reply.headers.get('access-control-allow-origin'), null);
        assert.equal(reply.headers.get('access-control-allow-methods'), null);
      }
    }
  });
});

describe('a URL', () => {
  it('that leads nowhere is named in one part of the message', async () => {
    assertRefused(await app.call('GET', '/v1/a;%20b/c;%20d/e/f;%20g'), 404, /^[^;]*(;\S[^;]*)*$/);
  });

  it('longer than 16 KiB is a 414, one of 16 KiB is not', async () => {
    const room = 16 * 1024 - `${path}/notes?title=`.length;
    assert.equal(await notes.total(`title=${'a'.repeat(room)}`), 0);
    assertRefused(await notes.call('GET', `?title=${'a'.repeat(room + 1)}`), 414);
    assertRefused(await notes.call('POST', `/${'a'.repeat(20_000)}`, {}), 414);
  });
});

describe('a bug', () => {
  it('is a 500 with a request id that the log has too, and without a stack', async () => {
    const logged: [unknown, string | undefined][] = [];
    const bug = new TypeError('SELECT secret FROM /srv/secret/file.ts');
    const fail = () => Promise.reject(bug);
    let requests = 0;
    const request = (work: () => unknown) => {
      requests += 1;
      return work();
    };
    const catalog = { request, use: fail, useNow: fail, listProjects: fail };
    const log = {
      info() {},
      error: (_: string, error: unknown, at?: string) => void logged.push([error, at]),
    };
    const services = { catalog, log, now: Date.now, limits: defaultLimits } as unknown as Services;
    const broken = createApp(services);
    for (const place of ['/v1/shop/notes', '/v1/shop/notes/x', '/readyz']) {
      const response = await broken.fetch(new Request(`http://vitrine.test${place}`));
      const body = (await response.json()) as { ok: boolean; error: string };
      assert.equal(response.status, 500);
      assert.deepEqual(Object.keys(body), ['ok', 'error']);
      const requestId = response.headers.get('x-request-id') ?? 'none';
      assert.ok(body.error.includes(requestId), body.error);
      assert.doesNotMatch(body.error, /SELECT|secret|TypeError|\.ts/);
      assert.deepEqual(logged.pop(), [bug, requestId]);
    }
    assert.equal(requests, 3, 'each is one request to the store, with one share of its patience');
  });
});
