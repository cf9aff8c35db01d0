import { spawn } from 'node:child_process';

/** `npm test`: type check, lint, then every test on each runtime. Stops at nothing, fails if anything failed. */

interface Step {
  readonly name: string;
  readonly command: readonly [string, ...string[]];
  /** Where the runner's own summary says how many passed and failed. */
  readonly passed?: RegExp;
  readonly failed?: RegExp;
}

const tests = ['src/**/*.test.ts', 'test/**/*.test.ts'];

const steps: readonly Step[] = [
  { name: 'types', command: ['tsc', '--noEmit'] },
  { name: 'lint and format', command: ['biome', 'check', '--error-on-warnings', '.'] },
  {
    name: 'tests on Bun',
    command: ['bun', 'test', '--timeout', '120000'],
    passed: /^ *(\d+) pass$/m,
    failed: /^ *(\d+) fail$/m,
  },
  {
    name: 'tests on Node',
    command: ['node', '--test', '--test-reporter', 'spec', ...tests],
    passed: /^ℹ pass (\d+)$/m,
    failed: /^ℹ fail (\d+)$/m,
  },
];

/** Runs a command, showing what it prints as it comes. */
function run([program, ...words]: Step['command']): Promise<{ status: number; output: string }> {
  const child = spawn(program, words, { stdio: ['ignore', 'pipe', 'pipe'] });
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

let passed = 0;
let failed = 0;
for (const step of steps) {
  console.log(`\n== ${step.name}`);
  const { status, output } = await run(step.command);
  const count = (form: RegExp | undefined) => Number(form?.exec(output)?.[1] ?? 0);
  if (step.passed && count(step.passed) === 0) {
    console.log(`${step.name}: no test ran`);
    failed += 1;
  }
  passed += step.passed ? count(step.passed) : Number(status === 0);
  failed += Math.max(count(step.failed), Number(status !== 0));
}
console.log(`\n${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
