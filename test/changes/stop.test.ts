import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { it } from 'node:test';
import { startStorage } from '../storage.ts';
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
