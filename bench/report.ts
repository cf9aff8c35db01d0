import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { findBuilt } from '../src/runtime/built.ts';
import { root } from './children.ts';
import type { Verdict } from './goals.ts';
import type { Measured } from './measure.ts';

/** Requests under load. */
export interface Line {
  readonly work: string;
  readonly measured: Measured;
  readonly ofBare?: number | undefined;
  /** How many times as fast as the hand-written peer. */
  readonly ofHandWritten?: number | undefined;
  readonly verdicts: readonly Verdict[];
  readonly note?: string | undefined;
}

/** Anything else: megabytes, milliseconds. */
export interface Fact {
  readonly work: string;
  readonly what: string;
  readonly value: number;
  readonly unit: string;
  readonly verdict?: Verdict | undefined;
}

export interface Findings {
  readonly lines: readonly Line[];
  readonly facts: readonly Fact[];
}

const columns = [
  'work',
  'server',
  'req/s',
  'of bare',
  'bytes',
  'p50 ms',
  'p99 ms',
  'own MB',
  '× hand-written',
  'goal',
] as const;

const judged = ({ text, ok }: Verdict) => `${text} ${ok ? 'ok' : 'MISS'}`;

function lineCells({ work, measured, ofBare, ofHandWritten, verdicts, note }: Line): string[] {
  const notes = [...(measured.errors > 0 ? [`${measured.errors} ERRORS`] : []), ...(note ? [note] : [])];
  return [
    work,
    measured.label,
    Math.round(measured.perSecond).toLocaleString('en'),
    ofBare?.toFixed(2) ?? '',
    measured.bytes > 0 ? measured.bytes.toLocaleString('en') : '',
    (measured.p50 / 1_000).toFixed(2),
    (measured.p99 / 1_000).toFixed(2),
    measured.memory?.toFixed(0) ?? '',
    ofHandWritten?.toFixed(2) ?? '',
    [...verdicts.map(judged), ...notes].join('; '),
  ];
}

export function printFindings({ lines, facts }: Findings): void {
  if (lines.length > 0) printTable(columns, lines.map(lineCells));
  if (facts.length === 0) return;
  console.log();
  const cells = ({ work, what, value, unit, verdict }: Fact) => [
    ...[work, what, rounded(value), unit],
    verdict ? judged(verdict) : '',
  ];
  printTable(['work', 'what', '', 'unit', 'goal'], facts.map(cells));
}

/** Every goal that was measured, with what became of it. */
export function printSummary({ lines, facts }: Findings): void {
  const rows = [
    ...lines.flatMap(({ work, measured, verdicts }) =>
      verdicts.map((verdict) => ({ work, what: measured.label, verdict })),
    ),
    ...facts.flatMap(({ work, what, verdict }) => (verdict ? [{ work, what, verdict }] : [])),
  ];
  if (rows.length === 0) return;
  console.log();
  printTable(
    ['goal of', 'measured at', 'goal', 'value', ''],
    rows.map(({ work, what, verdict: { text, value, ok } }) => [
      ...[work, what, text, rounded(value)],
      ok ? 'ok' : 'MISS',
    ]),
  );
  const met = rows.filter(({ verdict }) => verdict.ok).length;
  console.log(`\n${met} of ${rows.length} goals met`);
}

function rounded(value: number): string {
  return Math.abs(value) < 20 ? value.toFixed(2) : Math.round(value).toLocaleString('en');
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

/** The load average of the last minute, before the bench itself adds to it. */
const loadBefore = loadavg()[0] ?? 0;

/** Tells what makes figures others than they should be: other programs take processor time from everything that is measured. */
export function warn(): void {
  if (loadBefore >= 0.5)
    console.error(`The machine is busy (load ${loadBefore.toFixed(1)}): the figures will wander.`);
  if (findBuilt(root) === undefined)
    console.error(
      "The sources are not what 'npm ci' built: the product starts from them, which takes twice as long.",
    );
}

/** bench/results/<date>.json; gives back the path within the repository. */
export function writeResults(kind: string, results: object): string {
  const directory = join(import.meta.dir, 'results');
  mkdirSync(directory, { recursive: true });
  const name = `${new Date().toISOString().replaceAll(':', '-').slice(0, 19)}.json`;
  const [cpu] = cpus();
  const machine = {
    ...{ bun: Bun.version, arch: process.arch, cores: cpus().length, cpu: cpu?.model ?? '' },
    loadBefore,
  };
  writeFileSync(join(directory, name), `${JSON.stringify({ kind, machine, ...results }, null, 2)}\n`);
  return `bench/results/${name}`;
}
