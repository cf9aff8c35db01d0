import { spawn } from 'node:child_process';
import { globSync } from 'node:fs';
import { availableParallelism } from 'node:os';
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

/** Files at the same time, where each has a process. */
const together = Math.max(2, availableParallelism() - 1);

/** Tests that touch nearly all there is in a store. */
const broad =
  /\/(records|list|search|relations|nodes|access)\.test|reference\.test|property\.test|atomic\.test/;

const bunCounts = { passed: /^ *(\d+) pass$/m, failed: /^ *(\d+) fail$/m };
const nodeCounts = { passed: /^ℹ pass (\d+)$/m, failed: /^ℹ fail (\d+)$/m };

/** On SQLite all of them; on PostgreSQL those for which the engine makes a difference. */
function steps({ url }: Pick<PostgresServer, 'url'>): Step[] {
  const all = globSync(['src/**/*.test.ts', 'test/**/*.test.ts']).sort();
  const both = engineTests(all);
  const shared = { VITRINE_TEST_DATABASE: url };
  const postgres = { ...shared, VITRINE_TEST_ENGINE: 'postgres' };
  const onBun = (name: string, files: readonly string[], environment: Step['environment']) => ({
    name: `tests on Bun, ${name}`,
    command: ['bun', 'test', '--timeout', '120000', ...files.map((file) => `./${file}`)] as const,
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
      '--test-reporter',
      'spec',
      ...files,
    ] as const,
    environment: environment ?? {},
    counts: nodeCounts,
  });
  return [
    { name: 'types', command: ['tsc', '--noEmit'] },
    { name: 'lint and format', command: ['biome', 'check', '--error-on-warnings', '.'] },
    onBun('SQLite', all, shared),
    onBun('PostgreSQL', both, postgres),
    onNode('SQLite', all, shared),
    onNode(
      'PostgreSQL',
      both.filter((file) => broad.test(file)),
      postgres,
    ),
  ];
}

/** Runs a command, showing what it prints as it comes. */
function run({
  command: [program, ...words],
  environment,
}: Step): Promise<{ status: number; output: string }> {
  const env = { ...process.env, ...environment };
  const child = spawn(program, words, { stdio: ['ignore', 'pipe', 'pipe'], env });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (part: string) => {
      output += part;
      process.stdout.write(part);
    });
  }
  return new Promise((resolve, reject) => {
    child.once('error', reject).once('close', (status) => resolve({ status: status ?? 1, output }));
  });
}

const server = await startPostgres();
let passed = 0;
let failed = 0;
const summary: string[] = [];
for (const step of steps(server)) {
  console.log(`\n== ${step.name}`);
  const start = performance.now();
  const { status, output } = await run(step);
  const count = (form: RegExp | undefined) => Number(form?.exec(output)?.[1] ?? 0);
  const good = step.counts ? count(step.counts.passed) : Number(status === 0);
  const bad = Math.max(count(step.counts?.failed), Number(status !== 0), Number(good === 0));
  if (step.counts && good === 0) console.log(`${step.name}: no test ran`);
  passed += good;
  failed += bad;
  const seconds = Math.round((performance.now() - start) / 1000);
  summary.push(`${step.name}: ${good} passed, ${bad} failed, ${seconds} s`);
}
await server.remove();
console.log(`\n${summary.join('\n')}\n\n${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
