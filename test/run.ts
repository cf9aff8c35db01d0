import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { atExit } from './children.ts';
import { readFailures } from './failures.ts';
import { shareFiles, startPostgres } from './postgres-server.ts';
import { allSteps, quickSteps, type Step } from './steps.ts';

/**
 * `npm test` runs all there is, `npm run test:quick` what takes less than three minutes. Stops at nothing, fails if anything
 * failed.
 */
const quick = process.argv.includes('--quick');

/** Milliseconds for a step: one that hangs is a failure that is reported, not a run without end. */
const longestStep = 25 * 60_000;

/** For what is needed as long as this runs. */
const folder = mkdtempSync(join(tmpdir(), 'vitrine-run-'));
atExit(() => rmSync(folder, { recursive: true, force: true }));

/** Where files may be of whose times nothing is measured: in memory, where there are a few gigabytes. */
function makeRoom(): Record<string, string> {
  const memory = '/dev/shm';
  try {
    const { bavail, bsize } = statfsSync(memory);
    if (bavail * bsize < 4 * 2 ** 30) return {};
  } catch {
    return {}; // no such place
  }
  const room = mkdtempSync(join(memory, 'vitrine-run-'));
  atExit(() => rmSync(room, { recursive: true, force: true }));
  return { VITRINE_TEST_ROOM: room };
}

/** What Node makes of a source is kept for the next of some thousand processes, each of which would do it again. */
const compiled = join(folder, 'compiled');

/** Steps at the same time: each waits for processes, disks and browsers for a good part of it. */
const lanes = availableParallelism() + 2;

/**
 * What is drawn at random follows from the commit's src and test: the same state draws the same and gives the same answer wherever it
 * is run, the next one draws anew. VITRINE_SEED has another run drawn; a quick one is always another.
 */
function drawSeed(): number {
  if (process.env.VITRINE_SEED !== undefined) return Number(process.env.VITRINE_SEED);
  const other = Math.floor(Math.random() * 2 ** 28);
  if (quick) return other;
  try {
    const trees = execFileSync('git', ['rev-parse', 'HEAD:src', 'HEAD:test'], {
      encoding: 'utf8',
      stdio: 'pipe',
    });
    const [src = 0, test = 0] = trees.split('\n').map((tree) => Number.parseInt(tree.slice(0, 7), 16));
    return src ^ test;
  } catch {
    return other; // a copy without its history
  }
}
const seed = drawSeed();
console.log(`VITRINE_SEED=${seed}`);

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
  const env = { ...process.env, VITRINE_SEED: String(seed), NODE_COMPILE_CACHE: compiled, ...environment };
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

if (!quick) await shareFiles();
const server = quick ? undefined : await startPostgres();
let passed = 0;
let failed = 0;
const summary: string[] = [];
/** What failed, which stands at the end of all: a log is often shown by its last lines alone. */
const failures: string[] = [];

function count({ name, counts }: Step, { status, output, seconds }: Outcome): void {
  const shown = (form: RegExp | undefined) => Number(form?.exec(output)?.[1] ?? 0);
  const good = counts ? shown(counts.passed) : Number(status === 0);
  const bad = Math.max(shown(counts?.failed), Number(status !== 0), Number(good === 0));
  if (counts && good === 0) console.log(`${name}: no test ran`);
  passed += good;
  failed += bad;
  summary.push(`${name}: ${good} passed, ${bad} failed, ${seconds} s`);
  if (bad === 0) return;
  failures.push(`\nFailed in ${name} (exit status ${status}):`);
  for (const { name, message } of readFailures(output)) {
    failures.push(`- ${name}`, ...message.map((line) => `    ${line}`));
  }
}

/** One of those who take the next step there is. What the first of them does is shown as it goes, the rest when it is done. */
async function takeSteps(steps: Step[], live: boolean): Promise<void> {
  for (let step = steps.shift(); step; step = steps.shift()) {
    const name = `\n== ${step.name}\n`;
    if (live) console.log(name);
    const outcome = await run(step, (part) => live && process.stdout.write(part));
    if (!live) console.log(`${name}${outcome.output}`);
    count(step, outcome);
  }
}

const steps = server ? allSteps(server.url, folder) : quickSteps();
const room = makeRoom();
const together = steps.together.map((step) => ({ ...step, environment: { ...room, ...step.environment } }));
await Promise.all(Array.from({ length: lanes }, (_, lane) => takeSteps(together, lane === 0)));
await takeSteps(steps.alone, true);
await server?.remove();
console.log(`\n${summary.join('\n')}\n\n${passed} passed, ${failed} failed`);
if (failures.length > 0) console.log(failures.join('\n'));
process.exitCode = failed === 0 ? 0 : 1;
