import { temporary } from './children.ts';
import { atMost, growthGoal, memoryGoal, startGoal } from './goals.ts';
import { type Measured, measure } from './measure.ts';
import { type Options, paceOf } from './options.ts';
import { ownMemory, settle } from './processes.ts';
import { type Fact, printFindings, printSummary, printTable, writeResults } from './report.ts';
import { grownNames, type Product, startProduct } from './servers/product.ts';
import { measureMemory } from './workloads/memory.ts';

interface Grown {
  readonly work: string;
  readonly measured: readonly Measured[];
}

/** The same work on more and more records: what a request costs should not follow the size. */
export async function growth(options: Options): Promise<void> {
  const sizes = options.quick ? [10_000, 100_000] : [10_000, 100_000, 1_000_000];
  const pace = paceOf(options);
  const products: Product[] = [];
  for (const records of sizes) {
    const storage = temporary(`size-${records}`);
    products.push(await startProduct({ name: name(records), storage, records }));
  }
  for (const { pid } of products) await settle(pid, 900_000);

  const results: Grown[] = [];
  for (const work of grownNames.filter((one) => options.only?.has(one.replace('-new', '')) ?? true)) {
    process.stderr.write(`measuring ${work}\n`);
    const targets = [];
    for (const product of products) {
      const asked = await product.grown(work);
      if (asked) targets.push({ label: product.name, server: product, work: asked });
    }
    results.push({ work, measured: await measure(targets, pace) });
  }
  const memory = products.map(({ pid }) => ownMemory(pid) ?? 0);
  const starts: number[] = [];
  for (const product of products) starts.push(await product.restart());
  print(sizes, results, memory, starts);

  const facts = [...judge(results, memory, starts)];
  const largest = products.at(-1);
  if (largest && (options.only?.has('memory') ?? true)) {
    process.stderr.write('measuring memory\n');
    const exported = await measureMemory(largest, pace);
    printFindings({ lines: [], facts: exported });
    facts.push(...exported);
  }
  printSummary({ lines: [], facts });
  console.log(`written to ${writeResults('growth', { sizes, results, memory, starts, facts })}`);
}

const timesOf = ({ measured }: Grown) => measured.map(({ perSecond }) => 1e6 / perSecond);

/** The worst of all sizes, against the goal. */
function judge(results: readonly Grown[], memory: readonly number[], starts: readonly number[]): Fact[] {
  const worst = (work: string, value: number, goal: number, unit: string): Fact => {
    return { work, what: 'worst of all sizes', value, unit, verdict: atMost(value, goal, unit) };
  };
  return [
    ...results.map((result) => {
      const times = timesOf(result);
      return worst(result.work, Math.max(...times) / (times[0] ?? 1), growthGoal, 'times the smallest');
    }),
    worst('memory', Math.max(...memory), memoryGoal, 'MB'),
    worst('start', Math.max(...starts), startGoal, 'ms'),
  ];
}

function print(
  sizes: readonly number[],
  results: readonly Grown[],
  memory: readonly number[],
  starts: readonly number[],
): void {
  const rows = results.map((result) => {
    const times = timesOf(result);
    const [first = 1] = times;
    const errors = result.measured.reduce((sum, one) => sum + one.errors, 0);
    return [
      result.work,
      'µs a request',
      ...times.map((time) => `${time.toFixed(0)} (×${(time / first).toFixed(2)})`),
      errors > 0 ? `${errors} ERRORS` : '',
    ];
  });
  const line = (what: string, unit: string, values: readonly number[]) => [
    ...[what, unit],
    ...values.map((value) => value.toFixed(0)),
    '',
  ];
  rows.push(line('memory', 'MB resident', memory), line('start', 'ms', starts));
  console.log();
  printTable(['work', '', ...sizes.map(name), ''], rows);
}

function name(size: number): string {
  return size.toLocaleString('en');
}
