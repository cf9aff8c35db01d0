import type { ColumnValue } from '../../../../../model/field.ts';
import type { SortKey } from '../../../../plans.ts';

/** A record's sequence number and its sort values. */
export type Placed = readonly [seq: number, ...keys: ColumnValue[]];

/** The part of a sort that matters: `_createdAt` is the order of sequence numbers, so nothing after it does. */
export interface Order {
  readonly keys: readonly SortKey[];
  /** The order of sequence numbers among ties. */
  readonly descending: boolean;
}

export function orderOf(sort: readonly SortKey[]): Order {
  const created = sort.findIndex(({ name }) => name === '_createdAt');
  if (created < 0) return { keys: sort, descending: false };
  return { keys: sort.slice(0, created), descending: sort[created]?.descending === true };
}

/** As SQLite sorts: unset first, numbers by size, texts by code point. */
function compareBy({ keys, descending }: Order): (one: Placed, other: Placed) => number {
  const directions = keys.map((key) => (key.descending ? -1 : 1));
  return (one, other) => {
    for (const [index, direction] of directions.entries()) {
      const order = compareValues(one[index + 1] ?? null, other[index + 1] ?? null);
      if (order !== 0) return order * direction;
    }
    return descending ? other[0] - one[0] : one[0] - other[0];
  };
}

export function compareValues(one: ColumnValue, other: ColumnValue): number {
  if (one === other) return 0;
  if (one === null) return -1;
  if (other === null) return 1;
  if (typeof one === 'number' && typeof other === 'number') return one - other;
  return compareTexts(String(one), String(other));
}

/** JavaScript compares surrogates, which lie before U+E000 although the characters they encode come after it. */
function compareTexts(one: string, other: string): number {
  const length = Math.min(one.length, other.length);
  for (let index = 0; index < length; index++) {
    const [a, b] = [one.charCodeAt(index), other.charCodeAt(index)];
    if (a !== b) return rank(a) - rank(b);
  }
  return one.length - other.length;
}

const rank = (unit: number) => (unit >= 0xe000 ? unit - 0x800 : unit >= 0xd800 ? unit + 0x2000 : unit);

/** Keeps the first `most` of all that are added, and any further ones that equal the last of them. */
export class Best {
  readonly #compare: (one: Placed, other: Placed) => number;
  readonly #most: number;
  readonly #isAlike: (one: Placed, other: Placed) => boolean;
  #placed: Placed[] = [];
  /** How many to collect before cutting down to `most`. */
  #room: number;

  constructor(order: Order, most: number, isAlike: (one: Placed, other: Placed) => boolean) {
    this.#compare = compareBy(order);
    this.#most = most;
    this.#isAlike = isAlike;
    this.#room = 2 * most + 4_000;
  }

  add(rows: Iterable<readonly ColumnValue[]>): void {
    for (const row of rows) this.#placed.push(row as unknown as Placed);
    if (this.#placed.length <= this.#room) return;
    this.#cut();
    this.#room = Math.max(this.#room, 2 * this.#placed.length);
  }

  sorted(): readonly Placed[] {
    this.#cut();
    return this.#placed;
  }

  #cut(): void {
    const placed = this.#placed.sort(this.#compare);
    const last = placed[this.#most - 1];
    if (!last) return;
    let end = this.#most;
    while (end < placed.length && this.#isAlike(last, placed[end] as Placed)) end += 1;
    placed.length = end;
  }
}
