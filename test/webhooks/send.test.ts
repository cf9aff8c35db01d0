import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { readNetworks } from '../../src/access/networks.ts';
import { loadRuntime } from '../../src/runtime/load-runtime.ts';
import { isReachable } from '../../src/webhooks/public-address.ts';
import { type SendOptions, send } from '../../src/webhooks/send.ts';
import { certificate, type Receiver, startReceiver } from './receiver.ts';

const nothing = readNetworks('');
const loopback = readNetworks('127.0.0.0/8');

describe('which addresses may be sent to', () => {
  const open = [
    '1.1.1.1',
    '8.8.8.8',
    '172.32.0.1',
    '2606:4700:4700::1111',
    '::ffff:8.8.8.8',
    '::ffff:808:808',
  ];
  const closed = [
    ...['127.0.0.1', '127.9.9.9', '10.1.2.3', '172.16.0.1', '192.168.1.1', '169.254.169.254', '0.0.0.0'],
    ...['100.64.0.1', '192.0.0.1', '198.18.0.1', '203.0.113.9', '224.0.0.1', '255.255.255.255'],
    ...['::', '::1', '::127.0.0.1', '::ffff:127.0.0.1', '::ffff:7f00:1', '0:0:0:0:0:ffff:a9fe:a9fe'],
    ...['64:ff9b::7f00:1', '64:ff9b::a00:1', '64:ff9b:1::1', '2002:7f00:1::', '2002:a9fe:a9fe::1', '2001::1'],
    ...['fe80::1', 'fe80::1%eth0', 'fc00::1', 'fd12::1', 'fec0::1', 'ff02::1', '2001:db8::1', '100::1'],
    ...['', 'localhost', '8.8.8', '0x7f.1'],
  ];
  for (const address of open) it(`${address} may`, () => assert.ok(isReachable(address, nothing)));
  for (const address of closed) it(`'${address}' may not`, () => assert.ok(!isReachable(address, nothing)));

  it('--webhook-allow names exceptions, in whatever clothes they come', () => {
    assert.ok(isReachable('127.0.0.1', loopback));
    assert.ok(isReachable('::ffff:127.0.0.1', loopback));
    assert.ok(!isReachable('10.0.0.1', loopback));
    assert.ok(isReachable('fd00::7', readNetworks('fd00::/8')));
  });
});

