import type { ReadTurn } from '../../access/turns.ts';
import type { CollectionRef, ListPlan, Position } from '../../store/plans.ts';
import { StaleSchema } from '../../store/schema.ts';
import type { Store } from '../../store/store.ts';
import type { StillAllowed } from './still-allowed.ts';

/** Every matching record, some at a time. */
export interface Pages {
  next(limit: number): Promise<readonly string[]>;
  over(): boolean;
}

/** How often a page is tried again whose schema is overtaken each time. */
const mostAttempts = 20;

/**
 * By walking, or where that would sort everything anew for each page, by places that were sorted once. Once it has begun
 * it goes on when the schema changes, as long as the collection keeps its tables and with them its fields, and the caller the
 * right to the same records.
 */
export function pagesOf(
  store: Store,
  plan: Omit<ListPlan, 'offset' | 'key'>,
  turn: ReadTurn,
  allowed: StillAllowed,
): Pages {
  let { collection } = plan;
  let started = false;
  let places: readonly number[] | undefined;
  let taken = 0;
  let end: Position | undefined;

  async function goOn<T>(read: (collection: CollectionRef) => Promise<T>): Promise<T> {
    for (let attempts = 1; ; attempts++) {
      try {
        return await read(collection);
      } catch (error) {
        if (!(error instanceof StaleSchema) || attempts === mostAttempts) throw error;
        const same = (await store.schema()).byKey.get(collection.key);
        if (!same) throw error;
        allowed.checkDefinition(same.definition);
        collection = same.ref;
      }
    }
  }

  return {
    async next(limit) {
      if (started) await allowed.checkCaller();
      else places = await store.arrange(plan, turn);
      if (places) {
        started = true;
        const seqs = places.slice(taken, taken + limit);
        const page = await goOn((now) => store.pick({ ...plan, collection: now, seqs }));
        taken += page.taken;
        return page.found;
      }
      const page = started
        ? await goOn((now) => store.walk({ ...plan, collection: now, limit, after: end }, turn))
        : await store.walk({ ...plan, limit, after: undefined }, turn);
      started = true;
      end = page.end;
      return page.found;
    },
    over: () => started && (places ? taken >= places.length : end === undefined),
  };
}
