import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { type Process, serving, vitrine } from './auth/process.ts';
import { type NamedStorage, startStorage } from './storage.ts';
import type { Row } from './support.ts';

interface Listing {
  readonly result: { readonly total: number; readonly found: Row[] };
}

const operators: Readonly<Record<string, (order: number) => boolean>> = {
  '>': (order) => order > 0,
  '>=': (order) => order >= 0,
  '<': (order) => order < 0,
  '<=': (order) => order <= 0,
  '!=': (order) => order !== 0,
};

describe('operators as raw bytes on a socket', () => {
  let storage: NamedStorage;
  let server: Process;
  let port: number;
  before(async () => {
    storage = await startStorage();
    server = vitrine(['serve', '--demo', '--port', '0', ...storage.flags]);
    port = Number(new URL(await serving(server)).port);
  });
  after(async () => {
    server.child.kill('SIGKILL');
    await server.exit;
    await storage.remove();
  });

  const get = (target: string): Promise<Listing> =>
    new Promise((resolve, reject) => {
      const socket = connect(port, '127.0.0.1', () => {
        socket.write(`GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
      });
      let text = '';
      socket.on('data', (part) => (text += part));
      socket.on('error', reject);
      socket.on('close', () => {
        const json = /\{.*\}/s.exec(text)?.[0];
        if (/^HTTP\/1.1 200 /.test(text) && json) resolve(JSON.parse(json) as Listing);
        else reject(new Error(text));
      });
    });

  it('are the operators they look like', async () => {
    const { found } = (await get('/v1/demo/products?perPage=1000')).result;
    const prices = found.flatMap(({ price }) => (typeof price === 'number' ? [price] : []));
    const [lowest = 0, ...rest] = prices.toSorted((a, b) => a - b);
    const middle = rest[Math.floor(rest.length / 2)] ?? 0;
    assert.ok(lowest < middle && new Set(prices).size > 2, 'the demo has prices');
    for (const [operator, holds] of Object.entries(operators)) {
      const fits = ({ price }: Row) => (price === null ? operator === '!=' : holds(Number(price) - middle));
      for (const spelled of [operator, encodeURIComponent(operator)]) {
        const { result } = await get(`/v1/demo/products?price${spelled}${middle}`);
        assert.equal(result.total, found.filter(fits).length, spelled);
      }
    }
    const span = await get(`/v1/demo/products?price>=${lowest}&price<${middle}&_createdAt>2020-01-01`);
    assert.equal(span.result.total, prices.filter((price) => price < middle).length);
  });
});
