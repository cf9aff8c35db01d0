import type { ReadTurn } from '../access/turns.ts';
import { type Awaitable, after } from '../awaitable.ts';
import { Failure } from '../failure.ts';
import { maySeeBinding, Query, readFields, readInclude, readSort } from '../query/query.ts';
import { type ListAnswer, type ListPlan, listPlan, type WalkAnswer, type WalkPlan } from '../store/plans.ts';
import { joinedText, lengthOf, type RecordTexts } from '../store/record-texts.ts';
import { largePage } from '../store/sizes.ts';
import type { Store } from '../store/store.ts';
import type { Answer, Ask, LargeAnswer } from './ask.ts';
import { readCursor, writeCursor } from './cursor.ts';
import { PlanCache } from './plan-cache.ts';
import { selectFields, selectFromPage } from './select-fields.ts';

/** What an answer is put together from: texts, and records with commas in between. */
type Part = string | RecordTexts;

const parameters = ['search', 'page', 'perPage', 'after', 'sort', 'fields', 'include'];

/** GET /v1/:project/:collection */
export function list(ask: Ask): Awaitable<Answer | LargeAnswer> {
  const made = plans.find(ask.collection, ask.caller, ask.query, () => readNumbered(ask));
  return made === 'walk' ? walked(ask) : numbered(ask, made);
}

interface NumberedPlan {
  readonly page: number;
  readonly fields: readonly string[] | undefined;
  readonly plan: ListPlan;
}

const plans = new PlanCache<NumberedPlan | 'walk'>();

/** Its result is cached: parsing a query takes as long as running it, and the same ones keep coming. */
function readNumbered(ask: Ask): NumberedPlan | 'walk' {
  const query = new Query(ask.parameters);
  if (query.take('after') !== undefined) return 'walk';
  const page = query.takeNumber('page', 1, Number.MAX_SAFE_INTEGER);
  const { fields, ...plan } = readPlan(ask, query, parameters);
  query.done();
  return {
    page,
    fields,
    plan: listPlan({ ...plan, offset: Math.min((page - 1) * plan.limit, Number.MAX_SAFE_INTEGER) }, [
      page,
      fields ?? null,
    ]),
  };
}

/** `page=2`: one page by its number, with the total. */
function numbered(ask: Ask, numberedPlan: NumberedPlan): Awaitable<Answer | LargeAnswer> {
  const { fields } = numberedPlan;
  return after(
    ask.project.store.list(numberedPlan.plan, ask.readTurn),
    (page): Awaitable<Answer | LargeAnswer> => {
      const { key, found } = page;
      if (key !== undefined && typeof found === 'string') {
        // A result with a key is short, and the finished answer may already be in the cache.
        const selected = () => (fields ? selectFields(found, fields) : found);
        return { status: 200, result: () => joined(pageParts(numberedPlan, page, selected())), key };
      }
      return after(fields ? selectFromPage(found, fields) : found, (selected) =>
        answerOf(pageParts(numberedPlan, page, selected)),
      );
    },
  );
}

function pageParts({ page, plan }: NumberedPlan, { total, include }: ListAnswer, found: Part): Part[] {
  const { limit } = plan;
  const head = `"page":${page},"perPage":${limit},"total":${total},"totalPages":${Math.ceil(total / limit)}`;
  return [`{${head},`, ...recordParts(found, plan, include), '}'];
}

/** By concatenation, which is copied once, with its envelope: `join` takes 5 µs more for a page of 25. */
const joined = (parts: readonly Part[]) => parts.reduce((text: string, part) => text + joinedText(part), '');

function answerOf(parts: readonly Part[]): Answer | LargeAnswer {
  let length = 0;
  for (const part of parts) length += lengthOf(part);
  return length > largePage ? { parts } : { status: 200, result: joined(parts) };
}

/** `after=`: the page after a cursor, with the cursor for the next one; there is no total. */
async function walked(ask: Ask): Promise<Answer | LargeAnswer> {
  const { project, collection } = ask;
  const query = new Query(ask.parameters);
  const text = query.take('after') ?? '';
  if (query.take('page') !== undefined)
    query.fault('page', "does not go with 'after': leave one of them out");
  const { fields, ...plan } = readPlan(ask, query, parameters);
  const list = { store: project.store, cipher: project.cipher, collection, sort: plan.sort };
  const after = await readCursor(query, list, text);
  query.done();

  const { found, end, include } = await walkOn(project.store, { ...plan, after }, ask.readTurn);
  const next = end ? writeCursor(list, end) : null;
  const head = `"perPage":${plan.limit},"next":${JSON.stringify(next)}`;
  const selected = fields ? await selectFromPage(found, fields) : found;
  return answerOf([`{${head},`, ...recordParts(selected, plan, include), '}']);
}

/** A page that would include too much ends early, as one does whose records would be too large. */
async function walkOn(store: Store, plan: WalkPlan, turn: ReadTurn): Promise<WalkAnswer> {
  for (let limit = plan.limit; ; limit = Math.ceil(limit / 2)) {
    try {
      return await store.walk({ ...plan, limit }, turn);
    } catch (error) {
      if (limit === 1 || !(error instanceof Failure) || !error.detail.fewer) throw error;
    }
  }
}

/** What all ways of paging have in common. `known`: the valid parameters, for the hint at an unknown one. */
export function readPlan(
  ask: Ask,
  query: Query,
  known: readonly string[],
): Omit<ListPlan, 'offset' | 'key'> & { readonly fields: readonly string[] | undefined } {
  const { collection, caller } = ask;
  const limit = query.takeNumber('perPage', Math.min(25, ask.limits.perPage), ask.limits.perPage);
  // The level of `viewAll` applies to `export` too.
  const binding = maySeeBinding(caller, collection.definition, 'viewAll');
  const fields = readFields(query, collection.definition, binding);
  return {
    collection: collection.ref,
    limit,
    fields,
    sort: readSort(query, collection.definition),
    include: readInclude(query, collection, caller),
    where: {
      scope: ask.scope,
      search: query.takeSearch(),
      conditions: query.takeFilters(collection.definition, known, binding),
    },
    extra: (['_owner', '_workspace'] as const).filter((name) => fields?.includes(name)),
  };
}

function recordParts(
  found: Part,
  plan: Pick<ListPlan, 'include'>,
  include: ReadonlyMap<string, string>,
): Part[] {
  const records = ['"found":[', found, ']'];
  if (plan.include.length === 0) return records;
  const related = [...include].flatMap(([path, texts], index) => {
    return [`${index > 0 ? ',' : ''}${JSON.stringify(path)}:[`, texts, ']'];
  });
  return [...records, ',"_include":{', ...related, '}'];
}
