import type { Caller } from '../access/caller.ts';
import { Lru, perCollection, remember } from '../store/cache.ts';
import type { StoredCollection } from '../store/schema.ts';

/** Plans per collection: enough for a hundred callers with a dozen queries each, at some 2 KB per plan. */
const mostPlans = 1_500;
const longestQuery = 500;

/** Plans by caller and query. They are dropped with the version of the collection they were made for. */
export class PlanCache<T extends object | string> {
  readonly #plans = perCollection(() => new Lru<string, T>({ most: mostPlans }));

  find(collection: StoredCollection, caller: Caller, query: string, make: () => T): T {
    if (query.length > longestQuery) return make();
    return remember(this.#plans(collection), `${scopeKey(caller)}?${query}`, make);
  }
}

/** Callers with the same key have the same scope in every collection. */
function scopeKey(caller: Caller): string {
  return caller.kind === 'user' ? `user ${caller.user} ${caller.workspace}` : caller.kind;
}
