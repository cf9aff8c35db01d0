import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { it } from 'node:test';
import { download } from '../../src/http/download.ts';
import { loadRuntime } from '../../src/runtime/load-runtime.ts';
import { pause } from '../support.ts';

const onNode = process.versions.bun === undefined;
/** Milliseconds: Bun looks every four seconds which connections are idle. Node takes none that waits for one. */
const betweenLooks = onNode ? 1_000 : 4_000;
/** Seconds for which this server keeps an idle connection. On Bun one to be kept for less ends with the next look, be it at once. */
const keepAlive = onNode ? 1 : 5;

/** Milliseconds for which it keeps one in any case. */
const surelyKept = onNode ? 900 : 3_600;

const ask = (socket: Socket, verb: string) =>
  socket.write(`${verb} /v1/p/notes/x HTTP/1.1\r\nHost: x\r\n\r\n`);

async function open(port: number, verb: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').on('error', () => {});
  await once(socket, 'connect');
  ask(socket, verb);
  return socket;
}

/** What comes next over a connection; '' where it is closed. */
function nextOf(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
    if (socket.destroyed) return resolve('');
    socket.once('data', (part) => resolve(String(part))).once('close', () => resolve(''));
  });
}

it('whatever may take long is answered, also where an idle connection would be closed meanwhile', async () => {
  // Again where the machine stood still for so long that connections ended, as they were idle.
  for (let tries = 0; tries < 5; tries++) if (await areAnswered()) return;
  assert.fail('the machine did not get to ask again in time');
});

/** Asserts it; false where whoever asked again may have been too late. */
async function areAnswered(): Promise<boolean> {
  const runtime = await loadRuntime();
  const { promise: done, resolve: finish } = Promise.withResolvers<void>();
  const listen = (longestWait: number) =>
    runtime.listen({
      host: '127.0.0.1',
      port: 0,
      keepAlive,
      longestWait,
      async fetch() {
        await done;
        return new Response('{"ok":true}');
      },
    });
  const listener = await listen(keepAlive * 1000 - 1);
  const patient = await listen(keepAlive * 1000);
  // Of the others, where the runtime takes whoever waits for an idle one, this connection shows when that is.
  const unprotected = await open(listener.port, 'GET');
  const waiting = new Map<string, Socket>();
  for (const verb of ['DELETE', 'PUT']) waiting.set(verb, await open(listener.port, verb));
  waiting.set('GET', await open(patient.port, 'GET'));
  await Promise.race([once(unprotected, 'close'), pause(3 * betweenLooks)]);
  await pause(betweenLooks); // it may have looked at the one before it looks at the others
  for (const [verb, socket] of waiting) assert.equal(socket.closed, false, verb);
  finish();
  const finished = performance.now();
  let late = false;
  const asking = [...waiting].map(async ([verb, socket]) => {
    for (let turn = 0; turn < 2; turn++) {
      if (turn > 0) ask(socket, verb); // the connection is as good as before
      const answer = await nextOf(socket);
      if (answer === '' && performance.now() - finished > surelyKept) late = true;
      else assert.match(answer, /^HTTP\/1.1 200 .*\{"ok":true\}$/s);
    }
    socket.destroy();
  });
  await Promise.all(asking);
  unprotected.destroy();
  await Promise.all([listener.stop(), patient.stop()]);
  return !late;
}

it('a download goes on, however long its next part takes, and ends with its connection where nobody reads it', async () => {
  const runtime = await loadRuntime();
  const over: Promise<void>[] = [];
  const listener = await runtime.listen({
    host: '127.0.0.1',
    port: 0,
    keepAlive,
    async fetch({ url }) {
      const body = url.includes('large') ? large() : slow();
      const file = download({ name: 'notes.csv', type: 'text/csv', body }, () => {}, 1_000);
      over.push(file.over);
      return file.response;
    },
  });
  const unread = connect(listener.port, '127.0.0.1')
    .pause()
    .on('error', () => {});
  unread.write('GET /v1/p/notes/export?format=large HTTP/1.1\r\nHost: x\r\n\r\n');
  const kept = connect(listener.port, '127.0.0.1').resume();
  kept.write('GET /v1/p/notes/export?format=csv HTTP/1.1\r\nHost: x\r\n\r\n');
  const ended = once(kept, 'close');
  const answer = await fetch(`http://127.0.0.1:${listener.port}/v1/p/notes/export?format=csv`);
  assert.equal(await answer.text(), 'head\ntail\n');
  await Promise.all(over);
  unread.destroy();
  // Afterwards a connection is one as any other, and ends when it is idle.
  await ended;
  await listener.stop();
});

const bytes = (text: string) => new TextEncoder().encode(text);

async function* slow(): AsyncGenerator<Uint8Array<ArrayBuffer>, void, void> {
  yield bytes('head\n');
  await pause(3 * betweenLooks);
  yield bytes('tail\n');
}

async function* large(): AsyncGenerator<Uint8Array<ArrayBuffer>, void, void> {
  for (let part = 0; part < 1_000; part++) yield bytes('x'.repeat(100_000));
}
