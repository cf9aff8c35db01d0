import type { Json, JsonObject } from '../model/json.ts';
import type { ListPlan } from '../store/plans.ts';
import type { Answer, Ask } from './ask.ts';
import { readCursor, writeCursor } from './cursor.ts';
import { mostPerPage, Query, readFields, readInclude, readSort } from './query.ts';

const parameters = ['search', 'page', 'perPage', 'after', 'sort', 'fields', 'include'];

/** GET /v1/:project/:collection */
export async function list(ask: Ask): Promise<Answer> {
  const query = new Query(ask.parameters);
  const after = query.take('after');
  return after === undefined ? numbered(ask, query) : walked(ask, query, after);
}

/** `page=2`: one page by its number, with the total. */
async function numbered(ask: Ask, query: Query): Promise<Answer> {
  const page = query.takeNumber('page', 1, Number.MAX_SAFE_INTEGER);
  const { fields, ...plan } = readPlan(ask, query, parameters);
  const perPage = plan.limit;
  const offset = Math.min((page - 1) * perPage, Number.MAX_SAFE_INTEGER);
  query.done();

  const { total, found, include } = await ask.project.store.list({ ...plan, offset });
  const head = `"page":${page},"perPage":${perPage},"total":${total},"totalPages":${Math.ceil(total / perPage)}`;
  return { status: 200, result: `{${head},${recordsJson(found, fields, plan, include)}}` };
}

/** `after=`: the page behind a cursor, with the cursor for the next; nothing is counted. */
async function walked(ask: Ask, query: Query, text: string): Promise<Answer> {
  const { project, collection } = ask;
  if (query.take('page') !== undefined)
    query.fault('page', "does not go with 'after': leave one of them out");
  const { fields, ...plan } = readPlan(ask, query, parameters);
  const after = readCursor(query, project.seal, collection.definition, plan.sort, text);
  query.done();

  const { found, end, include } = await project.store.walk({ ...plan, after });
  const next = end ? writeCursor(project.seal, collection.definition, plan.sort, end) : null;
  const head = `"perPage":${plan.limit},"next":${JSON.stringify(next)}`;
  return { status: 200, result: `{${head},${recordsJson(found.join(','), fields, plan, include)}}` };
}

/** All that the ways to page have in common. `known`: the parameters there are, for the hint at an unknown one. */
export function readPlan(
  ask: Ask,
  query: Query,
  known: readonly string[],
): Omit<ListPlan, 'offset'> & { readonly fields: readonly string[] | undefined } {
  const { collection, caller } = ask;
  const limit = query.takeNumber('perPage', 25, mostPerPage);
  const fields = readFields(query, collection.definition, caller);
  return {
    collection,
    limit,
    fields,
    sort: readSort(query, collection.definition),
    include: readInclude(query, collection, caller),
    where: {
      scope: ask.scope,
      search: query.takeSearch(),
      conditions: query.takeFilters(collection.definition, known),
    },
    extra: (['_owner', '_workspace'] as const).filter((name) => fields?.includes(name)),
  };
}

function recordsJson(
  found: string,
  fields: readonly string[] | undefined,
  plan: Pick<ListPlan, 'include'>,
  include: ReadonlyMap<string, string>,
): string {
  const records = `"found":[${fields ? selectFields(found, fields) : found}]`;
  if (plan.include.length === 0) return records;
  const related = [...include].map(([path, texts]) => `${JSON.stringify(path)}:[${texts}]`);
  return `${records},"_include":{${related.join(',')}}`;
}

/** Each record with the named fields alone; `_id` is always there. */
export function selectFields(found: string, fields: readonly string[]): string {
  const names = ['_id', ...fields.filter((name) => name !== '_id')];
  const records = JSON.parse(`[${found}]`) as JsonObject[];
  return records
    .map((record) => JSON.stringify(Object.fromEntries(names.map((name) => [name, record[name] as Json]))))
    .join(',');
}
