/**
 * What a process counts: one cell for each number, laid out when this module is loaded, so that every series is there from the
 * start and none is ever added. Threads of a process share the cells; each cell is written by one thread alone. Processes
 * have cells of their own, and are added up cell by cell.
 */
export interface Family {
  readonly name: string;
  readonly help: string;
  /** Each label and all of its values. */
  readonly labels: readonly (readonly [name: string, values: readonly string[]])[];
  /** Of a histogram: the upper bounds of its buckets. */
  readonly bounds?: readonly number[];
  readonly start: number;
}

export const families: Family[] = [];
let size = 0;

/** Cells of one series: a count; of a histogram the count of each bucket, of what is beyond, and the sum. */
export const width = ({ bounds }: Pick<Family, 'bounds'>) => (bounds ? bounds.length + 2 : 1);
export const seriesOf = ({ labels }: Pick<Family, 'labels'>) =>
  labels.reduce((product, [, values]) => product * values.length, 1);

export function addFamily(family: Omit<Family, 'start'>): Family {
  const added = { ...family, start: size };
  size += seriesOf(added) * width(added);
  families.push(added);
  return added;
}

/** Room for all that will be laid out: the buffer is there before the last family is. */
const room = 2_048;
let cells = new Float64Array(new SharedArrayBuffer(room * Float64Array.BYTES_PER_ELEMENT));

export const sharedCells = (): SharedArrayBuffer => cells.buffer as SharedArrayBuffer;
/** For a thread: counts where the thread that started it reads. */
export function useCells(buffer: SharedArrayBuffer): void {
  cells = new Float64Array(buffer);
}

export const countsNow = (): number[] => [...cells.subarray(0, size)];

export function add(cell: number, amount: number): void {
  cells[cell] = (cells[cell] ?? 0) + amount;
}

/** Finds the bucket from below: most of what is measured is in one of the first. */
export function observe({ bounds = [], start }: Family, series: number, value: number): void {
  const first = start + series * (bounds.length + 2);
  let bucket = 0;
  while (bucket < bounds.length && value > (bounds[bucket] ?? 0)) bucket += 1;
  add(first + bucket, 1);
  add(first + bounds.length + 1, value);
}
