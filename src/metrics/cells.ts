/**
 * The counters of a process: one cell per number, laid out when modules are loaded, so that every series exists from the start
 * and none is added later. Threads of a process share the cells; each cell is written by one thread only. Each process has its
 * own cells, which are added up cell by cell.
 */
export interface Family {
  readonly name: string;
  readonly help: string;
  /** Each label with all of its values. */
  readonly labels: readonly (readonly [name: string, values: readonly string[]])[];
  /** For a histogram: the upper bounds of its buckets. */
  readonly bounds?: readonly number[];
  readonly start: number;
}

export const families: Family[] = [];
let size = 0;

/** Cells per series: one count; for a histogram, one count per bucket, one above the last bound, and the sum. */
export const width = ({ bounds }: Pick<Family, 'bounds'>) => (bounds ? bounds.length + 2 : 1);
export const seriesOf = ({ labels }: Pick<Family, 'labels'>) =>
  labels.reduce((product, [, values]) => product * values.length, 1);

export function addFamily(family: Omit<Family, 'start'>): Family {
  const added = { ...family, start: size };
  size += seriesOf(added) * width(added);
  families.push(added);
  return added;
}

/** Enough cells for all families, as the buffer is created before they are. */
const room = 2_048;
let cells = new Float64Array(new SharedArrayBuffer(room * Float64Array.BYTES_PER_ELEMENT));

export const sharedCells = (): SharedArrayBuffer => cells.buffer as SharedArrayBuffer;
/** For a thread: uses the cells of the thread that started it. */
export function useCells(buffer: SharedArrayBuffer): void {
  cells = new Float64Array(buffer);
}

export const countsNow = (): number[] => [...cells.subarray(0, size)];

export function add(cell: number, amount: number): void {
  cells[cell] = (cells[cell] ?? 0) + amount;
}

/** Searches the buckets from the lowest, as most values are in one of the first. */
export function observe({ bounds = [], start }: Family, series: number, value: number): void {
  const first = start + series * (bounds.length + 2);
  let bucket = 0;
  while (bucket < bounds.length && value > (bounds[bucket] ?? 0)) bucket += 1;
  add(first + bucket, 1);
  add(first + bounds.length + 1, value);
}
