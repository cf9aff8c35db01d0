import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, beforeEach, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createServer } from 'node:tls';
import { readNetworks } from '../../src/access/networks.ts';
import { Connections } from '../../src/webhooks/connections.ts';
import { type SendOptions, send } from '../../src/webhooks/send.ts';
import { Dice } from '../durability/dice.ts';
import { seed } from '../seed.ts';
import { certificate, credentials, type Receiver, startReceiver } from './receiver.ts';
import { startWorld } from './world.ts';

/** Where nothing is said about it, longer than any test takes. */
const long = 600_000;

async function comes(about: () => boolean, what: string): Promise<void> {
  for (let tries = 0; !about(); tries++) {
    assert.ok(tries < 6_000, what);
    await sleep(10);
  }
}

describe('connections to the receivers of webhooks', { timeout: 280_000 }, () => {
  let receiver: Receiver;
  let connections: Connections;
  before(async () => {
    receiver = await startReceiver();
  });
  after(async () => {
    connections.close();
    await receiver.close();
  });
  beforeEach(async () => {
    connections?.close();
    await comes(() => receiver.open() === 0, 'connections are left of the test before');
    connections = new Connections(long);
    receiver.received.length = 0;
    receiver.connections.length = 0;
    receiver.answer((_, response) => response.writeHead(204).end());
  });

  const sending = (over: Partial<SendOptions>): SendOptions => {
    const resolve = async () => ['127.0.0.1'];
    return {
      allowed: readNetworks('127.0.0.0/8'),
      ca: certificate,
      timeout: 60_000,
      resolve,
      connections,
      ...over,
    };
  };
  const post = async (
    over: Partial<SendOptions> = {},
    { host = 'hook.test', id = 'w', port = receiver.port } = {},
  ) => {
    const url = new URL(`https://${host}:${port}/in`);
    const outcome = await send({ url, headers: { 'webhook-id': id }, body: '{}' }, sending(over));
    return outcome.kind === 'answered' ? outcome.status : outcome.reason;
  };
  /** Bytes in place of an answer. */
  const raw = ({ socket }: ServerResponse, bytes: string) => void socket?.write(bytes);

  it('one after the other take one', async () => {
    for (let n = 0; n < 20; n++) assert.equal(await post(), 204);
    assert.deepEqual(receiver.connections, ['hook.test']);
  });

  it('without a place to leave it, each takes one, and ends it', async () => {
    const { connections: _, ...alone } = sending({});
    const url = new URL(`https://hook.test:${receiver.port}/in`);
    for (let n = 0; n < 3; n++) await send({ url, headers: {}, body: '' }, alone);
    assert.equal(receiver.received.at(-1)?.headers.connection, 'close');
    assert.equal(receiver.connections.length, 3);
    await comes(() => receiver.open() === 0, 'they stay open');
  });

  it('of many at the same time eight are kept', async () => {
    await Promise.all(Array.from({ length: 20 }, () => post()));
    await comes(() => receiver.open() === 8, 'more are kept');
    assert.equal(connections.size, 8);
    const before = receiver.connections.length;
    await Promise.all(Array.from({ length: 8 }, () => post()));
    assert.equal(receiver.connections.length, before);
  });

  it('one that nobody uses is closed after a while, all when it stops', async () => {
    const short = new Connections(50);
    await post({ connections: short });
    await comes(() => receiver.open() === 0, 'it stays open');
    assert.equal(short.size, 0);
    receiver.answer(async (_, response) => {
      connections.close();
      response.writeHead(204).end();
    });
    await Promise.all([post(), post()]);
    await comes(() => receiver.open() === 0, 'they stay open');
    assert.equal(connections.size, 0);
  });

  it('one that the receiver has closed is not used', async () => {
    for (let n = 0; n < 3; n++) {
      receiver.answer((_, response) => {
        response.writeHead(204).end();
        response.on('close', () => response.socket?.end());
        setTimeout(() => response.req.socket.end(), 5);
      });
      assert.equal(await post(), 204);
      await comes(() => receiver.open() === 0, 'it stays open');
    }
    assert.deepEqual([receiver.connections.length, receiver.received.length], [3, 3]);
  });

  it('one that the receiver closes just then is replaced at once, and the request comes again on another', async () => {
    await post({}, { id: 'first' });
    receiver.answer((_, response) => {
      receiver.answer((_again, next) => next.writeHead(201).end());
      response.socket?.destroy();
    });
    assert.equal(await post({}, { id: 'second' }), 201);
    const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
    assert.deepEqual(ids, ['first', 'second', 'second']);
    assert.equal(receiver.connections.length, 2);
  });

  it('a receiver that closes every one is asked twice, and no more', async () => {
    await post();
    receiver.answer((_, response) => response.socket?.destroy());
    assert.match(String(await post()), /connection/);
    assert.equal(receiver.received.length, 3);
    assert.match(String(await post()), /connection/);
    assert.equal(receiver.received.length, 4);
  });

  it('once something of an answer has come, or the time is over, it does not come again', async () => {
    await post();
    receiver.answer((_, response) => {
      raw(response, 'HTTP/1.1 20');
      setTimeout(() => response.socket?.destroy(), 50);
    });
    assert.match(String(await post()), /connection/);
    assert.equal(receiver.received.length, 2);
    receiver.answer((_, response) => response.writeHead(204).end());
    await post();
    receiver.answer(() => {});
    assert.equal(await post({ timeout: 300 }), 'there was no answer in time');
    assert.ok(receiver.received.length <= 4);
    await comes(() => receiver.open() === 0, 'a connection without an answer stays open');
  });

  it('the time of a request does not end the connection that it left', async () => {
    while ((await post({ timeout: 1_000 })) !== 204);
    const { length } = receiver.connections;
    await sleep(1_200);
    await post();
    assert.equal(receiver.connections.length, length);
  });

  it('a name that means another address goes there, and nowhere where that is not public', async () => {
    const other = await startReceiver('127.0.0.2', receiver.port);
    try {
      await post();
      assert.match(String(await post({ resolve: async () => ['192.168.0.1'] })), /no address that is public/);
      assert.match(String(await post({ allowed: readNetworks('') })), /no address that is public/);
      assert.equal(await post({ resolve: async () => ['127.0.0.2'] }), 204);
      assert.deepEqual([receiver.received.length, other.received.length], [1, 1]);
      assert.equal(await post({ resolve: async () => ['192.168.0.1', '127.0.0.1'] }), 204);
      assert.deepEqual([receiver.received.length, receiver.connections.length], [2, 1]);
    } finally {
      connections.close();
      await other.close();
    }
  });

  it('one is for the name alone whose certificate was verified', async () => {
    await post();
    assert.match(String(await post({}, { host: 'other.test' })), /certificate is not good/);
    assert.equal(await post({}, { host: 'localhost' }), 204);
    assert.equal(await post({}, { host: '127.0.0.1' }), 204);
    assert.equal(await post(), 204);
    const names = receiver.connections.filter((name) => name !== 'other.test');
    assert.deepEqual(names, ['hook.test', 'localhost', '']);
    assert.equal(receiver.received.length, 4);
  });

  it('a redirect is an answer, also on one that was kept', async () => {
    await post();
    receiver.answer((_, response) => response.writeHead(307, { location: 'https://localhost/' }).end());
    assert.equal(await post(), 307);
    assert.deepEqual([receiver.received.length, receiver.connections.length], [2, 1]);
  });

  it('one whose answer has no plain end is not used again', async () => {
    const long = 'x'.repeat(99_999);
    const answers = [
      'HTTP/1.1 200 OK\r\n\r\nx',
      'HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 0\r\n\r\n',
      'HTTP/1.0 200 OK\r\ncontent-length: 0\r\n\r\n',
      'HTTP/1.1 200 OK\r\ncontent-length: 0\r\ncontent-length: 0\r\n\r\n',
      'HTTP/1.1 200 OK\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
      'HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\n',
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nx\r\n\r\n',
      'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\nHTTP/1.1 200 OK\r\n\r\n',
      `HTTP/1.1 200 OK\r\ncontent-length: 99999\r\n\r\n${long}`,
    ];
    receiver.answer(({ headers }, response) => raw(response, answers[Number(headers['webhook-id'])] ?? ''));
    const got = await Promise.all(answers.map((_, index) => post({}, { id: `${index}` })));
    assert.deepEqual(new Set(got), new Set([200]));
    await comes(() => receiver.open() === 0, 'some stay open');
    assert.equal(connections.size, 0);
  });

  it(`each request gets its own answer, in whatever pieces answers come (seed ${seed})`, async () => {
    const dice = new Dice(seed);
    const told = new Map<string, number>();
    let connected = 0;
    const answer = async (request: string, write: (piece: string) => void) => {
      const status = 200 + dice.below(300);
      told.set(/webhook-id: (.*)\r/.exec(request)?.[1] ?? '', status);
      const body = 'HTTP/1.1 299 no\r\n\r\n0\r\n\r\n'.repeat(dice.below(4));
      const chunks = body === '' ? '' : `${body.length.toString(16)};a=b\r\n${body}\r\n`;
      const text = dice.chance(50)
        ? `Content-Length: ${body.length}\r\n\r\n${body}`
        : `Transfer-Encoding: Chunked\r\n\r\n${chunks}0\r\nx: y\r\n\r\n`;
      const isBare = status === 204 || status === 304;
      let rest = `HTTP/1.1 103 early\r\n\r\nHTTP/1.1 ${status} x\r\n${isBare ? '\r\n' : text}`;
      while (rest !== '') {
        const length = dice.chance(30) ? rest.length : 1 + dice.below(rest.length);
        write(rest.slice(0, length));
        rest = rest.slice(length);
        if (rest !== '') await sleep(dice.below(3));
      }
    };
    const server = createServer(credentials, (socket) => {
      connected += 1;
      let request = '';
      socket.on('error', () => {});
      socket.on('data', (piece: Buffer) => {
        request += piece.toString();
        if (!request.endsWith('\r\n\r\n{}')) return;
        void answer(request, (text) => socket.write(text));
        request = '';
      });
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const { port } = server.address() as AddressInfo;
    for (let round = 0; round < 40; round++) {
      const ids = Array.from({ length: 4 }, (_, n) => `${round} ${n}`);
      const got = await Promise.all(ids.map((id) => post({}, { id, port })));
      const expected = ids.map((id) => told.get(id));
      assert.deepEqual(got, expected);
    }
    connections.close();
    await new Promise((closed) => server.close(closed));
    assert.ok(connected < 80, `${connected} connections for 160 requests`);
  });

  it('what waits for a webhook goes over few, which end with the sender', async () => {
    const world = await startWorld();
    try {
      await world.hook();
      for (let n = 0; n < 40; n++) await world.create('products', { title: `${n}` });
      await world.sends(() => world.receiver.received.length >= 40);
      assert.ok(world.receiver.connections.length <= 8, `${world.receiver.connections.length} connections`);
      await comes(() => world.receiver.open() === 0, 'they stay open');
      assert.deepEqual(world.app.errors, []);
    } finally {
      await world.close();
    }
  });
});
