/**
 * Where the time of one request goes: `bun bench/profile.ts [view,list,create] [RECORDS]`. The product runs with both of
 * its threads profiled while wrk loads it, and each thread's time is told by the rows of the README's tables.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { cleanUp, temporary } from './children.ts';
import { connectionsOf } from './measure.ts';
import { settle } from './processes.ts';
import { readProfile, type Window } from './profiling/profile.ts';
import { rowsOf } from './profiling/rows.ts';
import { printThread } from './profiling/table.ts';
import { threadTime } from './profiling/threads.ts';
import { warn } from './report.ts';
import type { Work } from './server.ts';
import { type Bare, startBare } from './servers/bare.ts';
import { type Product, startProduct } from './servers/product.ts';
import { copyAnswer } from './workloads/common.ts';
import { load, median } from './wrk.ts';

const known = [
  ...(['view', 'list', 'filter', 'include', 'list-new', 'filter-new', 'include-new'] as const),
  ...(['search-new', 'create', 'update'] as const),
];
const seconds = 4;
const names: Readonly<Record<string, string>> = { view: 'View', list: 'View All', create: 'Create' };

async function main(): Promise<void> {
  const [, , chosen = 'view,list,create', records = '100000'] = process.argv;
  warn();
  const storage = temporary('product');
  const product = await startProduct({ name: 'product', storage, records: Number(records) });
  await settle(product.pid, 120_000);
  const bare = await startBare();
  for (const name of known) {
    const work = chosen.split(',').includes(name) ? await product.work(name) : undefined;
    if (work) await profile({ product, bare }, names[name] ?? name, work);
  }
}

async function profile(
  { product, bare }: { product: Product; bare: Bare },
  name: string,
  work: Work,
): Promise<void> {
  const directory = temporary('profile');
  const writer = join(directory, 'writer.json');
  const runtime = ['--cpu-prof', '--cpu-prof-interval=500', '--cpu-prof-dir', directory];
  const connections = connectionsOf(work);
  const ask = (base: string, length: number) =>
    load({ base }, work, { connections, seconds: length, directory });
  const go = (length: number) => ask(product.base, length);
  await product.restart();
  await go(1);
  const free = median([(await go(2)).perSecond, (await go(2)).perSecond]);
  await copyAnswer(bare, product, work);
  const idle = threadTime(bare.pid ?? 0, 'serving');
  const answered = (await ask(bare.base, 2)).perSecond * 2;
  const floor = (1_000 * (threadTime(bare.pid ?? 0, 'serving') - idle)) / answered;

  const environment = { BENCH_WRITER_PROFILE: writer };
  await product.restart({ driver: 'profiled-driver.ts', runtime, environment });
  await go(1);
  await settle(product.pid, 20_000);
  const pid = product.pid ?? 0;
  const times = () => [threadTime(pid, 'serving'), threadTime(pid, 'writing')] as const;
  const before = times();
  const from = Date.now();
  const { perSecond } = await go(seconds);
  const window: Window = { from, to: Date.now() };
  const [serving = 0, writing = 0] = times().map(
    (time, index) => (1_000 * (time - (before[index] ?? 0))) / (perSecond * seconds),
  );
  await product.stop();

  const [main] = readdirSync(directory).filter((entry) => entry.endsWith('.cpuprofile'));
  if (main === undefined) throw new Error('Bun wrote no profile');
  const rate = (value: number) => Math.round(value).toLocaleString('en');
  console.log(`\n${name}: ${rate(free)} requests/s, under the profiler ${rate(perSecond)}\n`);
  const rows = work.write ? rowsOf.creating : rowsOf.reading;
  const title = work.write ? `${name}, the thread that serves` : name;
  printThread(title, readProfile(join(directory, main), window), { rows, micros: serving, floor });
  if (!work.write) return;
  console.log();
  const written = readProfile(writer, window);
  printThread(`${name}, the thread that writes`, written, {
    rows: rowsOf.writing,
    micros: writing,
    floor: 0,
  });
}

try {
  await main();
} finally {
  cleanUp();
}
process.exit(0);
