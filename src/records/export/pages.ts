import type { ReadTurn } from '../../access/turns.ts';
import type { CollectionRef, ListPlan, Position } from '../../store/plans.ts';
import { textOf } from '../../store/record-texts.ts';
import { StaleSchema } from '../../store/schema.ts';
import type { Store } from '../../store/store.ts';
import type { StillAllowed } from './still-allowed.ts';

/** All matching records, a page at a time. */
export interface Pages {
  next(limit: number): Promise<readonly string[]>;
  over(): boolean;
}

/** Bytes of a page, which becomes a part of the file within some milliseconds. A record may be larger. */
const mostBytes = 1024 * 1024;

/** Most attempts to read a page while the schema keeps changing. */
const mostAttempts = 20;

/**
 * Walks with cursors, or, if that would sort everything again for each page, goes through a list of positions that was sorted
 * once. A running export continues after a schema change as long as the collection keeps its tables, and so its fields, and the
 * caller keeps access to the same records.
 */
export function pagesOf(
  store: Store,
  plan: Omit<ListPlan, 'offset' | 'key'>,
  turn: ReadTurn,
  allowed: StillAllowed,
): Pages {
  let { collection } = plan;
  const wanted = { ...plan, most: mostBytes };
  let started = false;
  let places: readonly number[] | undefined;
  let taken = 0;
  let end: Position | undefined;

  async function retryIfStale<T>(read: (collection: CollectionRef) => Promise<T>): Promise<T> {
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
        const page = await retryIfStale((now) => store.pick({ ...wanted, collection: now, seqs }));
        taken += page.taken;
        return page.found;
      }
      const page = started
        ? await retryIfStale((now) => store.walk({ ...wanted, collection: now, limit, after: end }, turn))
        : await store.walk({ ...wanted, limit, after: undefined }, turn);
      started = true;
      end = page.end;
      return page.found.map(textOf);
    },
    over: () => started && (places ? taken >= places.length : end === undefined),
  };
}
