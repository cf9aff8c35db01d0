import { Failure } from '../failure.ts';
import { isIndexed } from '../model/indexed.ts';
import type { IncludePlan, SortKey, Where } from './plans.ts';
import type { StoredCollection } from './schema.ts';

interface SlowRead {
  readonly where: Where;
  readonly sort?: readonly SortKey[];
  readonly include?: readonly IncludePlan[];
  /** For distinct: the fields whose values are requested. */
  readonly fields?: readonly string[];
}

/** The failure of a read that timed out, with advice on how to make it faster. */
export function tooSlow(
  { definition }: StoredCollection,
  { where, sort = [], include = [], fields = [] }: SlowRead,
  milliseconds: number,
): Failure {
  const sorted = sort.slice(0, 1).map(({ name }) => name);
  const names = [...where.conditions.map(({ name }) => name), ...sorted, ...fields];
  const missing = names.find((name) => definition.fields.has(name) && !isIndexed(definition, name));
  const advice =
    missing !== undefined
      ? `give '${missing}' an index, or add a filter on a field that has one`
      : where.search.length > 0
        ? 'search for longer words, or add a filter on a field that has an index'
        : include.length > 0
          ? 'ask for fewer records, or for fewer and shorter paths of include'
          : `add a filter on a field that has an index${fields.length > 0 ? '' : ', or page with after'}`;
  return ended(milliseconds, advice);
}

/** The same for lists of users. */
export const tooManyUsers = (milliseconds: number) =>
  ended(milliseconds, 'ask for one user with email, or for an earlier page');

const ended = (milliseconds: number, advice: string) =>
  new Failure('tooSlow', `This took longer than ${milliseconds / 1000} seconds and was ended: ${advice}`);
