import { type Schema, StaleSchema } from '../store/schema.ts';
import type { Store } from '../store/store.ts';

/**
 * The store for work under one schema. What names a collection is verified by the store itself. An answer that is only
 * given again, and a batch with nothing in it, name none: they are verified here, so that whoever may not ask any more
 * does not get an answer that is older than one they had before.
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
