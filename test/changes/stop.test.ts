import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { it } from 'node:test';
import { startStorage } from '../storage.ts';
import { toldUntil } from './events.ts';
import { Server } from './server.ts';

const skip = process.platform !== 'linux';
const count = process.env.VITRINE_LONG === '1' ? 50 : 12;

it('a server stops soon also beside streams that nobody reads', { skip, timeout: 600_000 }, async () => {
  const storage = await startStorage();
  const server = await Server.start(storage, '--log-requests');
  try {
    await server.fill();
    const sockets: Socket[] = [];
    while (sockets.length < count) sockets.push(await server.stall());
    await server.until(() => server.output.split('/_changes').length > sockets.length, 'they follow');
    // More than the system keeps for a client.
    const create = Array.from({ length: 100 }, () => ({ text: 'x'.repeat(10_000) }));
    for (let made = 0; made < 5; made++) await server.send('POST', '/v1/p/open/batch', { create });
    const begun = performance.now();
    server.kill('SIGTERM');
    assert.equal(await server.exit, 0, server.output);
    const gone = Math.round(performance.now() - begun);
    console.log(`the process ended ${gone} ms after SIGTERM beside ${count} clients that do not read`);
    assert.doesNotMatch(server.output, /still in flight/);
    for (const socket of sockets) socket.destroy();
  } finally {
    await server.end();
    await storage.remove();
  }
});

it('streams go on for as long as --drain says, also new ones, and end then', {
  skip,
  timeout: 600_000,
}, async () => {
  const storage = await startStorage();
  const server = await Server.start(storage, '--drain', '15');
  try {
    await server.fill();
    const stream = await server.follow('now');
    const one = await server.create('one');
    assert.deepEqual(await toldUntil(stream, one), [one]);
    const begun = performance.now();
    server.kill('SIGTERM');
    let isReady = true;
    while (isReady) isReady = (await fetch(`${server.base}/readyz`)).ok;
    const late = await server.follow('now');
    const two = await server.create('two');
    for (const each of [stream, late]) {
      assert.ok((await toldUntil(each, two)).includes(two));
      await each.over;
      assert.match(each.seen.at(-1)?.retry ?? '', /^\d+$/);
    }
    assert.ok(performance.now() - begun > 14_000);
    assert.equal(await server.exit, 0, server.output);
  } finally {
    await server.end();
    await storage.remove();
  }
});