describe('sending', () => {
  let receiver: Receiver;
  before(async () => {
    receiver = await startReceiver();
  });
  after(() => receiver.close());
  beforeEach(() => {
    receiver.received.length = 0;
    receiver.answer((_, response) => response.writeHead(204).end());
  });

  const sending = (over: Partial<SendOptions> = {}): SendOptions => ({
    ...{ allowed: loopback, ca: certificate, resolve: async () => ['127.0.0.1'] },
    ...over,
  });
  const post = (
    over?: Partial<SendOptions>,
    { host = 'hook.test', port = receiver.port, body = '{"a":"ä"}' } = {},
  ) =>
    send(
      { url: new URL(`https://${host}:${port}/in?x=1`), headers: { 'webhook-id': 'w1' }, body },
      sending(over),
    );

  it('looks names up as the runtime does, also those that are in no DNS', async () => {
    const { resolve } = await loadRuntime();
    const found = await resolve('localhost');
    assert.ok(found.length > 0);
    for (const address of found) assert.match(address, /^(127\.0\.0\.1|::1)$/);
  });

  it('brings headers and body, and tells the status', async () => {
    const outcome = await post();
    assert.deepEqual([outcome.kind, outcome.kind === 'answered' && outcome.status], ['answered', 204]);
    const [got] = receiver.received;
    assert.equal(got?.path, '/in?x=1');
    assert.equal(got?.headers.host, `hook.test:${receiver.port}`);
    assert.equal(got?.headers['webhook-id'], 'w1');
    assert.equal(got?.body, '{"a":"ä"}');
  });

  it('asks no proxy of the environment', async () => {
    const names = ['HTTPS_PROXY', 'https_proxy', 'ALL_PROXY', 'NODE_USE_ENV_PROXY'];
    const saved = names.map((name) => process.env[name]);
    for (const name of names) process.env[name] = name.startsWith('NODE') ? '1' : 'http://127.0.0.1:1';
    try {
      assert.equal((await post()).kind, 'answered');
    } finally {
      for (const [index, name] of names.entries()) {
        if (saved[index] === undefined) delete process.env[name];
        else process.env[name] = saved[index];
      }
    }
  });

  for (const host of [
    '127.0.0.1',
    '2130706433',
    '0x7f000001',
    '0177.0.0.1',
    '127.1',
    '[::ffff:127.0.0.1]',
    'localhost',
  ]) {
    it(`does not go to ${host}`, async () => {
      const outcome = await send(
        { url: new URL(`https://${host}:${receiver.port}/`), headers: {}, body: '' },
        { allowed: nothing, ca: certificate },
      );
      assert.match(outcome.kind === 'unanswered' ? outcome.reason : '', /no address that is public/);
      assert.equal(receiver.received.length, 0);
    });
  }

  it('goes to the address that was looked at, whatever the name means a moment later', async () => {
    let asked = 0;
    const rebinding = async () => (asked++ === 0 ? ['192.168.0.1'] : ['127.0.0.1']);
    assert.equal((await post({ resolve: rebinding })).kind, 'unanswered');
    assert.deepEqual([asked, receiver.received.length], [1, 0]);
    asked = 0;
    const twice = async () => (asked++ === 0 ? ['127.0.0.1'] : ['192.168.0.1']);
    assert.equal((await post({ resolve: twice })).kind, 'answered');
    assert.equal(asked, 1);
  });

  it('passes over addresses that are not public, and those that do not answer', async () => {
    const outcome = await post({ resolve: async () => ['10.255.255.1', '127.0.0.2', '127.0.0.1'] });
    assert.equal(outcome.kind, 'answered');
  });

  it('follows no redirect', async () => {
    receiver.answer((_, response) => response.writeHead(307, { location: 'https://169.254.169.254/' }).end());
    const outcome = await post();
    assert.equal(outcome.kind === 'answered' && outcome.status, 307);
    assert.equal(receiver.received.length, 1);
  });

  it('verifies the name in the certificate, and who signed it', async () => {
    for (const over of [{ ca: '' }, {}]) {
      const outcome = await post(over, { host: 'other.test' });
      assert.match(outcome.kind === 'unanswered' ? outcome.reason : '', /certificate is not good/);
    }
    assert.equal(receiver.received.length, 0);
  });

  it('reads Retry-After, in seconds and as a date', async () => {
    receiver.answer((_, response) => response.writeHead(429, { 'Retry-After': '7' }).end());
    const seconds = await post();
    assert.equal(seconds.kind === 'answered' && seconds.retryAfter, 7_000);
    const date = new Date(Date.now() + 60_000).toUTCString();
    receiver.answer((_, response) => response.writeHead(503, { 'retry-after': date }).end());
    const dated = await post();
    const ms = dated.kind === 'answered' ? dated.retryAfter : undefined;
    assert.ok(ms !== undefined && ms > 50_000 && ms <= 60_000, String(ms));
  });

  it('ends after its time, whether nothing comes or a little now and then', async () => {
    receiver.answer(() => {});
    const silent = await post({ timeout: 200 });
    assert.equal(silent.kind === 'unanswered' && silent.reason, 'there was no answer in time');
    receiver.answer((_, { socket }) => {
      socket?.write('HTTP/1.1 200 OK\r\n');
      const timer = setInterval(() => socket?.write('x: y\r\n'), 20);
      socket?.on('close', () => clearInterval(timer));
    });
    const dripping = await post({ timeout: 300 });
    assert.equal(dripping.kind === 'unanswered' && dripping.reason, 'there was no answer in time');
  });

  it('is answered by the head, and reads no more than a little of an endless body', async () => {
    let written = 0;
    const { promise: closed, resolve: close } = Promise.withResolvers<void>();
    receiver.answer((_, response) => {
      response.writeHead(200, { 'content-type': 'text/plain' });
      const more = () => {
        while (!response.destroyed && written < 256 * 1024 * 1024) {
          written += 65_536;
          if (!response.write('x'.repeat(65_536))) return void response.once('drain', more);
        }
      };
      response.on('close', close);
      more();
    });
    const outcome = await post();
    assert.equal(outcome.kind === 'answered' && outcome.status, 200);
    await closed;
    assert.ok(written < 64 * 1024 * 1024, `${written} bytes were taken`);
  });

  it('a head without an end, and what is no HTTP, is no answer', async () => {
    receiver.answer((_, response) => {
      response.socket?.write(`HTTP/1.1 200 OK\r\n${'x: y\r\n'.repeat(10_000)}`);
    });
    const endless = await post({ timeout: 60_000 });
    assert.match(endless.kind === 'unanswered' ? endless.reason : '', /too large/);
    receiver.answer((_, response) => void response.socket?.end('220 mail\r\n\r\n'));
    const other = await post({ timeout: 60_000 });
    assert.match(other.kind === 'unanswered' ? other.reason : '', /not HTTP/);
  });

  it('ends when it is told to', async () => {
    receiver.answer(() => {});
    const stop = new AbortController();
    setTimeout(() => stop.abort(), 100);
    const url = new URL(`https://hook.test:${receiver.port}/`);
    const outcome = await send({ url, headers: {}, body: '' }, sending({ timeout: 600_000 }), stop.signal);
    assert.equal(outcome.kind, 'unanswered');
    assert.notEqual(outcome.kind === 'unanswered' && outcome.reason, 'there was no answer in time');
  });
});
