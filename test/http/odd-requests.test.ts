import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { key, type RawAnswer, raw, readAnswer, type Served, serve } from './world.ts';

let served: Served;
before(async () => {
  served = await serve('--log-requests');
});
after(() => served.close());

const hosts = [
  'a b',
  'a/b',
  'a/b/v1/_admin',
  '[',
  ']',
  'a?b',
  'a#b',
  'a\\b',
  'u@h',
  'u:p@h',
  'x:99999',
  'x:',
  'é',
  'a%2fb',
  '..',
  '::1',
  '[::1]:80',
  'x,y',
  '<x>',
  'a:b:c',
  '//x',
  'http://q',
];

const request = (line: string, ...headers: readonly string[]) =>
  `${line}\r\n${headers.map((header) => `${header}\r\n`).join('')}Connection: close\r\n\r\n`;

function assertEnveloped({ status, body, text }: RawAnswer, expected: number): void {
  assert.equal(status, expected, text);
  assert.equal(JSON.parse(body).ok, expected < 400, text);
  assert.ok(body.endsWith('}\n'), text);
}

describe('whatever the Host', () => {
  const authorization = `Authorization: Bearer ${key}`;
  const everywhere = [
    ...hosts.map((host) => ['HTTP/1.1', `Host: ${host}`] as const),
    ['HTTP/1.1', 'Host: '] as const,
    ['HTTP/1.0'] as const,
  ];

  it('a path is served as what it is', async () => {
    for (const [version, ...host] of everywhere) {
      const ask = (path: string) =>
        raw(served.base, request(`GET ${path} ${version}`, ...host, authorization));
      assertEnveloped(await ask('/healthz'), 200);
      assertEnveloped(await ask('/v1/_admin/projects'), 200);
      assertEnveloped(await ask('/v1/demo/brands?perPage=1'), 200);
      for (const path of [
        '/abc/v1/_admin/projects',
        '//v1/_admin/projects',
        '/abc/healthz',
        '//v1/demo/brands',
      ])
        assertEnveloped(await ask(path), 404);
    }
  });

  it('a client of HTTP/1.0 gets an export up to its end, not in parts that it does not know', async () => {
    const path = '/v1/demo/brands/export?format=ndjson&fields=name';
    const { status, headers, body } = await raw(served.base, request(`GET ${path} HTTP/1.0`, authorization));
    assert.equal(status, 200);
    assert.doesNotMatch(headers, /transfer-encoding/i);
    const lines = body.trimEnd().split('\n');
    assert.ok(lines.length > 2);
    for (const line of lines) assert.deepEqual(Object.keys(JSON.parse(line)), ['_id', 'name']);
  });

  it('HEAD has the status and the length of GET', async () => {
    for (const [version, ...host] of everywhere) {
      const [head, get] = await Promise.all([
        raw(served.base, request(`HEAD /healthz ${version}`, ...host)),
        raw(served.base, request(`GET /healthz ${version}`, ...host)),
      ]);
      assert.equal(head.status, 200, head.text);
      assert.match(head.headers, new RegExp(`content-length: ${Buffer.byteLength(get.body)}`));
      assert.equal(head.body, '');
    }
  });

  it('a record is created once, and that is answered', async () => {
    for (const [index, [version, ...host]] of everywhere.entries()) {
      const body = JSON.stringify({ name: `host ${index}` });
      const length = `Content-Length: ${body.length}`;
      const head = request(`POST /v1/demo/brands ${version}`, ...host, authorization, length, json);
      assertEnveloped(await raw(served.base, head + body), 201);
      const found = await raw(
        served.base,
        request(`GET /v1/demo/brands?name=host+${index} HTTP/1.1`, 'Host: x'),
      );
      assert.equal(JSON.parse(found.body).result.total, 1);
    }
  });
});

const json = 'Content-Type: application/json';

