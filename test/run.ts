import { spawn } from 'node:child_process';
import { globSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { atExit } from './children.ts';
import { engineTests } from './engine-tests.ts';
import { type PostgresServer, startPostgres } from './postgres-server.ts';

/**
 * `npm test`: type check, lint, then every test on SQLite by each runtime and on a real PostgreSQL by Bun, and some of the
 * latter by Node, which meets PostgreSQL in `test/postgres`, `test/differential` and `test/commands` too. Stops at
 * nothing, fails if anything failed.
 */

interface Step {
  readonly name: string;
  readonly command: readonly [string, ...string[]];
  readonly environment?: Readonly<Record<string, string>>;
  /** Where the runner's own summary says how many passed and failed. */
  readonly counts?: { readonly passed: RegExp; readonly failed: RegExp };
}

/** Files at the same time, where each has a process. Many of them wait more than they work. */
const together = Math.max(3, availableParallelism() - 1);

/** Milliseconds for a test, and, where it has a process, for a file. */
const longestTest = 300_000;
/** Milliseconds for a step: one that hangs is a failure that is told, not a run without end. */
const longestStep = 20 * 60_000;

/** Tests that touch nearly all there is in a store. */
const broad =
  /\/(records|list|search|relations|nodes|access)\.test|reference\.test|property\.test|atomic\.test/;

const bunCounts = { passed: /^ *(\d+) pass$/m, failed: /^ *(\d+) fail$/m };
const nodeCounts = { passed: /^ℹ pass (\d+)$/m, failed: /^ℹ fail (\d+)$/m };

/** On SQLite all of them; on PostgreSQL those for which the engine makes a difference. What is in one row runs together. */
function steps({ url }: Pick<PostgresServer, 'url'>): Step[][] {
  const all = globSync(['src/**/*.test.ts', 'test/**/*.test.ts']).sort();
  const both = engineTests(all);
  const shared = { VITRINE_TEST_DATABASE: url };
  const postgres = { ...shared, VITRINE_TEST_ENGINE: 'postgres' };
  const onBun = (name: string, files: readonly string[], environment: Step['environment']) => ({
    name: `tests on Bun, ${name}`,
    command: ['bun', 'test', '--timeout', String(longestTest), ...files.map((file) => `./${file}`)] as const,
    environment: environment ?? {},
    counts: bunCounts,
  });
  const onNode = (name: string, files: readonly string[], environment: Step['environment']) => ({
    name: `tests on Node, ${name}`,
    // A file of its own process each. Those on PostgreSQL spend most of their time waiting for it.
    command: [
      'node',
      '--test',
      `--test-concurrency=${together}`,
      `--test-timeout=${longestTest}`,
      '--test-force-exit', // whatever a test that failed left running
      '--test-reporter',
      'spec',
      ...files,
    ] as const,
    environment: environment ?? {},
    counts: nodeCounts,
  });
  const broadly = both.filter((file) => broad.test(file));
  return [
    [{ name: 'types', command: ['tsc', '--noEmit'] }],
    [{ name: 'lint and format', command: ['biome', 'check', '--error-on-warnings', '.'] }],
    [onBun('SQLite', all, shared), onBun('PostgreSQL', both, postgres)],
    [onNode('SQLite', all, shared)],
    [onNode('PostgreSQL', broadly, postgres)],
  ];
}

interface Outcome {
  readonly status: number;
  readonly output: string;
  readonly seconds: number;
}

/** Runs a command. `show` gets what it prints as it comes. */
function run(
  { command: [program, ...words], environment }: Step,
  show: (part: string) => void,
): Promise<Outcome> {
  const start = performance.now();
  const env = { ...process.env, ...environment };
  // A group of its own, to be ended as one, which has it tidy up.
  const child = spawn(program, words, { stdio: ['ignore', 'pipe', 'pipe'], env, detached: true });
  const end = (signal: NodeJS.Signals) => {
    if (child.pid !== undefined) process.kill(-child.pid, signal);
  };
  const forget = atExit(() => end('SIGTERM'));
  let output = '';
  let limit = setTimeout(() => {
    const line = `\nnot done within ${longestStep / 60_000} minutes: ended\n`;
    output += line;
    show(line);
    end('SIGTERM');
    limit = setTimeout(end, 20_000, 'SIGKILL');
  }, longestStep);
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (part: string) => {
      output += part;
      show(part);
    });
  }
  return new Promise((resolve, reject) => {
    child.once('error', reject).once('close', (status) => {
      clearTimeout(limit);
      forget();
      resolve({ status: status ?? 1, output, seconds: Math.round((performance.now() - start) / 1000) });
    });
  });
}

/** The first of those that run together is shown as it goes, the others when they are done. */
async function runRow(row: readonly Step[]): Promise<Outcome[]> {
  const [first, ...others] = row;
  if (!first) return [];
  console.log(`\n== ${first.name}`);
  const meanwhile = others.map((step) => run(step, () => {}));
  const outcomes = [await run(first, (part) => process.stdout.write(part))];
  for (const [index, step] of others.entries()) {
    const outcome = await meanwhile[index];
    if (!outcome) continue;
    console.log(`\n== ${step.name}\n${outcome.output}`);
    outcomes.push(outcome);
  }
  return outcomes;
}

const server = await startPostgres();
let passed = 0;
let failed = 0;
const summary: string[] = [];

function count({ name, counts }: Step, { status, output, seconds }: Outcome): void {
  const told = (form: RegExp | undefined) => Number(form?.exec(output)?.[1] ?? 0);
  const good = counts ? told(counts.passed) : Number(status === 0);
  const bad = Math.max(told(counts?.failed), Number(status !== 0), Number(good === 0));
  if (counts && good === 0) console.log(`${name}: no test ran`);
  passed += good;
  failed += bad;
  summary.push(`${name}: ${good} passed, ${bad} failed, ${seconds} s`);
}

for (const row of steps(server)) {
  const outcomes = await runRow(row);
  row.forEach((step, index) => {
    const outcome = outcomes[index];
    if (outcome) count(step, outcome);
  });
}
await server.remove();
console.log(`\n${summary.join('\n')}\n\n${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
