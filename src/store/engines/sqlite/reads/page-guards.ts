import type { Scope } from '../../../../access/scope.ts';
import type { ColumnValue } from '../../../../model/field.ts';
import { fieldType } from '../../../../model/field-types.ts';
import { isEverything } from '../../../index-order.ts';
import type { Condition, ListPlan } from '../../../plans.ts';
import type { StoredCollection } from '../../../schema.ts';
import { column } from '../../../sql/names.ts';
import { isComputed } from '../tables/collection-tables.ts';
import { orderOf } from './sliced/compare.ts';

/** By what it can be told that new records are not on a page. */
export type Guard =
  /** All records are listed in the order of creation: a full page stays as it is, and only the total grows. */
  | { readonly kind: 'appended' }
  /** Only records with one of these values in a column are listed. */
  | { readonly kind: 'values'; readonly column: string; readonly values: readonly ColumnValue[] };

/** Of a condition. Each is looked for whenever the page is asked for after a creation. */
const mostValues = 20;

/** Any of them is enough. */
export function guardsOf(collection: StoredCollection, { where, sort }: ListPlan): readonly Guard[] {
  if (isEverything(where)) {
    const { keys, descending } = orderOf(sort);
    return keys.length === 0 && !descending ? [{ kind: 'appended' }] : [];
  }
  return [...scopeGuards(where.scope), ...where.conditions.flatMap((each) => guardOf(collection, each))];
}

function scopeGuards(scope: Scope): Guard[] {
  switch (scope.kind) {
    case 'all':
      return [];
    case 'owner':
      return [{ kind: 'values', column: 'owner', values: [scope.owner] }];
    case 'workspace':
      return [{ kind: 'values', column: 'workspace', values: [scope.workspace] }];
  }
}

function guardOf(collection: StoredCollection, condition: Condition): Guard[] {
  if (condition.kind !== 'oneOf') return [];
  const { name, values } = condition;
  const field = collection.definition.fields.get(name);
  if (!field || fieldType(field).plural(field) || isComputed(collection.definition, field)) return [];
  if (values.length > mostValues || values.includes(null)) return [];
  return [{ kind: 'values', column: column(collection, name).text, values }];
}
