import { Failure } from '../failure.ts';
import { isIndexed } from '../model/indexed.ts';
import type { SortKey, Where } from './plans.ts';
import type { StoredCollection } from './schema.ts';

/** What a read that ran out of time could have had to be faster. */
export function tooSlow(
  { definition }: StoredCollection,
  { where, sort = [] }: { readonly where: Where; readonly sort?: readonly SortKey[] },
  milliseconds: number,
): Failure {
  const names = [...where.conditions.map(({ name }) => name), ...sort.slice(0, 1).map(({ name }) => name)];
  const missing = names.find((name) => definition.fields.has(name) && !isIndexed(definition, name));
  const advice =
    missing !== undefined
      ? `give '${missing}' an index, or add a filter on a field that has one`
      : where.search.length > 0
        ? 'search for longer words, or add a filter on a field that has an index'
        : 'add a filter on a field that has an index, or page with after';
  return new Failure(
    'tooSlow',
    `This took longer than ${milliseconds / 1000} seconds and was ended: ${advice}`,
  );
}
