import { Lru } from '../../../cache.ts';
import { isInIndex } from '../../../index-order.ts';
import type { ListPlan, Position } from '../../../plans.ts';
import type { StoredCollection } from '../../../schema.ts';
import { placingKeys } from '../../../sql/records/keyset.ts';

/** Up to here, skipping records is as fast as starting from a mark. */
const few = 200;
/** Per list; when exceeded, every second one is dropped. */
const mostMarks = 500;
/** Minimum number of records between two marks. */
const leastApart = 10;
/** Maximum bytes of a sort value in a mark: all marks of all lists together take some three million at most. */
export const longestValue = 300;
const mostLists = 20;
/** Milliseconds for which a list whose records have changed does not use marks: they may well change again. */
const changingFor = 1_000;

/** The position after the first `offset` records of a list. */
export interface Mark {
  readonly offset: number;
  readonly position: Position;
  /** Version of the collection at that time. */
  readonly version: number;
}

interface Marks {
  readonly version: number;
  /** Ordered by offset. */
  readonly marks: Mark[];
}

/**
 * Remembers where pages of lists ended, so that later pages need not count off all records before them. The next write to the
 * collection invalidates the marks, which only PostgreSQL knows: a statement that starts from a mark also checks the version.
 */
export class PageMarks {
  readonly #lists = new Lru<string, Marks>({ most: mostLists });
  /** Until when a list does not use marks. */
  readonly #changing = new Lru<string, number>({ most: 1_000 });

  /** The last mark at or before the start of the page. */
  find(collection: StoredCollection, plan: ListPlan): Mark | undefined {
    const list = markedList(collection, plan);
    if (list === undefined || (this.#changing.get(list) ?? 0) > Date.now()) return undefined;
    const marks = this.#lists.get(list)?.marks ?? [];
    return marks[placeOf(marks, plan.offset + 1) - 1];
  }

  add(collection: StoredCollection, plan: ListPlan, mark: Mark): void {
    const list = markedList(collection, plan);
    if (list === undefined) return;
    const known = this.#lists.get(list);
    if (known?.version !== mark.version) {
      this.#lists.set(list, { version: mark.version, marks: [mark] });
      return;
    }
    insert(known.marks, mark);
  }

  /** To be called when the list's records have changed. */
  forget(collection: StoredCollection, plan: ListPlan): void {
    const list = markedList(collection, plan);
    if (list === undefined) return;
    this.#lists.delete(list);
    this.#changing.set(list, Date.now() + changingFor);
  }
}

function insert(marks: Mark[], mark: Mark): void {
  const place = placeOf(marks, mark.offset);
  const isNear = (other: Mark | undefined) =>
    other !== undefined && Math.abs(other.offset - mark.offset) < leastApart;
  if (isNear(marks[place - 1]) || isNear(marks[place])) return;
  marks.splice(place, 0, mark);
  // An odd number, so the last one stays: whoever goes from page to page starts there.
  if (marks.length > mostMarks) marks.splice(0, marks.length, ...marks.filter((_, index) => index % 2 === 0));
}

/** Number of marks with a smaller offset. */
function placeOf(marks: readonly Mark[], offset: number): number {
  let [from, to] = [0, marks.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((marks[middle]?.offset ?? 0) < offset) from = middle + 1;
    else to = middle;
  }
  return from;
}

/**
 * Identifies the list that a page belongs to; undefined if marks are of no use for it. What follows a mark is found by several
 * ranges of the sort, each of which scans many records unless one index provides the whole order; in order of creation it is a
 * single range.
 */
export function markedList(collection: StoredCollection, plan: ListPlan): string | undefined {
  const { where, sort, offset, limit } = plan;
  if (offset + limit < few) return undefined;
  const keys = placingKeys(sort);
  const isInOrder =
    keys.length === 0 ? where.search.length === 0 : keys.length === 1 && isInIndex(collection, plan);
  if (!isInOrder) return undefined;
  const { scope, conditions, search } = where;
  return JSON.stringify([collection.key, collection.ref.version, scope, conditions, search, sort]);
}
