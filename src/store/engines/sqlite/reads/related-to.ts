import type { ListPlan } from '../../../plans.ts';
import { relationOf, type StoredCollection } from '../../../schema.ts';

/** The collections that related records are included from. */
export function relatedTo(collection: StoredCollection, { include }: ListPlan): StoredCollection[] {
  return include.flatMap(({ steps }) => {
    let from = collection;
    return steps.flatMap(({ field }) => {
      const relation = relationOf(from, field);
      from = relation.to;
      return [relation.from, relation.to];
    });
  });
}
