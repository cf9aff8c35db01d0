import { temporary } from './children.ts';
import { atLeast, atMost, startGoal } from './goals.ts';
import { writeGraphs } from './graphs.ts';
import { type Options, paceOf } from './options.ts';
import { startHandwritten } from './peers/handwritten/adapter.ts';
import { knownPeers } from './peers/known.ts';
import type { PeerGoals } from './peers/peer.ts';
import { settle } from './processes.ts';
import { type Fact, type Findings, type Line, printFindings, printSummary, writeResults } from './report.ts';
import { heavyWorks, type Server, type WorkName, workNames } from './server.ts';
import { startBare } from './servers/bare.ts';
import { type Product, startProduct } from './servers/product.ts';
import { measureBusy } from './workloads/busy.ts';
import { measureCommon } from './workloads/common.ts';
import type { Field } from './workloads/field.ts';
import { measureHostile } from './workloads/hostile.ts';
import { measureImport } from './workloads/import.ts';
import { measureMemory } from './workloads/memory.ts';
import { startProjects } from './workloads/projects.ts';
import { measureTwins } from './workloads/twins.ts';
import { measureWorkers } from './workloads/workers.ts';
import { median } from './wrk.ts';

/** Workloads in which the product is compared only with itself. */
const ownWorks: ReadonlySet<WorkName> = new Set([...heavyWorks, 'user-view', 'user-list', 'busy', 'hostile']);

/** Workloads that start servers of their own. */
const alone: ReadonlySet<WorkName> = new Set(['import', 'projects']);

/** Compares the product with the floor, the hand-written server and the given peers. */
export async function compare(options: Options): Promise<void> {
  const names = workNames.filter(
    (name) => options.only?.has(name) ?? !(options.quick && heavyWorks.has(name)),
  );
  // Started first, as they take minutes to become idle, which pass during the rest of the run.
  const projects = names.includes('projects') ? await startProjects(options) : undefined;
  const field = names.some((name) => !alone.has(name)) ? await startField(options, names) : undefined;
  const lines: Line[] = [];
  const facts: Fact[] = [];
  for (const name of names) {
    process.stderr.write(`measuring ${name}\n`);
    if (name === 'projects') facts.push(...((await projects?.measure()) ?? []));
    else if (name === 'import') facts.push(...(await measureImport(options)));
    else if (field) await measureOne(field, name, { lines, facts });
  }
  if (field) facts.push(...filling(field), await measureStart(field.product));
  const findings: Findings = { lines, facts };
  const { records, rounds, seconds } = options;
  console.log(`\n${records.toLocaleString('en')} records, ${rounds} rounds of ${seconds} s, medians\n`);
  printFindings(findings);
  printSummary(findings);
  if (options.graphs) console.log(`drawn in ${writeGraphs(lines)}`);
  console.log(`written to ${writeResults('compare', { options: { ...options, only: names }, ...findings })}`);
}

async function startField(options: Options, names: readonly WorkName[]): Promise<Field> {
  const { records, quick } = options;
  const owners = names.some((name) => name.startsWith('user-')) ? (quick ? 4 : 20) : 0;
  const compared = names.some((name) => !ownWorks.has(name));
  const field: Field = {
    bare: await startBare(),
    product: await startProduct({ name: 'product', storage: temporary('product'), records, owners }),
    handWritten: compared ? await startHandwritten(records) : undefined,
    peers: compared ? await startPeers(options) : [],
    pace: paceOf(options),
    quick,
  };
  for (const server of [field.product, field.handWritten]) await settle(server?.pid, 900_000); // a million texts take minutes to index
  return field;
}

async function startPeers({ peers, records }: Options): Promise<Field['peers']> {
  const started: { server: Server; goals: PeerGoals }[] = [];
  for (const [name, place] of peers) {
    const adapter = knownPeers.get(name);
    if (!adapter) throw new Error(`--peer ${name}: there is no adapter for it in bench/peers`);
    started.push({ server: await adapter.setUp({ place, records }), goals: adapter.goals });
  }
  return started;
}

async function measureOne(
  field: Field,
  name: WorkName,
  { lines, facts }: { lines: Line[]; facts: Fact[] },
): Promise<void> {
  switch (name) {
    case 'user-view':
    case 'user-list':
      lines.push(...(await measureTwins(field, name)));
      return;
    case 'busy':
      lines.push(...(await measureBusy(field)));
      return;
    case 'hostile':
      lines.push(...(await measureHostile(field)));
      return;
    case 'workers':
      lines.push(...(await measureWorkers(field)));
      return;
    case 'memory':
      facts.push(...(await measureMemory(field.product, field.pace)));
      return;
    default:
      lines.push(...(await measureCommon(field, name)));
  }
}

/** How fast each server was filled with its initial records, a thousand per request. */
function filling({ product, handWritten, peers }: Field): Fact[] {
  const mine = product.filled ?? 0;
  const fact = ({ name, filled = 0 }: Server, goal?: number): Fact => ({
    ...{ work: 'filling', what: name, value: filled, unit: 'records/s' },
    verdict: goal === undefined ? undefined : atLeast(mine / filled, goal, 'times ahead'),
  });
  return [
    fact(product),
    ...(handWritten ? [fact(handWritten)] : []),
    ...peers.map(({ server, goals }) => fact(server, goals.filling ?? 1)),
  ];
}

async function measureStart(product: Product): Promise<Fact> {
  const times = [await product.restart(), await product.restart(), await product.restart()];
  const value = median(times);
  const what = 'from the command to the first answer';
  return { work: 'start', what, value, unit: 'ms', verdict: atMost(value, startGoal, 'ms') };
}
