import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import type { Verdict } from './goals.ts';
import type { Measured } from './measure.ts';

export interface Line {
  readonly work: string;
  readonly measured: Measured;
  readonly ofBare?: number | undefined;
  /** How many times as fast as the hand-written peer. */
  readonly ofHandWritten?: number | undefined;
  readonly verdicts: readonly Verdict[];
  readonly note?: string | undefined;
}

const columns = [
  'work',
  'server',
  'req/s',
  'of bare',
  'bytes',
  'p50 ms',
  'p99 ms',
  'RSS MB',
  '× hand-written',
  'goal',
] as const;

export function lineCells({ work, measured, ofBare, ofHandWritten, verdicts, note }: Line): string[] {
  const notes = [...(measured.errors > 0 ? [`${measured.errors} ERRORS`] : []), ...(note ? [note] : [])];
  const goal = verdicts.map(({ text, ok }) => `${text} ${ok ? 'ok' : 'MISS'}`);
  return [
    work,
    measured.label,
    Math.round(measured.perSecond).toLocaleString('en'),
    ofBare?.toFixed(2) ?? '',
    measured.bytes.toLocaleString('en'),
    (measured.p50 / 1_000).toFixed(2),
    (measured.p99 / 1_000).toFixed(2),
    measured.memory?.toFixed(0) ?? '',
    ofHandWritten?.toFixed(2) ?? '',
    [...goal, ...notes].join('; '),
  ];
}

export function printLines(lines: readonly Line[]): void {
  printTable(columns, lines.map(lineCells));
}

/** A Markdown table whose columns stand under each other. */
export function printTable(head: readonly string[], rows: readonly (readonly string[])[]): void {
  const widths = head.map((name, at) => Math.max(name.length, ...rows.map((row) => row[at]?.length ?? 0)));
  const last = head.length - 1;
  const text = (row: readonly string[]) =>
    `| ${widths.map((width, at) => (at < 2 || at === last ? (row[at] ?? '').padEnd(width) : (row[at] ?? '').padStart(width))).join(' | ')} |`;
  console.log(text(head));
  console.log(`|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`);
  for (const row of rows) console.log(text(row));
}

/** bench/results/<date>.json; gives back the path within the repository. */
export function writeResults(kind: string, results: object): string {
  const directory = join(import.meta.dir, 'results');
  mkdirSync(directory, { recursive: true });
  const name = `${new Date().toISOString().replaceAll(':', '-').slice(0, 19)}.json`;
  const [cpu] = cpus();
  const machine = { bun: Bun.version, arch: process.arch, cores: cpus().length, cpu: cpu?.model ?? '' };
  writeFileSync(join(directory, name), `${JSON.stringify({ kind, machine, ...results }, null, 2)}\n`);
  return `bench/results/${name}`;
}
