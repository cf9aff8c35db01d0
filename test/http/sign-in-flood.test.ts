import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { bestOf } from '../best-of.ts';
import { startChild } from '../children.ts';
import { pause } from '../support.ts';
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

function sendLogin(index: number): Socket {
  const { hostname, port } = new URL(served.base);
  const body = JSON.stringify({ email: `nobody${index}@example.com`, password: 'made up' });
  const socket = connect({ port: Number(port), host: hostname, ...elsewhere }, () => {
    socket.write(
      `POST /v1/demo/_auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
  });
  socket.on('error', () => {});
  socket.resume();
  return socket;
}

/** Milliseconds of each of so many sign-ins, one after the other, the shortest first. */
async function signIns(count: number): Promise<number[]> {
  const times: number[] = [];
  for (let turn = 0; turn < count; turn++) times.push(await signIn());
  return times.sort((one, other) => one - other);
}

async function floodedWhile<T>(work: () => Promise<T>): Promise<T> {
  const { hostname: host, port } = new URL(served.base);
  const file = join(dirname(fileURLToPath(import.meta.url)), 'flood.ts');
  const setup = { host, port: Number(port), rate: 500, ...elsewhere };
  const flood = startChild(process.execPath, [file, JSON.stringify(setup)]);
  await new Promise((resolve) => flood.stdout.once('data', resolve));
  await pause(300);
  try {
    return await work();
  } finally {
    const closed = new Promise((resolve) => flood.once('close', resolve));
    flood.stdin.end();
    await closed;
  }
}

describe('a flood of sign-ins for accounts that are made up', () => {
  it('500 a second, each hung up on after 30 ms, delays real ones to ten times their time at most', async (t) => {
    await post('register', account);
    await signIns(2);
    const ratio = await bestOf(async () => {
      const usual = (await signIns(9))[4] ?? 0;
      const under = await floodedWhile(() => signIns(15));
      // The machine may be the cause of one that is late, not of two.
      const longest = under.at(-2) ?? 0;
      t.diagnostic(`${longest.toFixed(0)} ms under it, ${usual.toFixed(0)} ms otherwise`);
      return longest / usual;
    }, 10);
    assert.ok(ratio < 10, `${ratio.toFixed(1)} times as long`);
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
