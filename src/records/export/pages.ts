import type { ReadTurn } from '../../access/turns.ts';
import type { ListPlan, Position } from '../../store/plans.ts';
import type { Store } from '../../store/store.ts';

/** Every matching record, some at a time. */
export interface Pages {
  next(limit: number): Promise<readonly string[]>;
  over(): boolean;
}

/** By walking, or where that would sort everything anew for each page, by places that were sorted once. */
export function pagesOf(store: Store, plan: Omit<ListPlan, 'offset' | 'key'>, turn: ReadTurn): Pages {
  let started = false;
  let places: readonly number[] | undefined;
  let taken = 0;
  let end: Position | undefined;
  return {
    async next(limit) {
      if (!started) places = await store.arrange(plan, turn);
      if (places) {
        started = true;
        const seqs = places.slice(taken, taken + limit);
        taken += seqs.length;
        return store.pick({ ...plan, seqs });
      }
      const page = await store.walk({ ...plan, limit, after: started ? end : undefined }, turn);
      started = true;
      end = page.end;
      return page.found;
    },
    over: () => started && (places ? taken >= places.length : end === undefined),
  };
}
