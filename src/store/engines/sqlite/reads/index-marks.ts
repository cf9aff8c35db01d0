import { Lru } from '../../../cache.ts';
import type { IndexOrder } from './index-order.ts';

/** Entries of an index between two marks: to skip half of them, as a page does on average, takes some four microseconds. */
export const stride = 128;
/** Of one order: it is not to take more than 128 KB. */
const mostMarks = 16_384;
/** Of all collections of a project together. */
const mostOrders = 32;

interface Marks {
  /** Of the collection. */
  readonly version: number;
  /** The place of the record at every so many entries of the order, from `stride` on. */
  readonly seqs: number[];
}

/**
 * Where pages by an index begin, so that not all entries before are counted off for each. They end with the next write to
 * the collection.
 */
export class IndexMarks {
  readonly #marks = new Lru<string, Marks>({ most: mostOrders });

  /** How many entries from the first on have marks. */
  reach(order: IndexOrder, version: number): number {
    const known = this.#marks.get(nameOf(order));
    return known?.version === version ? known.seqs.length * stride : 0;
  }

  /** Those of a version, to which more may be added. */
  of(order: IndexOrder, version: number): OrderMarks {
    const name = nameOf(order);
    const known = this.#marks.get(name);
    if (known?.version === version) return known.seqs;
    const seqs: number[] = [];
    this.#marks.set(name, { version, seqs });
    return seqs;
  }
}

/** The record at `stride`, at twice that, and so on. */
export type OrderMarks = number[];

export function addMark(marks: OrderMarks, seq: number): void {
  if (marks.length < mostMarks) marks.push(seq);
}

/** The last one before an offset, where all up to it are there, and how many entries lie between. */
export function markBefore(
  marks: OrderMarks,
  offset: number,
): { readonly seq: number; readonly skipped: number } | undefined {
  const seq = marks[Math.floor(offset / stride) - 1];
  return seq === undefined ? undefined : { seq, skipped: offset % stride };
}

const nameOf = ({ collection, key, descending }: IndexOrder) =>
  `${collection.key} ${key.descending} ${descending} ${key.name}`;
