import { printTable } from '../report.ts';
import type { Frame, Profile } from './profile.ts';
import { outside, type Row, rest, rowOf } from './rows.ts';

const mostNamed = 3;

interface Group {
  samples: number;
  readonly functions: Map<string, number>;
}

export interface Thread {
  readonly rows: readonly Row[];
  /** Microseconds of a request. */
  readonly micros: number;
  /** How many of them are not JavaScript, as far as another server can tell. */
  readonly floor: number;
}

/**
 * Where a thread's time went, by the rows of the README, with the functions that took most of each. The profiler tells
 * how functions compare, but not how long they took: on a busy machine it looks less often than it means to.
 */
export function printThread(title: string, samples: Profile, { rows, micros, floor }: Thread): void {
  const groups = new Map<string, Group>();
  for (const stack of samples) {
    const name = rowOf(rows, stack);
    const group = groups.get(name) ?? { samples: 0, functions: new Map() };
    groups.set(name, group);
    group.samples += 1;
    const function_ = nameOf(stack);
    group.functions.set(function_, (group.functions.get(function_) ?? 0) + 1);
  }
  const javascript = micros - floor;
  const cells = (name: string, value: number, functions = '') => [
    ...[name, functions],
    `${((100 * value) / micros).toFixed(0)} %`,
    value.toFixed(1),
  ];
  const order = [...rows.map((row) => row.title), rest];
  const table = order.flatMap((name) => {
    const group = groups.get(name);
    if (!group) return [];
    return [cells(name, (javascript * group.samples) / samples.length, most(group.functions))];
  });
  if (floor > 0) table.unshift(cells(outside, floor));
  printTable([`${title}: ${micros.toFixed(1)} µs`, 'most of it', 'share', 'µs'], table);
}

function most(functions: ReadonlyMap<string, number>): string {
  return [...functions]
    .sort(([, a], [, b]) => b - a)
    .slice(0, mostNamed)
    .map(([name]) => `\`${name}\``)
    .join(', ');
}

/** A function of the runtime's own is called by the one that called it. */
function nameOf(stack: readonly Frame[]): string {
  const [inner] = stack;
  const own = stack.find(({ file }) => file !== '' && !/^(node|bun|internal):/.test(file));
  if (!inner || inner === own || !own) return inner?.name ?? '';
  return `${inner.name} < ${own.name}`;
}
