/**
 * Where the time of one request goes: `bun bench/profile.ts [view,list,create]`. The product runs with Bun's
 * sampling profiler while wrk loads it; printed is the share of each function's own time.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cleanUp, root, settle, temporary } from './children.ts';
import { printTable } from './report.ts';
import { type WorkName, workNames } from './server.ts';
import { startProduct } from './servers/product.ts';
import { load } from './wrk.ts';

interface Node {
  readonly id: number;
  readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
  readonly children?: readonly number[];
}
interface Profile {
  readonly nodes: readonly Node[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

const shown = 30;

function place({ callFrame: { functionName, url, lineNumber } }: Node): string {
  const file = url.replace(/^file:\/\//, '').replace(`${root}/`, '');
  return `${functionName || '(anonymous)'} ${file}${file ? `:${lineNumber + 1}` : ''}`;
}

/** Own and whole time by function, in microseconds; a function within itself counts once. */
function sums({ nodes, samples, timeDeltas }: Profile) {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const parents = new Map(
    nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)),
  );
  const own = new Map<string, number>();
  const whole = new Map<string, number>();
  let total = 0;
  for (const [index, id] of samples.entries()) {
    const time = timeDeltas[index] ?? 0;
    const node = byId.get(id);
    if (!node || /\(idle\)|\(root\)/.test(node.callFrame.functionName)) continue;
    total += time;
    own.set(place(node), (own.get(place(node)) ?? 0) + time);
    const seen = new Set<string>();
    for (let at: number | undefined = id; at !== undefined; at = parents.get(at)) {
      const above = byId.get(at);
      if (above) seen.add(place(above));
    }
    for (const name of seen) whole.set(name, (whole.get(name) ?? 0) + time);
  }
  return { own, whole, total };
}

function print(profile: Profile, requests: number): void {
  const { own, whole, total } = sums(profile);
  const row = (name: string) => [
    name,
    '',
    `${((100 * (own.get(name) ?? 0)) / total).toFixed(1)} %`,
    `${((100 * (whole.get(name) ?? 0)) / total).toFixed(1)} %`,
    ((whole.get(name) ?? 0) / requests).toFixed(2),
  ];
  const most = (times: ReadonlyMap<string, number>) =>
    [...times.keys()].sort((a, b) => (times.get(b) ?? 0) - (times.get(a) ?? 0)).slice(0, shown);
  const head = ['function', '', 'own', 'with callees', 'µs a request'];
  printTable(head, most(own).map(row));
  console.log();
  printTable(head, most(whole).map(row));
}

async function main(): Promise<void> {
  const chosen = (process.argv[2] ?? 'view,list,create').split(',');
  const product = await startProduct('product', temporary('product'), 100_000, 0);
  await settle(product.pid, 120_000);
  for (const name of workNames.filter((one): one is WorkName => chosen.includes(one))) {
    const directory = temporary('profile');
    await product.restart(['--cpu-prof', '--cpu-prof-dir', directory]);
    const work = await product.work(name);
    if (!work) continue;
    const connections = work.write ? 64 : 32;
    const seconds = 4;
    const { perSecond } = await load(product, work, { connections, seconds, directory });
    await product.stop();
    const file = readdirSync(directory).find((entry) => entry.endsWith('.cpuprofile'));
    if (file === undefined) throw new Error('Bun wrote no profile');
    console.log(`\n${name}: ${Math.round(perSecond)} requests/s under the profiler\n`);
    print(JSON.parse(readFileSync(join(directory, file), 'utf8')) as Profile, perSecond * seconds);
  }
}

try {
  await main();
} finally {
  cleanUp();
}
process.exit(0);
