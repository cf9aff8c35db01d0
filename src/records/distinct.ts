import { isDeepStrictEqual } from 'node:util';
import type { Caller } from '../access/caller.ts';
import { findMethodScope, methodOpen, type Scope } from '../access/scope.ts';
import { Failure } from '../failure.ts';
import type { Collection } from '../model/collection.ts';
import { maySeeBinding, Query, unknownField } from '../query/query.ts';
import type { Condition } from '../store/plans.ts';
import type { Answer, Ask } from './ask.ts';

const mostValues = 10_000;
const parameters = ['fields', 'field', 'search'];

/** GET /v1/:project/:collection/distinct */
export async function distinct(ask: Ask): Promise<Answer> {
  const { project, collection, scope } = ask;
  const query = new Query(ask.parameters);
  const fields = readNames(query, collection.definition);
  const search = query.takeSearch();
  const binding = maySeeBinding(ask.caller, collection.definition, 'distinct');
  const conditions = query.takeFilters(collection.definition, parameters, binding);
  query.done();
  refuseRestricted(ask, fields, conditions, search);
  const where = { scope, search, conditions };
  const plan = { collection: collection.ref, where, fields, most: mostValues };
  const values = await project.store.distinct(plan, ask.readTurn);
  return { status: 200, result: JSON.stringify(Object.fromEntries(values)) };
}

/** `fields`, or `field` for a single name. */
function readNames(query: Query, collection: Collection): string[] {
  const several = query.takeNames('fields');
  const one = query.take('field');
  if (several && one !== undefined) query.fault('field', "is another spelling of 'fields': give one of them");
  if (!several && one === undefined)
    query.fault('fields', 'is required: name one or more fields, separated by commas');
  const names = several ?? (one === undefined ? [] : [one]);
  const most = Math.max(1, collection.fields.size);
  if (names.length > most) query.fault('fields', `must be at most ${most} names, not ${names.length}`);
  for (const name of names.slice(0, most))
    if (!collection.fields.has(name)) refuseName(query, several ? 'fields' : 'field', name, collection);
  return names;
}

function refuseName(query: Query, at: string, name: string, collection: Collection): void {
  if (name.startsWith('_'))
    query.fault(at, `'${name}' is not for distinct: name fields of the collection's definition`);
  else unknownField(query, at, name, collection);
}

/**
 * If distinct is limited to some fields, filters and search can't use the others either, unless the caller sees these records
 * as a whole in View All: narrowing down the values would reveal what is in the other fields.
 */
function refuseRestricted(
  ask: Ask,
  fields: readonly string[],
  conditions: readonly Condition[],
  search: readonly string[],
): void {
  const { definition } = ask.collection;
  const allowed = definition.api.methods.distinct?.fields;
  if (!allowed) return;
  const whole = seesRecords(ask.caller, definition, ask.scope);
  const asked = whole ? fields : [...fields, ...conditions.map(({ name }) => name)];
  const outside = [...new Set(asked)].filter((name) => !allowed.includes(name));
  const choice = allowed.length > 0 ? `: it is limited to ${allowed.join(', ')}` : '';
  if (outside.length > 0)
    throw new Failure('forbidden', `distinct is not open for ${outside.join(', ')}${choice}`);
  if (search.length > 0 && !whole) throw new Failure('forbidden', `distinct is not open for search${choice}`);
}

/** Whether the caller can see all records in `scope`, with all fields, in View All. */
export function seesRecords(caller: Caller, definition: Collection, scope: Scope): boolean {
  const seen = methodOpen(caller, definition, 'viewAll')
    ? findMethodScope(caller, definition, 'viewAll')
    : undefined;
  return seen?.kind === 'all' || isDeepStrictEqual(seen, scope);
}
