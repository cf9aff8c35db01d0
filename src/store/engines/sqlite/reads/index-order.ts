import { isIndexed } from '../../../../model/indexed.ts';
import type { ListPlan, Where } from '../../../plans.ts';
import type { StoredCollection } from '../../../schema.ts';

export const isEverything = ({ scope, conditions, search }: Where) =>
  scope.kind === 'all' && conditions.length === 0 && search.length === 0;

/** Whether an index leads through all records in about the order that is asked for. */
export function isInIndex(
  { definition }: StoredCollection,
  { where, sort }: Pick<ListPlan, 'where' | 'sort'>,
): boolean {
  return isEverything(where) && isIndexed(definition, sort[0]?.name ?? '_createdAt');
}
