import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { loadRuntime } from '../../src/runtime/load-runtime.ts';
import type { Listener } from '../../src/runtime/runtime.ts';
import { pause } from '../support.ts';

const onNode = process.versions.bun === undefined;
/**
 * Seconds for which this server keeps a connection on which nothing moves. Bun looks every four seconds, and what is to be kept for
 * less than that ends with the next look, be it at once.
 */
const keepAlive = onNode ? 1 : 5;
/** Milliseconds after which one on which nothing moves is closed. */
const longEnough = onNode ? 4_000 : 12_000;
/** Milliseconds that whoever takes it slowly waits after each of 24 parts: for much longer than that in all. */
const between = onNode ? 150 : 450;
/** More than the buffers of two sockets hold. */
const answer = 'x'.repeat(48 * 1024 * 1024);

let listener: Listener;
/** Whoever takes nothing, beside all others. */
let unread: { readonly socket: Socket; readonly asked: number };
before(async () => {
  const { listen } = await loadRuntime();
  listener = await listen({
    ...{ host: '127.0.0.1', port: 0, keepAlive },
    fetch: async () => new Response(answer),
  });
  unread = { socket: await ask(), asked: performance.now() };
});
after(() => listener.stop());

async function ask(socket = connect(listener.port, '127.0.0.1')): Promise<Socket> {
  if (socket.connecting) await once(socket, 'connect');
  socket.pause();
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  return socket;
}

/** How much of an answer comes, until it is whole or the connection is closed; `wait`: milliseconds after each MiB of its first half. */
async function take(socket: Socket, wait = 0): Promise<number> {
  let [taken, head] = [0, 0];
  const { promise: over, resolve } = Promise.withResolvers<void>();
  socket.on('error', () => resolve()).on('close', resolve);
  const onData = (part: Buffer) => {
    if (taken === 0) head = part.indexOf('\r\n\r\n') + 4;
    const whole = Math.floor(taken / 2 ** 20);
    taken += part.length;
    if (taken - head >= answer.length) return resolve();
    if (wait === 0 || taken > answer.length / 2 || Math.floor(taken / 2 ** 20) === whole) return;
    socket.pause();
    setTimeout(() => socket.resume(), wait);
  };
  socket.on('data', onData).resume();
  await over;
  socket.off('data', onData);
  return taken - head;
}

describe('a client that', () => {
  it('takes it slowly gets all of it, and may ask again', async () => {
    const socket = await ask();
    const began = performance.now();
    assert.equal(await take(socket, between), answer.length);
    assert.ok(performance.now() - began > 2 * keepAlive * 1000);
    assert.equal(await take(await ask(socket)), answer.length);
    socket.destroy();
  });

  it('takes nothing of its answer loses the connection', async () => {
    await pause(Math.max(0, unread.asked + longEnough - performance.now()));
    assert.ok((await take(unread.socket)) < answer.length);
    unread.socket.destroy();
  });
});
