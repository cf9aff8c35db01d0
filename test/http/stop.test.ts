import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { describe, it } from 'node:test';
import { lingering } from '../../src/runtime/limits.ts';
import { pause } from '../support.ts';
import { key, readAnswer, serve } from './world.ts';

function creation(): string {
  const body = JSON.stringify({ name: randomUUID() });
  const head = ['POST /v1/demo/brands HTTP/1.1', 'Host: x', `Authorization: Bearer ${key}`];
  const typed = [...head, 'Content-Type: application/json', `Content-Length: ${body.length}`];
  return `${typed.join('\r\n')}\r\n\r\n${body}`;
}

/** Opens a connection; undefined where that is refused. */
function open(base: string): Promise<Socket | undefined> {
  const { hostname, port } = new URL(base);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname, () => resolve(socket));
    socket.on('error', () => resolve(undefined));
  });
}

/** The whole answer to a request over a connection that is open; '' where it was closed instead. */
function ask(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    const heard = (part: Buffer) => {
      text += part;
      const { headers, body: answered } = readAnswer(text);
      const length = /content-length: (\d+)/.exec(headers)?.[1];
      if (length !== undefined && Buffer.byteLength(answered) >= Number(length)) end();
    };
    const end = () => {
      socket.off('data', heard).off('close', end);
      resolve(text);
    };
    if (socket.destroyed) return resolve('');
    socket.on('data', heard).on('close', end);
    socket.write(creation());
  });
}

/** Milliseconds: a server that stops closes connections that were idle for longer, on which whoever stood still may send yet. */
const longestIdle = lingering * 0.9;

/** Creates over kept connections, as a proxy does, until no new one can be had. */
async function client(base: string, statuses: string[]): Promise<void> {
  let asked = performance.now();
  for (let socket = await open(base); socket; socket = await open(base)) {
    for (let kept = true; kept; ) {
      await pause(statuses.length % 6);
      const before = asked;
      asked = performance.now();
      const answer = await ask(socket);
      kept = answer !== '' && !/connection: close/i.test(answer);
      if (answer !== '' || asked - before < longestIdle) statuses.push(answer.slice(9, 12));
    }
    socket.destroy();
  }
}

/** What is answered from the moment on at which the server says that it is not ready. */
async function askWhileDraining(base: string) {
  let ready = await fetch(`${base}/readyz`);
  for (; ready.status === 200; ready = await fetch(`${base}/readyz`)) await pause(20);
  const others = ['/healthz', '/v1/demo/brands'].map(async (path) => (await fetch(base + path)).status);
  const comesAgain = ready.headers.has('retry-after');
  return { ready: ready.status, comesAgain, others: await Promise.all(others) };
}

describe('SIGTERM', () => {
  it('loses no request: each that is sent over a connection that is open is answered', async () => {
    for (let round = 0; round < 3; round++) {
      const served = await serve();
      const statuses: string[] = [];
      const clients = Array.from({ length: 8 }, () => client(served.base, statuses));
      while (statuses.length < 80) await pause(5);
      served.process.child.kill('SIGTERM');
      await Promise.all(clients);
      assert.deepEqual(new Set(statuses), new Set(['201']), `of ${statuses.length}`);
      assert.equal(await served.process.exit, 0);
      await served.close();
    }
  });

  it('loses none either that arrived in time where the process stood still for longer', async () => {
    for (let tries = 0; tries < 5; tries++) {
      const served = await serve();
      const sockets: Socket[] = [];
      while (sockets.length < 8) sockets.push((await open(served.base)) ?? assert.fail('it is not there'));
      for (const socket of sockets) assert.equal((await ask(socket)).slice(9, 12), '201');
      const start = performance.now();
      served.process.child.kill('SIGTERM');
      for (let more = await open(served.base); more; more = await open(served.base)) more.destroy();
      await pause(50); // in which it begins to wait for last requests
      served.process.child.kill('SIGSTOP');
      const answers = sockets.map(ask);
      const tooLate = performance.now() - start > longestIdle; // for this process stood still, too
      await pause(lingering * 1.2);
      served.process.child.kill('SIGCONT');
      const statuses = (await Promise.all(answers)).map((answer) => answer.slice(9, 12));
      assert.equal(await served.process.exit, 0);
      await served.close();
      if (tooLate) continue;
      assert.deepEqual(new Set(statuses), new Set(['201']));
      return;
    }
    assert.fail('the machine did not get to ask in time');
  });

  it('with --drain, turns /readyz to 503 first, and all else goes on', async () => {
    // Longer where a busy machine let the time pass before all was asked.
    for (const seconds of [3, 12, 48]) {
      const served = await serve('--drain', String(seconds));
      assert.equal((await fetch(`${served.base}/readyz`)).status, 200);
      const start = performance.now();
      served.process.child.kill('SIGTERM');
      const asked = await askWhileDraining(served.base).catch((error: unknown) => error);
      const tooLate = performance.now() - start > seconds * 1000;
      assert.equal(await served.process.exit, 0);
      assert.equal(await open(served.base), undefined);
      await served.close();
      if (tooLate) continue;
      assert.deepEqual(asked, { ready: 503, comesAgain: true, others: [200, 200] });
      return;
    }
    assert.fail('the machine did not get to ask in 48 seconds');
  });
});
