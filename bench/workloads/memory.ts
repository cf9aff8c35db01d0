import { join } from 'node:path';
import { printed, start } from '../children.ts';
import { atMost, delayGoal, exportGoal, memoryGoal } from '../goals.ts';
import type { Pace } from '../measure.ts';
import { startPaced } from '../pacing.ts';
import { ownMemory, settle, watchMemory } from '../processes.ts';
import type { Fact } from '../report.ts';
import type { Product } from '../servers/product.ts';
import { load } from '../wrk.ts';

/** Often enough to meet a pause, seldom enough not to be load. */
const viewsPerSecond = 250;
const longestExport = 900;

/** Memory under load, and what an export adds to it; how long others wait meanwhile. */
export async function measureMemory(product: Product, pace: Pace): Promise<Fact[]> {
  const fact = factsOf(product);
  await product.restart();
  const serving = await serveAll(product, pace);
  const alone = await watchViews(product, () => Bun.sleep(pace.seconds * 1_000));
  const facts = [
    fact('resident while serving', serving, 'MB', atMost(serving, memoryGoal, 'MB')),
    fact('longest View, nothing else', alone.longest, 'ms'),
  ];
  for (const format of ['csv', 'xlsx']) facts.push(...(await measureExport(product, format, pace)));
  return facts;
}

function factsOf({ records }: Product) {
  const work = `memory (${records.toLocaleString('en')})`;
  return (what: string, value: number, unit: string, verdict?: Fact['verdict']): Fact => {
    return { work, what, value, unit, verdict };
  };
}

/** The most that it has while views, pages and filters come as fast as they are answered. */
async function serveAll(product: Product, { seconds, directory }: Pace): Promise<number> {
  const memory = watchMemory(product.pid ?? 0);
  for (const name of ['view', 'list', 'filter', 'search'] as const) {
    const work = await product.work(name);
    if (work) await load(product, work, { connections: 32, seconds, directory });
  }
  return memory.most();
}

/** From a start of its own: what another export left behind would hide what this one takes. */
async function measureExport(product: Product, format: string, pace: Pace): Promise<Fact[]> {
  const fact = factsOf(product);
  await product.restart();
  await serveAll(product, { ...pace, seconds: 1 });
  await settle(product.pid, pace.rest);
  const before = ownMemory(product.pid) ?? 0;
  const memory = watchMemory(product.pid ?? 0);
  const { result, longest, p99 } = await watchViews(product, () => drain(product, format));
  const added = memory.most() - before;
  const name = (what: string) => `export ${format}: ${what}`;
  return [
    fact(name('size'), result.bytes / 1e6, 'MB'),
    fact(name('records a second'), product.records / result.seconds, '1/s'),
    fact(name('resident before'), before, 'MB'),
    fact(name('resident added'), added, 'MB', atMost(added, exportGoal, 'MB')),
    fact(name('p99 of a View meanwhile'), p99, 'ms'),
    fact(name('longest View meanwhile'), longest, 'ms', atMost(longest, delayGoal, 'ms')),
  ];
}

/** Views one by one, at an even pace, for as long as the work takes; times in milliseconds. */
async function watchViews<T>(product: Product, work: () => Promise<T>) {
  const view = await product.work('view');
  if (!view) throw new Error('there is no View');
  const views = startPaced(product, view, { perSecond: viewsPerSecond, seconds: longestExport });
  await Bun.sleep(300); // until it is connected
  const result = await work();
  const { worst, p99 } = await views.end();
  return { result, longest: worst / 1_000, p99: p99 / 1_000 };
}

async function drain(product: Product, format: string): Promise<{ bytes: number; seconds: number }> {
  const url = `${product.base}${product.exportPath(format)}`;
  const child = start(process.execPath, [join(import.meta.dir, '../drain.ts'), url]);
  const text = await printed(child, /^DRAINED (.+)$/m, longestExport * 1_000);
  const answer = JSON.parse(text) as { status: number; bytes: number; seconds: number };
  if (answer.status !== 200) throw new Error(`the export was answered with ${answer.status}`);
  return answer;
}
