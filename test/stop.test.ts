import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { after, afterEach, before, describe, it } from 'node:test';
import { createAdmin } from '../client/admin.ts';
import { type Process, serving, vitrine } from './auth/process.ts';
import { type NamedStorage, startStorage } from './storage.ts';
import { pause } from './support.ts';
import { certificateFile, startReceiver } from './webhooks/receiver.ts';

const key = 'a-key-for-stopping';

describe('a server that stops while it works beside requests', { timeout: 280_000 }, () => {
  let storage: NamedStorage;
  let server: Process | undefined;
  before(async () => {
    storage = await startStorage();
  });
  afterEach(async () => {
    server?.child.kill('SIGKILL');
    await server?.exit;
  });
  after(() => storage.remove());

  async function start(...flags: string[]) {
    server = vitrine(['serve', '--port', '0', ...flags, ...storage.flags], {
      environment: { VITRINE_ADMIN_KEY: key, NODE_EXTRA_CA_CERTS: certificateFile },
    });
    const base = await serving(server);
    return { base, admin: createAdmin(base, { token: key }), server };
  }
  const until = async (condition: () => boolean, what: string) => {
    for (let tries = 0; !condition(); tries++) {
      assert.ok(tries < 3_000, what);
      await pause(20);
    }
  };
  /** Milliseconds until it has ended. */
  const stop = async ({ child, exit, output }: Process) => {
    const begun = performance.now();
    child.kill('SIGTERM');
    assert.equal(await exit, 0, output());
    return performance.now() - begun;
  };

  for (const workers of ['1', '2']) {
    it(`does not wait for a mail server that says nothing (${workers} workers)`, async () => {
      const sockets = new Set<Socket>();
      const mails = createServer((socket) => {
        sockets.add(socket.on('error', () => {}));
        socket.write('220 mail.test\r\n');
      });
      await once(mails.listen(0, '127.0.0.1'), 'listening');
      const { port } = mails.address() as AddressInfo;
      const words = ['--mail', `smtp://127.0.0.1:${port}`, '--mail-from', 'a@example.com'];
      const {
        base,
        admin,
        server: running,
      } = await start(...[...words, '--public-url', 'https://example.com', '--workers', workers]);
      const project = `mails-${workers}`;
      await admin.projects.create({ id: project });
      const post = (path: string, body: object) =>
        fetch(`${base}/v1/${project}/_auth/${path}`, {
          ...{ method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) },
        });
      const email = 'ann@example.com';
      assert.equal((await post('register', { email, password: 'correct horse' })).status, 201);
      assert.equal((await post('forgot', { email })).status, 200);
      await until(() => sockets.size > 0, 'it is sent');
      const took = await stop(running);
      assert.ok(took < 20_000, `it took ${Math.round(took)} ms`);
      assert.match(running.output(), /background work was still under way after 10 s/);
      for (const socket of sockets) socket.destroy();
      mails.close();
    });
  }

  it('gives webhooks a while to be answered, and sends those that were not at the next start', async () => {
    const receiver = await startReceiver();
    receiver.answer(() => {}); // says nothing
    const { admin, server: first } = await start('--webhook-allow', '127.0.0.0/8');
    await admin.projects.create({ id: 'shop' });
    await admin.project('shop').collections.create({ id: 'things', fields: {} });
    const url = `https://localhost:${receiver.port}/`;
    await admin.project('shop').webhooks.create({ name: 'r', url });
    await admin.records('shop').collection('things').create({});
    await until(() => receiver.received.length === 1, 'it is sent');
    const took = await stop(first);
    assert.ok(took > 4_000 && took < 15_000, `it took ${Math.round(took)} ms`);
    receiver.answer((_, response) => response.writeHead(204).end());
    await start('--webhook-allow', '127.0.0.0/8');
    await until(() => receiver.received.length > 1, 'it is sent again');
    const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
    assert.equal(new Set(ids).size, 1);
    await receiver.close();
  });

  it('does not wait for clients that are connected and say nothing', async () => {
    const { base, server: running } = await start();
    const { hostname, port } = new URL(base);
    const silent = connect(Number(port), hostname).on('error', () => {});
    await once(silent, 'connect');
    const asked = connect(Number(port), hostname).on('error', () => {});
    asked.write(`GET /healthz HTTP/1.1\r\nHost: ${hostname}\r\n\r\n`);
    await once(asked, 'data');
    await pause(4_000); // Bun takes a connection that has just been made for one that may be idle
    const ms = await stop(running);
    assert.ok(ms < 4_000, `it took ${ms} ms`);
    assert.doesNotMatch(running.output(), /still in flight/);
    for (const socket of [silent, asked]) socket.destroy();
  });

  it('lets a client read a large page to its end', async () => {
    const { base, admin, server: running } = await start();
    await admin.projects.create({ id: 'large' });
    await admin.project('large').collections.create({
      ...{ id: 'notes', fields: { body: { type: 'content' } }, api: { access: 'public' } },
    });
    const body = 'word '.repeat(150_000);
    for (let made = 0; made < 30; made++) await admin.records('large').collection('notes').create({ body });
    const { hostname, port } = new URL(base);
    const client = connect(Number(port), hostname).setEncoding('latin1');
    client.write(`GET /v1/large/notes?perPage=30 HTTP/1.1\r\nHost: ${hostname}\r\nConnection: close\r\n\r\n`);
    await once(client, 'readable');
    const stopped = stop(running);
    await pause(2_500); // longer than the connections of those who read nothing are waited for
    let text = '';
    for await (const part of client) text += part;
    assert.ok(text.endsWith('\r\n0\r\n\r\n'), `${text.length} characters that end with ${text.slice(-20)}`);
    assert.ok(text.length > 30 * body.length);
    await stopped;
  });
});
