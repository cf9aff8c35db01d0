import type { CollectionRef, PickPlan, WalkPlan, Where } from '../store/plans.ts';
import { StaleSchema } from '../store/schema.ts';
import type { Store } from '../store/store.ts';

/** How often a walk is taken up again that is overtaken each time. */
const mostAttempts = 20;

/**
 * The store as it is under one schema. What reads or writes records is verified by the store itself; here is what
 * needs more than that, or less.
 */
export function verifiedStore(store: Store, version: number): Store {
  const verify = async () => {
    if ((await store.schemaVersion()) !== version) throw new StaleSchema();
  };
  const walks = new Walks(store);
  const verified: Pick<Store, 'findKept' | 'batch' | 'walk' | 'pick'> = {
    // An answer that is only given again, and a batch with nothing in it, are of no collection: whoever may
    // not ask any more is not told what they were told before.
    async findKept(idempotency) {
      const kept = await store.findKept(idempotency);
      if (kept) await verify();
      return kept;
    },
    async batch(plan) {
      const answer = await store.batch(plan);
      if (answer.replayed || plan.steps.length === 0) await verify();
      return answer;
    },
    async walk(plan, turn) {
      if (walks.began(plan)) return walks.goOn(plan, (now) => store.walk(now, turn));
      const answer = await store.walk(plan, turn);
      walks.begin(plan);
      return answer;
    },
    // Places come from arrange, which is verified.
    pick: (plan) => walks.goOn(plan, (now) => store.pick(now)),
  };
  return Object.assign(Object.create(store) as Store, verified);
}

/**
 * A download goes on when the schema changes on the way, as long as its collection keeps its tables and with them
 * its fields. It is known by its `where`, which all its pages share, and no two requests do.
 */
class Walks {
  readonly #store: Store;
  readonly #under = new WeakMap<Where, CollectionRef>();

  constructor(store: Store) {
    this.#store = store;
  }

  began({ where }: WalkPlan): boolean {
    return this.#under.has(where);
  }

  begin({ where, collection }: WalkPlan): void {
    this.#under.set(where, collection);
  }

  async goOn<P extends WalkPlan | PickPlan, T>(plan: P, read: (plan: P) => Promise<T>): Promise<T> {
    for (let attempts = 1; ; attempts++) {
      try {
        return await read({ ...plan, collection: this.#under.get(plan.where) ?? plan.collection });
      } catch (error) {
        if (!(error instanceof StaleSchema) || attempts === mostAttempts) throw error;
        const { byKey } = await this.#store.schema();
        const same = byKey.get(plan.collection.key);
        if (!same) throw error;
        this.#under.set(plan.where, same.ref);
      }
    }
  }
}
