import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { type Served, serve } from './world.ts';

let served: Served;
before(async () => {
  served = await serve();
});
after(() => served.close());

const account = { email: 'ann@example.com', password: 'a good password' };
const post = (path: string, body: object) =>
  fetch(`${served.base}/v1/demo/_auth/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

/** Milliseconds that a sign-in takes. */
async function signIn(): Promise<number> {
  const start = performance.now();
  const answer = await post('login', account);
  assert.equal(answer.status, 200, await answer.text());
  return performance.now() - start;
}

/** Not from where the real sign-ins come: one address has a number of its own. Linux has all of 127.0.0.0/8. */
const elsewhere = process.platform === 'linux' ? { localAddress: '127.0.0.2' } : {};

function sendLogin(index: number, path = '/v1/demo/_auth/login'): Socket {
  const { hostname, port } = new URL(served.base);
  const body = JSON.stringify({ email: `nobody${index}@example.com`, password: 'made up' });
  const socket = connect({ port: Number(port), host: hostname, ...elsewhere }, () => {
    socket.write(
      `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
  });
  socket.on('error', () => {});
  socket.resume();
  return socket;
}

/** The longest sign-in while a thousand requests come, each hung up on after 30 ms. */
async function longestUnder(path: string): Promise<number> {
  const flood = (async () => {
    for (let index = 0; index < 1_000; index++) {
      const socket = sendLogin(index, path);
      setTimeout(() => socket.destroy(), 30);
      if (index % 20 === 19) await new Promise((resolve) => setTimeout(resolve, 5));
    }
  })();
  const under: number[] = [];
  for (let turn = 0; turn < 5; turn++) under.push(await signIn());
  await flood;
  under.push(await signIn());
  return Math.max(...under);
}

describe('a flood of sign-ins for accounts that are made up', () => {
  it('each hung up on after 30 ms, delays a real one to ten times its time at most', async () => {
    await post('register', account);
    const seen: string[] = [];
    for (let attempt = 0; attempt < 2; attempt++) {
      // Beside as many requests that cost nothing: what the machine and this process need for them is not the point.
      const usual = Math.max(50, await longestUnder('/healthz'));
      const longest = await longestUnder('/v1/demo/_auth/login');
      if (longest < 10 * usual) return;
      seen.push(`${longest} ms under it, ${usual} ms otherwise`);
    }
    assert.fail(seen.join('; '));
  });

  it('of which more wait than may from one address is a 429 for those, and costs nobody else', async () => {
    const sockets = Array.from({ length: 200 }, (_, index) => sendLogin(index));
    const statuses = await Promise.all(sockets.map(statusOf));
    assert.deepEqual(new Set(statuses), new Set([401, 429]));
    assert.ok(statuses.filter((status) => status === 401).length >= 16);
  });
});

function statusOf(socket: Socket): Promise<number> {
  return new Promise((resolve) => {
    socket.on('data', (part) => {
      resolve(Number(String(part).slice(9, 12)));
      socket.destroy();
    });
    socket.on('close', () => resolve(0));
  });
}
