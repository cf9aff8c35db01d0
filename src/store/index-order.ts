import { fieldType } from '../model/field-types.ts';
import { isIndexed } from '../model/indexed.ts';
import type { ListPlan, Where } from './plans.ts';
import type { StoredCollection } from './schema.ts';

export const isEverything = ({ scope, conditions, search }: Where) =>
  scope.kind === 'all' && conditions.length === 0 && search.length === 0;

/** Whether an index yields all records in about the requested order. */
export function isInIndex(
  { definition }: StoredCollection,
  { where, sort }: Pick<ListPlan, 'where' | 'sort'>,
): boolean {
  return isEverything(where) && isIndexed(definition, sort[0]?.name ?? '_createdAt');
}

/** Whether an index finds the records of the scope, or those with one of the values of a condition. */
export function isNarrowedByIndex({ definition }: StoredCollection, { scope, conditions }: Where): boolean {
  if (scope.kind !== 'all') return true;
  return conditions.some((condition) => {
    if (condition.kind !== 'oneOf' || condition.values.includes(null) || condition.name === '_createdAt')
      return false;
    const field = definition.fields.get(condition.name);
    return isIndexed(definition, condition.name) || (field !== undefined && fieldType(field).plural(field));
  });
}
