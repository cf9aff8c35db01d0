import { Failure } from '../failure.ts';
import type { Collection } from '../model/collection.ts';
import type { Answer, Ask } from './ask.ts';
import { Query, unknownField } from './query.ts';

const mostValues = 10_000;
const parameters = ['fields', 'field', 'search'];

/** GET /v1/:project/:collection/distinct */
export async function distinct(ask: Ask): Promise<Answer> {
  const { project, collection, scope } = ask;
  const query = new Query(ask.parameters);
  const fields = readNames(query, collection.definition);
  const search = query.takeSearch();
  const conditions = query.takeFilters(collection.definition, parameters);
  query.done();
  refuseRestricted(collection.definition, fields);
  const where = { scope, search, conditions };
  const values = await project.store.distinct({ collection, where, fields, most: mostValues });
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
  for (const name of names)
    if (!collection.fields.has(name)) unknownField(query, several ? 'fields' : 'field', name, collection);
  return names;
}

function refuseRestricted(collection: Collection, fields: readonly string[]): void {
  const allowed = collection.api.methods.distinct?.fields;
  const outside = allowed && fields.filter((name) => !allowed.includes(name));
  if (!outside || outside.length === 0) return;
  const choice = allowed.length > 0 ? `: it is limited to ${allowed.join(', ')}` : '';
  throw new Failure('forbidden', `distinct is not open for ${outside.join(', ')}${choice}`);
}
