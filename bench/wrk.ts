import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { start } from './children.ts';
import type { Server, Work } from './server.ts';

export interface Round {
  readonly perSecond: number;
  /** Microseconds. */
  readonly p50: number;
  readonly p99: number;
  /** Of one answer, with its head. */
  readonly bytes: number;
  /** Answers that were not 2xx or 3xx, and connections that broke. */
  readonly errors: number;
}

interface Result {
  readonly requests: number;
  readonly micros: number;
  readonly p50: number;
  readonly p99: number;
  readonly bytes: number;
  readonly refused: number;
  readonly broken: number;
}

const script = join(import.meta.dir, 'lua/load.lua');

export function hasWrk(): boolean {
  return Bun.which('wrk') !== null;
}

let numbers = 1;

/** The first of ten million numbers that no other round uses. */
export function freshNumbers(): number {
  numbers += 1;
  return numbers * 10_000_000;
}

/** Room for a number of ten digits in a body, whose length is told before it. */
const tenDigits = (body: string) => body.replace('{n}', '{n}0000000');

/** One run of wrk, on one thread, against 127.0.0.1 alone. */
export async function load(
  server: Pick<Server, 'base'>,
  work: Work,
  { connections, seconds, directory }: { connections: number; seconds: number; directory: string },
): Promise<Round> {
  if (!/^http:\/\/(127\.0\.0\.1|localhost)[:/]/.test(server.base)) {
    throw new Error(`${server.base}: the bench loads servers on 127.0.0.1 alone`);
  }
  const file = join(directory, 'requests.txt');
  const { reads, write, every = write ? 1 : 0 } = work;
  const paths = write?.paths ?? [];
  const first = freshNumbers();
  // Each round goes on among the reads, so that those of the one before are not what it finds remembered.
  const from = (first * 7) % Math.max(1, reads.length);
  const head = [every, write?.method ?? '-', tenDigits(write?.body ?? '-'), first, paths.length, from];
  writeFileSync(file, [...head, ...paths, ...reads].join('\n'));
  const flags = ['-t1', `-c${connections}`, `-d${seconds}s`, '--timeout', '10s', '-s', script];
  const token = work.token === undefined ? [] : ['-H', `Authorization: Bearer ${work.token}`];
  const child = start('wrk', [...flags, ...token, server.base, '--', file]);
  const late = setTimeout(() => void child.stop(), (seconds + 15) * 1_000);
  await child.exit;
  clearTimeout(late);
  const text = /^RESULT (.+)$/m.exec(child.output())?.[1];
  if (text === undefined) throw new Error(`wrk failed: ${child.output()}`);
  const result = JSON.parse(text) as Result;
  return {
    perSecond: result.requests / (result.micros / 1e6),
    p50: result.p50,
    p99: result.p99,
    bytes: result.bytes / Math.max(1, result.requests),
    errors: result.refused + result.broken,
  };
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  const [below = 0, above = 0] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]];
  return (below + above) / 2;
}