describe('an address that is odd', () => {
  it('has an answer in the envelope', async () => {
    const lines = [
      'GET http://elsewhere/healthz HTTP/1.1',
      'GET http://[/healthz HTTP/1.1',
      'GET /v1/demo/brands?name=é HTTP/1.1',
      'GET /v1/demo\\brands HTTP/1.1',
      'GET /v1/%zz HTTP/1.1',
      'GET /v1/demo/%e9 HTTP/1.1',
      'GET /v1/demo/brands?a="<x>|{}^` HTTP/1.1',
      'GET /v1/demo/brands#x HTTP/1.1',
      'BREW /healthz HTTP/1.1',
      'TRACE /healthz HTTP/1.1',
      'TRACE /healthz HTTP/1.0',
    ];
    for (const line of lines) {
      const { status, body, text } = await raw(served.base, request(line, 'Host: x'));
      if (/^BREW/.test(line) && !body) continue; // Bun reads no verb that is unknown to it
      assert.ok(status >= 200 && status < 500, `${line}: ${text}`);
      assert.equal(JSON.parse(body).ok, status < 400, text);
    }
  });
});

describe('requests that are sent before the one before is answered', () => {
  it('are answered in their order, and each is done at most once', async () => {
    const ask = (line: string, ...headers: readonly string[]) =>
      [`${line} HTTP/1.1`, 'Host: x', `Authorization: Bearer ${key}`, ...headers, '', ''].join('\r\n');
    const create = (name: string) => {
      const body = JSON.stringify({ name });
      return ask('POST /v1/demo/brands', json, `Content-Length: ${body.length}`) + body;
    };
    const expected = ['201', '200', '201', '200'];
    for (let round = 0; round < 10; round++) {
      const names = [`first ${round}`, `second ${round}`] as const;
      const list = ask('GET /v1/demo/brands?perPage=1');
      const last = ask('GET /healthz', 'Connection: close');
      const bytes = create(names[0]) + list + create(names[1]) + last;
      const { text } = await raw(served.base, bytes, 30_000);
      const statuses = [...text.matchAll(/^HTTP\/1.1 (\d+)/gm)].map(([, status]) => status);
      // Bun closes the connection of whoever sends a request while it waits for the answer to another.
      const answered = process.versions.bun === undefined ? expected.length : statuses.length;
      assert.deepEqual(statuses, expected.slice(0, answered), text);
      for (const name of names) {
        const query = `/v1/demo/brands?name=${encodeURIComponent(name)}`;
        const found = await raw(served.base, request(`GET ${query} HTTP/1.1`, 'Host: x'), 30_000);
        const { total } = JSON.parse(found.body).result;
        assert.ok(text.includes(name) ? total === 1 : total <= 1, `${total} of ${name}: ${text}`);
      }
    }
  });
});

describe('the end of a server that had odd requests', () => {
  it('is at once, and with 0: none counts as in flight any more', async () => {
    const other = await serve();
    for (const host of hosts) await raw(other.base, request('HEAD /healthz HTTP/1.1', `Host: ${host}`));
    other.process.child.kill('SIGTERM');
    assert.equal(await other.process.exit, 0);
    assert.doesNotMatch(other.process.output(), /still in flight/);
    await other.close();
  });
});

describe('a body with a byte order mark', () => {
  it('may hold a U+FFFD', async () => {
    const body = Buffer.from('\ufeff{"name":"a\ufffdb"}');
    const head = request('POST /v1/demo/brands HTTP/1.1', 'Host: x', `Content-Length: ${body.length}`, json);
    const authorized = head.replace('Connection', `Authorization: Bearer ${key}\r\nConnection`);
    const answer = await raw(served.base, Buffer.concat([Buffer.from(authorized), body]));
    assertEnveloped(answer, 201);
    assert.equal(JSON.parse(answer.body).result.name, 'a\ufffdb');
  });
});

