/**
 * The floor on PostgreSQL: the driver by itself, with so many statements in flight over a pool of so many connections.
 *   bun bench/postgres/loop-process.ts DATABASE_URL POOL
 * A port takes the statements (PUT) and runs them (POST /IN_FLIGHT/SECONDS/FIRST_NUMBER).
 */
import postgres from 'postgres';
import type { Round } from '../wrk.ts';
import type { Statement } from './statements.ts';

const [url = '', pool] = process.argv.slice(2);
const db = postgres(url, {
  max: Number(pool),
  fetch_types: false,
  onnotice: () => {},
  // As in the product: how a statement is run is to be the same.
  connection: { jit: 'off', max_parallel_workers_per_gather: 0 },
});
let statements: Statement[] = [];

function valuesOf({ values }: Statement, number: number) {
  const digits = String(number).padStart(10, '0');
  return values.map((value) => {
    if (value === '#') return number;
    return typeof value === 'string' ? value.replaceAll('XXXXXXXXXX', digits) : value;
  });
}

async function run(inFlight: number, seconds: number, first: number): Promise<Round> {
  const times: number[] = [];
  const begin = performance.now();
  const end = begin + seconds * 1_000;
  let number = first;
  let errors = 0;
  async function one(): Promise<void> {
    for (let since = performance.now(); since < end; since = performance.now()) {
      number += 1;
      const statement = statements[number % statements.length];
      if (!statement) return;
      try {
        await db.unsafe(statement.text, valuesOf(statement, number), { prepare: true }).values();
        times.push(performance.now() - since);
      } catch (error) {
        if (errors === 0) console.error(error);
        errors += 1;
      }
    }
  }
  await Promise.all(Array.from({ length: inFlight }, one));
  const elapsed = (performance.now() - begin) / 1_000;
  times.sort((a, b) => a - b);
  const at = (share: number) => 1_000 * (times[Math.floor(share * (times.length - 1))] ?? 0);
  return { perSecond: times.length / elapsed, p50: at(0.5), p99: at(0.99), bytes: 0, errors };
}

const control = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  development: false,
  idleTimeout: 0,
  async fetch(request) {
    if (request.method === 'PUT') {
      statements = (await request.json()) as Statement[];
      return new Response();
    }
    const [, inFlight, seconds, first] = new URL(request.url).pathname.split('/');
    return Response.json(await run(Number(inFlight), Number(seconds), Number(first)));
  },
});

console.log(`loop ${control.port}`);
