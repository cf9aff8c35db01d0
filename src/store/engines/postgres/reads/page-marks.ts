import { Lru } from '../../../cache.ts';
import { isInIndex } from '../../../index-order.ts';
import type { ListPlan, Position } from '../../../plans.ts';
import type { StoredCollection } from '../../../schema.ts';
import { placingKeys } from '../../../sql/records/keyset.ts';

/** Records that are skipped as fast as they are found by a mark. */
const few = 200;
/** Of one list; where there are more, every second of them goes. */
const mostMarks = 500;
/** Records between two marks, at least. */
const leastApart = 10;
/** Bytes of a value that a mark has: all marks of all lists have some three million at most. */
export const longestValue = 300;
const mostLists = 20;
/** Milliseconds for which a list whose records have changed is not looked up by marks: they may well change again. */
const changing = 1_000;

/** So many records of a list end at a position. */
export interface Mark {
  readonly offset: number;
  readonly position: Position;
  /** That the collection had. */
  readonly version: number;
}

interface Marks {
  readonly version: number;
  /** By their offsets. */
  readonly marks: Mark[];
}

/**
 * Where pages of lists ended, so that not all records before the next are counted off again. They end with the next write to
 * the collection, of which PostgreSQL knows alone: whoever looks a page up from a mark asks for the version too.
 */
export class PageMarks {
  readonly #lists = new Lru<string, Marks>({ most: mostLists });
  /** Until when lists are not looked up by marks. */
  readonly #changing = new Lru<string, number>({ most: 1_000 });

  /** The last one before the page. */
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

  /** Its records have changed since. */
  forget(collection: StoredCollection, plan: ListPlan): void {
    const list = markedList(collection, plan);
    if (list === undefined) return;
    this.#lists.delete(list);
    this.#changing.set(list, Date.now() + changing);
  }
}

function insert(marks: Mark[], mark: Mark): void {
  const place = placeOf(marks, mark.offset);
  const isNear = (other: Mark | undefined) =>
    other !== undefined && Math.abs(other.offset - mark.offset) < leastApart;
  if (isNear(marks[place - 1]) || isNear(marks[place])) return;
  marks.splice(place, 0, mark);
  // The last one stays: whoever goes from page to page begins there.
  if (marks.length > mostMarks) marks.splice(0, marks.length, ...marks.filter((_, index) => index % 2 === 0));
}

/** How many marks have a smaller offset. */
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
 * Names the list that a page is of; undefined where marks are of no use. What comes after a mark is looked up by several ranges of
 * the sort, each of which goes through many records unless one index has all of the order; in that of creation it is one range.
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
