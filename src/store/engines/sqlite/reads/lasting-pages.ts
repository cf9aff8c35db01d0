import type { PageCache } from '../../../page-cache.ts';
import type { ListAnswer, ListPlan } from '../../../plans.ts';
import type { Database } from '../connection/database.ts';
import type { ChangeFollower } from './change-follower.ts';
import type { CompiledList } from './compiled-lists.ts';
import type { ReadCounters } from './current-schema.ts';
import { NewValues } from './new-values.ts';
import type { Guard } from './page-guards.ts';

/** What there was shortly before a page was read. */
export interface PageBasis {
  /** Of the collections that its records are from. */
  readonly states: readonly object[];
  /** The last record of its collection. */
  readonly seq: number;
  /** Whether there were enough records to fill the page. */
  readonly isFull: boolean;
}

/**
 * Pages that stay the same though records were created, as these can't be on them: of everything in the order of creation, and of
 * a filter or an owner that no new record has. Reading one anew takes SQLite 9 to 125 µs; to tell that it is the same takes one.
 * A change or deletion of any record of its collections ends a page all the same.
 */
export class LastingPages {
  readonly #follower: ChangeFollower;
  readonly #pages: PageCache<PageBasis>;
  readonly #values: NewValues;

  constructor(db: Database, follower: ChangeFollower, pages: PageCache<PageBasis>) {
    this.#follower = follower;
    this.#pages = pages;
    this.#values = new NewValues(db);
  }

  /**
   * Of a page that is read in the snapshot that is held, or in a later one by somebody else: what is created in between is looked
   * through once more. undefined: it does not outlast a creation.
   */
  basisOf(
    { collection, guards, related }: CompiledList,
    { offset, limit }: ListPlan,
    { seq, total }: ReadCounters,
  ): PageBasis | undefined {
    if (guards.length === 0) return undefined;
    const states: object[] = [];
    for (const each of [collection, ...related]) {
      const state = this.#follower.stateOf(each);
      if (!state) return undefined;
      states.push(state);
    }
    for (const guard of guards)
      if (guard.kind === 'values') this.#values.watch(collection, guard.column, seq);
    return { states, seq, isFull: offset + limit <= total };
  }

  /** The page of a list that is known from before some creations, if it is still the same but for the total. */
  find(compiled: CompiledList, counters: ReadCounters): ListAnswer | undefined {
    const { key, collection, guards, related } = compiled;
    const page = this.#pages.last(key);
    const basis = page?.basis;
    if (!basis) return undefined;
    const [state, ...others] = basis.states;
    if (this.#follower.stateOf(collection) !== state) return undefined;
    if (related.some((each, index) => this.#follower.stateOf(each) !== others[index])) return undefined;
    const guard = guards.find((each) => this.#holds(each, compiled, basis, counters));
    if (!guard) return undefined;
    const { seq, total } = counters;
    const answer = guard.kind === 'appended' ? { ...page.answer, total } : page.answer;
    return this.#pages.renew(key, page, counters.versions, { ...basis, seq }, answer);
  }

  #holds(guard: Guard, { collection }: CompiledList, { seq, isFull }: PageBasis, now: ReadCounters): boolean {
    return guard.kind === 'appended' ? isFull : this.#values.areMissing(collection, guard, seq, now.seq);
  }
}
