import type { Json, JsonObject } from '../model/json.ts';
import type { ListPlan } from '../store/plans.ts';
import type { Answer, Ask } from './ask.ts';
import { mostPerPage, Query, readFields, readInclude, readSort } from './query.ts';

const parameters = ['search', 'page', 'perPage', 'sort', 'fields', 'include'];

/** GET /v1/:project/:collection */
export async function list(ask: Ask): Promise<Answer> {
  const { collection, caller } = ask;
  const query = new Query(ask.parameters);
  const page = query.takeNumber('page', 1, Number.MAX_SAFE_INTEGER);
  const perPage = query.takeNumber('perPage', 25, mostPerPage);
  const fields = readFields(query, collection.definition, caller);
  const plan: ListPlan = {
    collection,
    sort: readSort(query, collection.definition),
    include: readInclude(query, collection, caller),
    where: {
      scope: ask.scope,
      search: query.takeSearch(),
      conditions: query.takeFilters(collection.definition, parameters),
    },
    limit: perPage,
    offset: Math.min((page - 1) * perPage, Number.MAX_SAFE_INTEGER),
    extra: (['_owner', '_workspace'] as const).filter((name) => fields?.includes(name)),
  };
  query.done();

  const { total, found, include } = await ask.project.store.list(plan);
  const records = fields ? selectFields(found, fields) : found;
  const head = `"page":${page},"perPage":${perPage},"total":${total},"totalPages":${Math.ceil(total / perPage)}`;
  const tail = plan.include.length > 0 ? `,"_include":{${includeJson(include)}}` : '';
  return { status: 200, result: `{${head},"found":[${records}]${tail}}` };
}

function includeJson(include: ReadonlyMap<string, string>): string {
  return [...include].map(([path, records]) => `${JSON.stringify(path)}:[${records}]`).join(',');
}

/** Each record with the named fields alone; `_id` is always there. */
function selectFields(found: string, fields: readonly string[]): string {
  const names = ['_id', ...fields.filter((name) => name !== '_id')];
  const records = JSON.parse(`[${found}]`) as JsonObject[];
  return records
    .map((record) => JSON.stringify(Object.fromEntries(names.map((name) => [name, record[name] as Json]))))
    .join(',');
}
