import type { Caller } from '../access/caller.ts';
import type { StoredCollection } from '../store/schema.ts';

const mostPlans = 1_500;
const longestQuery = 500;

/** Plans by what they depend on: the schema (a new one has new collections), who asks, and what for. */
export class PlanCache<T> {
  readonly #plans = new WeakMap<StoredCollection, Map<string, T>>();

  find(collection: StoredCollection, caller: Caller, query: string, make: () => T): T {
    if (query.length > longestQuery) return make();
    const plans = this.#plans.get(collection) ?? new Map<string, T>();
    this.#plans.set(collection, plans);
    const key = `${callerKey(caller)}?${query}`;
    const known = plans.get(key);
    if (known !== undefined) return known;
    const plan = make();
    if (plans.size >= mostPlans) {
      const [oldest] = plans.keys();
      if (oldest !== undefined) plans.delete(oldest);
    }
    plans.set(key, plan);
    return plan;
  }
}

/** Scopes follow from it. */
function callerKey(caller: Caller): string {
  return caller.kind === 'user' ? `user ${caller.user} ${caller.workspace}` : caller.kind;
}
