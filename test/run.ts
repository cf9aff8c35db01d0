import { spawn } from 'node:child_process';
import { atExit } from './children.ts';
import { startPostgres } from './postgres-server.ts';
import { allSteps, quickSteps, type Step } from './steps.ts';

/**
 * `npm test` runs all there is, `npm run test:quick` what takes less than three minutes. Stops at nothing, fails if anything
 * failed.
 */
const quick = process.argv.includes('--quick');

/** Milliseconds for a step: one that hangs is a failure that is reported, not a run without end. */
const longestStep = 20 * 60_000;

interface Outcome {
  readonly status: number;
  readonly output: string;
  readonly seconds: number;
}

/** Runs a command. `show` gets what it prints as it comes. */
function run(
  { command: [program, ...args], environment }: Step,
  show: (part: string) => void,
): Promise<Outcome> {
  const start = performance.now();
  const env = { ...process.env, ...environment };
  // A group of its own, to be ended as one, which has it tidy up.
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], env, detached: true });
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

const server = quick ? undefined : await startPostgres();
let passed = 0;
let failed = 0;
const summary: string[] = [];

function count({ name, counts }: Step, { status, output, seconds }: Outcome): void {
  const shown = (form: RegExp | undefined) => Number(form?.exec(output)?.[1] ?? 0);
  const good = counts ? shown(counts.passed) : Number(status === 0);
  const bad = Math.max(shown(counts?.failed), Number(status !== 0), Number(good === 0));
  if (counts && good === 0) console.log(`${name}: no test ran`);
  passed += good;
  failed += bad;
  summary.push(`${name}: ${good} passed, ${bad} failed, ${seconds} s`);
}

for (const row of server ? allSteps(server.url) : quickSteps()) {
  const outcomes = await runRow(row);
  row.forEach((step, index) => {
    const outcome = outcomes[index];
    if (outcome) count(step, outcome);
  });
}
await server?.remove();
console.log(`\n${summary.join('\n')}\n\n${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
