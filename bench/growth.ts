import { residentMemory, settle, temporary } from './children.ts';
import { growthGoal, memoryGoal, startGoal } from './goals.ts';
import { type Measured, measure } from './measure.ts';
import type { Options } from './options.ts';
import { printTable, writeResults } from './report.ts';
import { type Product, startProduct } from './servers/product.ts';

const works = ['view', 'list', 'filter', 'search', 'distinct'] as const;

/** The same work on more and more records: what a request costs should not follow the size. */
export async function growth(options: Options): Promise<void> {
  const sizes = options.quick ? [10_000, 100_000] : [10_000, 100_000, 1_000_000];
  const pace = {
    warmUp: !options.quick,
    rounds: options.rounds,
    seconds: options.seconds,
    directory: temporary('requests'),
  };
  const products: Product[] = [];
  for (const size of sizes) products.push(await startProduct(name(size), temporary(`size-${size}`), size, 0));
  for (const { pid } of products) await settle(pid, 900_000);

  const results: { work: string; measured: Measured[] }[] = [];
  for (const work of works.filter((one) => options.only?.has(one) ?? true)) {
    process.stderr.write(`measuring ${work}\n`);
    const targets = [];
    for (const product of products) {
      // A hundred values at every size: the relation, which is always indexed.
      const asked = work === 'distinct' ? product.distinctBrand : await product.work(work);
      if (asked) targets.push({ label: product.name, server: product, work: asked });
    }
    results.push({ work, measured: await measure(targets, pace) });
  }
  const memory = products.map(({ pid }) => residentMemory(pid) ?? 0);
  const starts: number[] = [];
  for (const product of products) starts.push(await product.restart());
  print(sizes, results, memory, starts);
  console.log(`written to ${writeResults('growth', { sizes, results, memory, starts })}`);
}

function print(
  sizes: readonly number[],
  results: readonly { work: string; measured: Measured[] }[],
  memory: readonly number[],
  starts: readonly number[],
): void {
  const rows = results.map(({ work, measured }) => {
    const times = measured.map(({ perSecond }) => 1e6 / perSecond);
    const [first = 1] = times;
    const worst = Math.max(...times) / first;
    const errors = measured.reduce((sum, one) => sum + one.errors, 0);
    return [
      work,
      'µs a request',
      ...times.map((time) => `${time.toFixed(0)} (×${(time / first).toFixed(2)})`),
      `≤${growthGoal} ${worst <= growthGoal ? 'ok' : 'MISS'}${errors > 0 ? `; ${errors} ERRORS` : ''}`,
    ];
  });
  const line = (what: string, unit: string, values: readonly number[], goal: number) => [
    what,
    unit,
    ...values.map((value) => value.toFixed(0)),
    `≤${goal} ${Math.max(...values) <= goal ? 'ok' : 'MISS'}`,
  ];
  rows.push(line('memory', 'MB resident', memory, memoryGoal), line('start', 'ms', starts, startGoal));
  console.log();
  printTable(['work', '', ...sizes.map(name), 'goal'], rows);
}

function name(size: number): string {
  return size.toLocaleString('en');
}
