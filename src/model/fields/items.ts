import { mostReported } from '../../failure.ts';
import type { Check, Field, Report } from '../field.ts';
import { type Json, type JsonObject, jsonKind } from '../json.ts';
import { verifyOrder, wholeNumber } from './constraints.ts';

/** What lists and multiple relations have in common. */

type ItemsField = Extract<Field, { minItems?: number }>;

/** Each item is a separate row: many more would delay everybody else. */
const mostItems = 10_000;

export const itemConstraints = { minItems: wholeNumber, maxItems: wholeNumber };

export function verifyItems(field: ItemsField, report: Report): void {
  verifyOrder(field.minItems, field.maxItems, ['minItems', 'maxItems'], report);
}

export function itemsSchema({ minItems, maxItems = mostItems }: ItemsField, items: JsonObject): JsonObject {
  return {
    type: 'array',
    items,
    ...(minItems !== undefined && { minItems }),
    maxItems: Math.min(maxItems, mostItems),
  };
}

export function itemsCheck(field: ItemsField, item: Check, different: boolean, what: string): Check {
  const { minItems = 0 } = field;
  const maxItems = Math.min(field.maxItems ?? mostItems, mostItems);
  return (value, report) => {
    if (!Array.isArray(value)) {
      report(`must be an array of ${what}, not ${jsonKind(value)}`);
      return undefined;
    }
    if (value.length < minItems)
      report(`must have at least ${minItems} ${minItems === 1 ? 'item' : 'items'}`);
    if (value.length > maxItems) report(`must have at most ${maxItems} ${maxItems === 1 ? 'item' : 'items'}`);
    if (value.length > maxItems) return undefined;
    const seen = new Set<Json>();
    const items: Json[] = [];
    let faults = 0;
    let index = 0;
    const reportItem = (message: string) => {
      faults += 1;
      report(message, `[${index}]`);
    };
    for (const element of value as readonly Json[]) {
      const stored = element === null ? undefined : item(element, reportItem);
      if (element === null) reportItem('must not be null');
      if (different && stored !== undefined && seen.has(stored)) reportItem('must not be there twice');
      if (different && stored !== undefined) seen.add(stored);
      if (faults > mostReported) return undefined;
      items.push(stored ?? null);
      index += 1;
    }
    return items;
  };
}
