import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { after, before, describe, it } from 'node:test';
import type { ReadTurn } from '../../src/access/turns.ts';
import { download } from '../../src/http/download.ts';
import { loadRuntime } from '../../src/runtime/load-runtime.ts';
import type { Listener } from '../../src/runtime/runtime.ts';
import { startApp, type TestApp } from '../harness.ts';
import { definition, makeProject, pause } from '../support.ts';
import { fill, watched } from './support.ts';

/** Many times what the buffers of a connection hold. */
const count = 20_000;
const text = 'x'.repeat(1500);

describe('an export through a socket', () => {
  let app: TestApp;
  let listener: Listener;
  let path: string;
  let walked = 0;
  let turns = 0;
  /** Of the export that was asked for last: the one before, whose client is gone, may only now hear of that. */
  let counted: ReadTurn | undefined;
  let failAfter = Number.POSITIVE_INFINITY;
  before(async () => {
    app = await startApp(
      watched((store) => ({
        async walk(plan, turn) {
          if (plan.after === undefined) counted = turn;
          const answer = await store.walk(plan, turn);
          if (turn !== counted) return answer;
          walked += answer.found.length;
          turns += 1;
          if (walked > failAfter) throw new Error('the disk is gone');
          return answer;
        },
      })),
    );
    // Not text: it is not the search index that is tried here.
    const base = await makeProject(
      app,
      definition('items', { parts: { type: 'list', of: { type: 'content' } } }),
    );
    path = `${base}/items`;
    await fill(
      app,
      path,
      Array.from({ length: count }, () => ({ parts: [text] })),
    );
    const { listen } = await loadRuntime();
    listener = await listen({ host: '127.0.0.1', port: 0, fetch: (request) => app.fetch(request) });
  });
  after(async () => {
    await listener.stop();
    await app.close();
  });

  function ask(format: string): Socket {
    walked = 0;
    turns = 0;
    counted = undefined;
    const socket = connect(listener.port, '127.0.0.1');
    socket.on('error', () => {});
    socket.write(`GET ${path}/export?format=${format} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    return socket;
  }

  /** Waits until the server has walked no further for a while, and says how far it came. */
  async function settled(): Promise<number> {
    for (;;) {
      const before = walked;
      await pause(250);
      if (walked === before && walked > 0) return walked;
    }
  }

  const closed = (socket: Socket) => new Promise<void>((resolve) => socket.once('close', () => resolve()));

  for (const format of ['csv', 'json', 'ndjson']) {
    it(`${format}: waits for a client that stops reading, and goes on when it reads again`, async () => {
      const socket = ask(format).pause();
      const waited = await settled();
      assert.ok(waited < count * 0.7, `${waited} of ${count} records were made for nobody`);
      let received = 0;
      let end = '';
      socket.on('data', (part) => {
        received += part.length;
        end = (end + part.toString('latin1')).slice(-5);
      });
      socket.resume();
      await closed(socket);
      assert.equal(walked, count);
      assert.ok(received > count * text.length);
      assert.equal(end, '0\r\n\r\n');
    });

    it(`${format}: stops when the client goes away`, async () => {
      const socket = ask(format);
      await new Promise((resolve) => socket.once('data', resolve));
      socket.destroy();
      const waited = await settled();
      assert.ok(waited < count * 0.7, `${waited} of ${count} records were made for nobody`);
      assert.deepEqual(app.errors, []);
    });
  }

  it('lets others in between any two parts', async () => {
    let others = 0;
    let open = true;
    const other = () => {
      others += 1;
      if (open) setImmediate(other);
    };
    const socket = ask('csv').resume();
    other();
    await closed(socket);
    open = false;
    assert.ok(turns > count / 64);
    assert.ok(others >= turns, `${others} turns of the event loop for ${turns} parts`);
  });

  it('a failure on the way breaks the connection off, wherever it happens', async () => {
    for (failAfter of [16, 40, 100, count / 2]) {
      for (const format of ['csv', 'json', 'ndjson', 'xlsx']) {
        const socket = ask(format);
        let received = '';
        socket.on('data', (part) => {
          received += part.toString('latin1');
        });
        await closed(socket);
        assert.match(received, /^HTTP\/1\.1 200 /);
        assert.ok(!received.endsWith('0\r\n\r\n'), `${format} after ${failAfter} ended as if it were whole`);
        assert.match(String(app.errors.pop()), /the disk is gone/);
      }
    }
    failAfter = Number.POSITIVE_INFINITY;
  });

  it('HEAD has the headers and makes nothing', async () => {
    walked = 0;
    const socket = connect(listener.port, '127.0.0.1');
    socket.write(`HEAD ${path}/export?format=csv HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    let received = '';
    socket.on('data', (part) => {
      received += part.toString();
    });
    await closed(socket);
    assert.match(received, /^HTTP\/1\.1 200 /);
    assert.match(received, /attachment; filename="items.csv"/i);
    assert.equal(received.split('\r\n\r\n')[1], '');
    assert.ok(walked < 100);
  });
});

it('a client that takes nothing for too long is given up, so that it does not hold the project', async () => {
  let stopped = false;
  async function* endless() {
    try {
      for (;;) yield new Uint8Array(10);
    } finally {
      stopped = true;
    }
  }
  const file = { name: 'a.csv', type: 'text/csv', body: endless() };
  // Twice as long in all as nothing may be taken: one that is taken begins the time anew.
  const longest = 500;
  const { response, over } = download(file, () => assert.fail(), longest);
  const reader = response.body?.getReader();
  assert.ok(reader);
  let asked = performance.now();
  for (const start = asked; performance.now() - start < 2 * longest; ) {
    const before = asked; // the time runs from the last one on
    await pause(20);
    asked = performance.now();
    const isThere = await reader.read().then(
      ({ done }) => !done,
      () => false,
    );
    if (performance.now() - before >= longest) break; // the machine stood still
    assert.ok(isThere);
  }
  await over;
  await assert.rejects(reader.read(), /took nothing for too long/);
  assert.ok(stopped);
});
