import { Lru } from '../../../cache.ts';
import type { IndexOrder } from './index-order.ts';

/** Entries of an index between two marks. Skipping half of them, as a page does on average, takes about four microseconds. */
export const stride = 128;
/** The most marks of one order, so that it takes at most 128 KB. */
const mostMarks = 16_384;
/** The most orders, of all collections of a project together. */
const mostOrders = 32;

interface Marks {
  /** Version of the collection. */
  readonly version: number;
  /** The place of the record at every `stride` entries of the order. */
  readonly seqs: number[];
}

/**
 * Where pages along an index begin, so that the entries before are not skipped one by one for each page. Valid until the next
 * write to the collection.
 */
export class IndexMarks {
  readonly #marks = new Lru<string, Marks>({ most: mostOrders });

  /** How many entries from the first on are covered by marks. */
  reach(order: IndexOrder, version: number): number {
    const known = this.#marks.get(nameOf(order));
    return known?.version === version ? known.seqs.length * stride : 0;
  }

  /** The marks of a version, to which more may be added. */
  of(order: IndexOrder, version: number): OrderMarks {
    const name = nameOf(order);
    const known = this.#marks.get(name);
    if (known?.version === version) return known.seqs;
    const seqs: number[] = [];
    this.#marks.set(name, { version, seqs });
    return seqs;
  }
}

/** The records at `stride`, at twice that, and so on. */
export type OrderMarks = number[];

export function addMark(marks: OrderMarks, seq: number): void {
  if (marks.length < mostMarks) marks.push(seq);
}

/** The last mark before an offset, if the marks reach that far, and how many entries lie between. */
export function markBefore(
  marks: OrderMarks,
  offset: number,
): { readonly seq: number; readonly skipped: number } | undefined {
  const seq = marks[Math.floor(offset / stride) - 1];
  return seq === undefined ? undefined : { seq, skipped: offset % stride };
}

const nameOf = ({ collection, key, descending }: IndexOrder) =>
  `${collection.key} ${key.descending} ${descending} ${key.name}`;