describe('what follows a request and is none', () => {
  const onNode = process.versions.bun === undefined;
  const ask = (line: string, ...headers: readonly string[]) =>
    [`${line} HTTP/1.1`, 'Host: x', `Authorization: Bearer ${key}`, ...headers, '', ''].join('\r\n');

  // Bun closes the connection of whoever sends more while it waits for an answer.
  it('is refused after the answer to that request', { skip: !onNode }, async () => {
    for (const [index, junk] of ['junk\r\n\r\n', 'GET /healthz HTTP/1.1\r\n\r\n'].entries()) {
      for (const last of [[], ['Connection: close']]) {
        const body = JSON.stringify({ name: `followed ${index} ${last.length}` });
        const create = ask('POST /v1/demo/brands', json, `Content-Length: ${body.length}`, ...last);
        const { text } = await raw(served.base, create + body + junk);
        const statuses = [...text.matchAll(/^HTTP\/1.1 (\d+)/gm)].map(([, status]) => status);
        assert.deepEqual(statuses, last.length > 0 ? ['201'] : ['201', '400'], text);
      }
    }
  });

  it('is no part of the answer', { skip: !onNode }, async () => {
    const stream = ask('GET /v1/demo/_changes?after=now', 'Accept: text/event-stream');
    const { text } = await raw(served.base, `${stream}junk\r\n\r\n`, 2_000);
    assert.match(text, /^HTTP\/1.1 200 .*event-stream/s);
    assert.doesNotMatch(text, /HTTP\/1.1 400/);
  });

  it('is refused at once where the request before is to blame', async () => {
    const create = ask('POST /v1/demo/brands', json, 'Transfer-Encoding: chunked');
    const { status } = await raw(served.base, `${create}5\r\n{"nam\r\nzz\r\n`, 5_000);
    assert.equal(status, 400);
  });

  it('and after the answers to those before that one', { skip: !onNode }, async () => {
    const body = JSON.stringify({ name: 'followed by a body' });
    const create = ask('POST /v1/demo/brands', json, `Content-Length: ${body.length}`) + body;
    const unreadable = `${ask('POST /v1/demo/brands', json, 'Transfer-Encoding: chunked')}5\r\n{"nam\r\nzz\r\n`;
    const { text } = await raw(served.base, create + unreadable, 5_000);
    const statuses = [...text.matchAll(/^HTTP\/1.1 (\d+)/gm)].map(([, status]) => status);
    assert.deepEqual(statuses, ['201', '400'], text);
  });
});

describe('an expectation that is not known', () => {
  it('is passed over', async () => {
    assertEnveloped(await raw(served.base, request('GET /healthz HTTP/1.1', 'Host: x', 'Expect: more')), 200);
  });

  it('holds up no body: it is read, and the refusal arrives', async () => {
    const { hostname, port } = new URL(served.base);
    const socket = connect(Number(port), hostname).on('error', () => {});
    const length = 20_000_000;
    socket.write(request('POST /nowhere HTTP/1.1', 'Host: x', 'Expect: more', `Content-Length: ${length}`));
    await new Promise((resolve) => socket.write('x'.repeat(length), resolve));
    let text = '';
    for await (const part of socket) text += part;
    assertEnveloped(readAnswer(text), 404);
  });
});

describe('CONNECT', () => {
  it('is a 405 in the envelope', async () => {
    const answer = await raw(served.base, request('CONNECT /healthz HTTP/1.1', 'Host: x'));
    assertEnveloped(answer, 405);
    assert.match(answer.headers, /\nallow: get, head/);
  });

  it('by whoever resets the connection, or keeps it, holds up nobody', { timeout: 60_000 }, async () => {
    const { hostname, port } = new URL(served.base);
    const ask = request('CONNECT /healthz HTTP/1.1', 'Host: x');
    for (let round = 0; round < 20; round++) {
      const socket = connect(Number(port), hostname, () =>
        socket.write(ask, () => setTimeout(() => socket.resetAndDestroy(), round)),
      );
      socket.on('error', () => {});
      await new Promise((resolve) => socket.once('close', resolve));
    }
    const kept = connect({ port: Number(port), host: hostname, allowHalfOpen: true }, () =>
      kept.write(`${ask}more`),
    );
    kept.on('error', () => {}).resume();
    const closed = new Promise((resolve) => kept.once('close', resolve));
    const going = setInterval(() => kept.write('still here'), 100); // a fault once the other end has closed
    await closed;
    clearInterval(going);
    assertEnveloped(await raw(served.base, request('GET /healthz HTTP/1.1', 'Host: x')), 200);
  });
});
