import { Lru } from '../../../cache.ts';
import type { SortKey } from '../../../plans.ts';
import type { StoredCollection } from '../../../schema.ts';

/** Entries of an index between two marks: to skip as many takes some ten microseconds. */
export const stride = 256;
/** Of one order: it is not to take more than 64 KB. */
const mostMarks = 8_192;
/** Of all collections of a project together. */
const mostOrders = 64;

interface Marks {
  /** Of the collection. */
  readonly version: number;
  /** The place of the record at every so many entries of the index, from `stride` on. */
  readonly seqs: number[];
}

/**
 * Where pages by an index begin, so that not all entries before are counted off for each. They end with the next write to
 * the collection.
 */
export class IndexMarks {
  readonly #marks = new Lru<string, Marks>({ most: mostOrders });

  /** How many entries from the first on have marks. */
  reach(collection: StoredCollection, key: SortKey, version: number): number {
    const known = this.#marks.get(nameOf(collection, key));
    return known?.version === version ? known.seqs.length * stride : 0;
  }

  /** Those of a version, to which more may be added. */
  of(collection: StoredCollection, key: SortKey, version: number): OrderMarks {
    const name = nameOf(collection, key);
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

const nameOf = ({ key }: StoredCollection, { name, descending }: SortKey) => `${key} ${descending} ${name}`;
