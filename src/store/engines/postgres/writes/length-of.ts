import type { Json } from '../../../../model/json.ts';
import type { InsertPlan } from '../../../write-plans.ts';

/** Approximate number of characters in a new record. */
export function lengthOf({ values }: InsertPlan): number {
  return lengthOfAll(Object.values(values));
}

function lengthOfAll(values: readonly Json[]): number {
  return values.reduce<number>((sum, value) => {
    if (typeof value === 'string') return sum + value.length;
    return sum + (Array.isArray(value) ? lengthOfAll(value) : 8);
  }, 0);
}
