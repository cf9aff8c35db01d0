import { globSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { engineTests } from './engine-tests.ts';
import { groupForNode } from './node-groups.ts';

/** One command of `npm test`. */
export interface Step {
  readonly name: string;
  readonly command: readonly [string, ...string[]];
  readonly environment?: Readonly<Record<string, string>>;
  /** Where the runner's own summary says how many passed and failed. */
  readonly counts?: { readonly passed: RegExp; readonly failed: RegExp };
}

/** Files at the same time, where each has a process: beside the other steps, which there are more of than processors. */
const together = Math.max(2, availableParallelism() - 1);

/** Milliseconds for a test, and, where it has a process, for a file. */
const longestTest = 300_000;

/** Tests that touch nearly all there is in a store. */
const broad =
  /\/(records|list|search|relations|nodes|access)\.test|reference\.test|property\.test|atomic\.test/;

/** What a quick run leaves to `npm test`: it waits for processes, disks, browsers and clocks, or needs PostgreSQL. */
const slow = [
  /^test\/(postgres|differential|durability|workers|browser|console|examples|client)\//,
  /\/(load|crash|big|copy[^/]*|signin-time|stall|pack|executable|built|workers|nodes|refusals|demo|sizes|large-pages|start|stop|import[^/]*)\.test/,
  /^test\/commands\/(apply|pull|command-line|backup-served|broken-answers)\.test/,
  /^test\/(http\/(unread|idle)|webhooks\/beside-trouble|export\/socket|changes\/socket|large-deletions)\.test/,
  /^test\/backups\/(killed|commands|in-flight)\.test/,
  /^test\/mail\/(pages|smtp|time)\.test/,
];

/** What waits for processes, disks and browsers: half of the time that all takes. */
const outside = (file: string) => /^test\/(postgres|durability|console|client|commands)\//.test(file);

/** What a browser shows, and what describes a project, is the same on every engine and runtime: it is tried on one. */
const looks =
  /^test\/(console\/(?!sign-in|serving)\w+|mail\/pages|auth\/oidc-browser|describe\/(docs|requests))\.test/;
/** What no runtime makes a difference to, and is long: by Bun alone. On Node the console is signed in to and its files are fetched. */
const bunAlone = [
  /^test\/metrics\/(dashboard|metrics)\.test/,
  /^test\/(commands\/doctor|executable|built|deploy)\.test/,
  /^test\/audit\/(audit|actions)\.test/,
  /^test\/webhooks\/(order|webhooks)\.test/,
  /^test\/mail\/(accounts|deletion|invitations|messages|model|time)\.test/,
  /^test\/auth\/(calls|explain|impersonate|keys|leak|profile|totp)\.test/,
  /^test\/describe\/(callers|complete|payloads|types)\.test/,
  /^test\/(demo|large-(deletions|pages)|sizes|reads\/stall)\.test/,
  /^test\/commands\/(apply|import|pull|copy-checked|copy-refused)\.test/,
  /^test\/(project-ends|schema\/(at-once|constraints|load|retype))\.test/,
  /^test\/postgres\/(failover|page|standby-gone|waiting)\.test/,
  /^test\/client\/session-property\.test/,
  /^test\/(durability\/(deletion-bounds|lifecycle|open-faults)|reference\/hostile|pack)\.test/,
  /^test\/backups\/(commands|hostile|schedule|upgrade)\.test/,
  /^test\/changes\/(log|model)\.test/,
];

/** What measures times or memory: with nothing beside it, as otherwise it would measure that too. */
const measures =
  /^test\/(auth\/signin-time|backups\/load|batch\/shared|changes\/(fan-out|socket)|client\/socket|console\/large|cursor-walk|durability\/(log-keeper|slow-disk)|export\/load|http\/(client-gone|sign-in-flood)|large-(deletions|lists)|mail\/time|reads\/(readers|search-time|stall)|schema\/(big|load)|stall)\.test/;

const checks: readonly Step[] = [
  { name: 'types', command: ['npm', 'run', '--silent', 'check:types'] },
  { name: 'lint and format', command: ['npm', 'run', '--silent', 'check:lint'] },
];

/** Bun and SQLite alone, and fewer random cases. */
export function quickSteps(): Steps {
  const files = allTests().filter((file) => !slow.some((form) => form.test(file)));
  const [measuring, others] = divide(files, (file) => measures.test(file));
  const few = { VITRINE_WORLDS: '2' };
  return {
    together: [...inParts(3, others, (part, some) => byBun(`SQLite, ${part}`, some, few)), ...checks],
    alone: [byBun('SQLite, alone', measuring, few)],
  };
}

/** Steps that several take from, and those that come after them, one by one. */
export interface Steps {
  readonly together: Step[];
  readonly alone: Step[];
}

/**
 * On SQLite every test by Bun, and by Node those to which the runtime makes a difference; on PostgreSQL those for which the engine
 * makes a difference by Bun, and some of them by Node, which meets PostgreSQL in `test/postgres`, `test/differential` and
 * `test/commands` too. `database`: the address of a PostgreSQL; `folder`: for files that are needed for as long as the run.
 */
export function allSteps(database: string, folder: string): Steps {
  const all = allTests();
  const shared = { VITRINE_TEST_DATABASE: database };
  const postgres = { ...shared, VITRINE_TEST_ENGINE: 'postgres' };
  const onBoth = engineTests(all).filter((file) => !looks.test(file));
  const broadly = onBoth.filter((file) => broad.test(file));
  const onNode = all.filter((file) => ![looks, ...bunAlone].some((form) => form.test(file)));
  const [measuring, others] = divide(all, (file) => measures.test(file));
  const [measuringPostgres, othersPostgres] = divide(onBoth, (file) => measures.test(file));
  const [measuringNode, othersNode] = divide(onNode, (file) => measures.test(file));
  const [outsideFiles, insideFiles] = divide(others, outside);
  const groups = (name: string, files: readonly string[]) => groupForNode(files, join(folder, name));
  return {
    together: [
      ...checks,
      ...inTurns(
        inParts(3, outsideFiles, (part, files) =>
          byBun(`SQLite, processes and browsers, ${part}`, files, shared),
        ),
        inParts(3, groups('sqlite', othersNode), (part, modules) =>
          byNode(`SQLite, ${part}`, modules, shared, together),
        ),
        inParts(3, othersPostgres, (part, files) => byBun(`PostgreSQL, ${part}`, files, postgres)),
        inParts(3, insideFiles, (part, files) => byBun(`SQLite, ${part}`, files, shared)),
      ),
      byBun('SQLite, every read expensive', broadly, { ...shared, VITRINE_TEST_READS: 'elsewhere' }),
      byNode('PostgreSQL', groups('postgres', broadly), postgres, together),
    ],
    alone: [
      byBun('SQLite, alone', measuring, shared),
      byBun('PostgreSQL, alone', measuringPostgres, postgres),
      byNode('SQLite, alone', measuringNode, shared, 1),
    ],
  };
}

function divide(files: readonly string[], isFirst: (file: string) => boolean): [string[], string[]] {
  return [files.filter(isFirst), files.filter((file) => !isFirst(file))];
}

/** Parts of about the same size, so that none is still at work long after the others. */
function inParts(
  count: number,
  files: readonly string[],
  step: (part: string, files: readonly string[]) => Step,
): Step[] {
  return Array.from({ length: count }, (_, part) =>
    step(
      `part ${part + 1} of ${count}`,
      files.filter((_, index) => index % count === part),
    ),
  );
}

/** The first of each, then the second of each …: so that what waits and what works go on beside each other all the time. */
function inTurns(...kinds: readonly (readonly Step[])[]): Step[] {
  const turns = Array.from({ length: Math.max(...kinds.map(({ length }) => length)) }, (_, turn) => turn);
  return turns.flatMap((turn) => kinds.flatMap((steps) => steps.slice(turn, turn + 1)));
}

function allTests(): string[] {
  return globSync(['src/**/*.test.ts', 'test/**/*.test.ts']).sort();
}

function byBun(name: string, files: readonly string[], environment: Record<string, string>): Step {
  return {
    name: `tests on Bun, ${name}`,
    command: ['bun', 'test', '--timeout', String(longestTest), ...files.map((file) => `./${file}`)],
    environment,
    counts: { passed: /^ *(\d+) pass$/m, failed: /^ *(\d+) fail$/m },
  };
}

/** Each of the modules, test files or groups of them, has a process. */
function byNode(
  name: string,
  modules: readonly string[],
  environment: Record<string, string>,
  atOnce: number,
): Step {
  return {
    name: `tests on Node, ${name}`,
    command: [
      'node',
      '--test',
      `--test-concurrency=${atOnce}`,
      `--test-timeout=${longestTest}`,
      '--test-force-exit', // whatever a test that failed left running
      ...['--test-reporter=spec', '--test-reporter-destination=stdout'],
      ...['--test-reporter=./test/node-exits.ts', '--test-reporter-destination=stdout'],
      ...modules,
    ],
    environment,
    counts: { passed: /^ℹ pass (\d+)$/m, failed: /^ℹ fail (\d+)$/m },
  };
}
