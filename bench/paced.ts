/**
 * Sends requests at an even pace over plain sockets, for little processor time of its own. What and how fast stands in
 * PACED, as JSON (see pacing.ts). Prints what came of it when the time is over, or at SIGTERM.
 *
 * A request that is due while all connections wait for an answer is sent as soon as one has it, and its time counts from
 * when it was due: a server that stands still is not asked less for it.
 */
import { readFileSync } from 'node:fs';
import type { Paced, PacedResult } from './pacing.ts';

const order = JSON.parse(process.env.PACED ?? '{}') as Paced;
const tick = 2;
const reads = order.reads === undefined ? [] : readFileSync(order.reads, 'utf8').split('\n');

interface Line {
  /** When the request that it waits for was due. */
  since: number | undefined;
  send(text: string): void;
}

let number = order.write?.first ?? 0;
let asked = 0;
let failed = 0;
const times: number[] = [];
const due: number[] = [];

function message(): string {
  asked += 1;
  const host = 'Host: 127.0.0.1\r\n';
  if (!order.write) return `GET ${reads[asked % reads.length]} HTTP/1.1\r\n${host}\r\n`;
  number += 1;
  const { path, body: template } = order.write;
  const body = template.replace('{n}', String(number).padStart(10, '0'));
  const head = `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`;
  return `POST ${path} HTTP/1.1\r\n${host}${head}\r\n${body}`;
}

function sendDue(lines: readonly Line[]): void {
  for (const line of lines) {
    if (due.length === 0) return;
    if (line.since !== undefined) continue;
    line.since = due.shift();
    line.send(message());
  }
}

/** One request at a time on each; an answer is known by its first bytes, the rest of a long one by not being that. */
async function connectLine(): Promise<Line> {
  const line: Line = { since: undefined, send: (text) => void socket.write(text) };
  const socket = await Bun.connect({
    hostname: '127.0.0.1',
    port: order.port,
    socket: {
      data(_, bytes) {
        const status = /^HTTP\/1\.1 (\d\d\d)/.exec(bytes.toString('latin1', 0, 12))?.[1];
        if (status === undefined || line.since === undefined) return;
        times.push(performance.now() - line.since);
        if (!status.startsWith('2')) failed += 1;
        line.since = undefined;
        sendDue([line]);
      },
      close() {
        if (line.since !== undefined) failed += 1;
        line.since = Number.POSITIVE_INFINITY;
      },
    },
  });
  return line;
}

const lines = await Promise.all(Array.from({ length: order.connections }, connectLine));
const begin = performance.now();
let counted = 0;
const timer = setInterval(() => {
  const now = performance.now();
  for (const until = ((now - begin) / 1_000) * order.perSecond; counted < until; counted++) due.push(now);
  sendDue(lines);
}, tick);

function end(): void {
  clearInterval(timer);
  const elapsed = (performance.now() - begin) / 1_000;
  const sorted = times.sort((a, b) => a - b);
  const at = (share: number) => 1_000 * (sorted[Math.floor(share * (sorted.length - 1))] ?? 0);
  const result: PacedResult = {
    ...{ perSecond: (times.length - failed) / elapsed, failed },
    ...{ p50: at(0.5), p99: at(0.99), worst: at(1) },
  };
  console.log(`PACED ${JSON.stringify(result)}`);
  process.exit(0);
}

process.once('SIGTERM', end);
await Bun.sleep(order.seconds * 1_000);
end();
