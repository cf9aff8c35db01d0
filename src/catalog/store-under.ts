import { type Schema, StaleSchema } from '../store/schema.ts';
import type { Store } from '../store/store.ts';

/**
 * The store for work under one schema. Plans that name a collection are checked by the store itself. A kept answer that is
 * given again and an empty batch name none, so their schema is checked here: a caller who has lost a right must not get an
 * answer from before that.
 */
export function storeUnder({ version }: Schema, store: Store): Store {
  const verify = async () => {
    if ((await store.schemaVersion()) !== version) throw new StaleSchema();
  };
  return {
    ...store,
    async findKept(idempotency) {
      const kept = await store.findKept(idempotency);
      if (kept) await verify();
      return kept;
    },
    async batch(plan, signal) {
      const answer = await store.batch(plan, signal);
      if (answer.replayed || plan.steps.length === 0) await verify();
      return answer;
    },
  };
}
