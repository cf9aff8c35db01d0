import type { Scope } from '../../../../access/scope.ts';
import type { ReadTurn } from '../../../../access/turns.ts';
import type { Awaitable } from '../../../../awaitable.ts';
import { perCollection } from '../../../cache.ts';
import type { Schemas } from '../../../known-schemas.ts';
import type { PageCache } from '../../../page-cache.ts';
import type { ListAnswer, ListPlan, ViewPlan } from '../../../plans.ts';
import { lengthOf } from '../../../record-texts.ts';
import type { StoredCollection } from '../../../schema.ts';
import { checkAnswerSize, largePage, largestAnswer } from '../../../sizes.ts';
import { recordTable } from '../../../sql/names.ts';
import { scopeConditions, scopeValues } from '../../../sql/records/where.ts';
import { join, type Sql, sql } from '../../../sql/tag.ts';
import type { Database } from '../connection/database.ts';
import { largestOf } from '../tables/sizes.ts';
import { type CompiledList, type CompiledLists, type CompiledPage, compileList } from './compiled-lists.ts';
import type { Costs } from './costs.ts';
import { checkSchema, type ReadCounters, readCounters } from './current-schema.ts';
import type { ExpensiveReads } from './expensive.ts';
import { includeRecords, includeSliced } from './include-records.ts';
import type { IndexMarks } from './index-marks.ts';
import type { IndexOrder } from './index-order.ts';
import { pageFromMark } from './index-page.ts';
import { type JoinedPage, readJoined } from './joined-page.ts';
import type { KnownRecords } from './known-records.ts';
import type { LastingPages, PageBasis } from './lasting-pages.ts';
import { orderBy } from './order.ts';
import { isPageLarge } from './page-size.ts';
import { type ListRead, listSliced } from './sliced/list.ts';
import { readLarge } from './sliced/page.ts';
import { type Sliced, unlessMuch } from './sliced/slices.ts';
import { Totals } from './totals.ts';

const viewStatements = perCollection(() => new Map<Scope['kind'], Sql>());

export function viewRecord(
  db: Database,
  schemas: Schemas,
  known: KnownRecords,
  plan: ViewPlan,
): string | undefined {
  const { id, scope } = plan;
  const collection = schemas.collection(plan.collection);
  db.hold();
  checkSchema(db, collection);
  const found = known.find(collection, id, scope);
  if (found !== undefined) return found;
  const { text, parts } = viewStatement(collection, scope);
  const row = db.row({ text, parts, values: [id, ...scopeValues(scope)] });
  if (!row) return undefined;
  const [json, owner, workspace] = row as [string, string | null, string | null];
  known.keep(collection, { id, json, owner, workspace });
  return json;
}

/** Returns the same text object each time, which a Map finds without hashing it again. */
function viewStatement(collection: StoredCollection, scope: Scope): Sql {
  const statements = viewStatements(collection);
  const known = statements.get(scope.kind);
  if (known) return known;
  const conditions = join([sql`id = ${''}`, ...scopeConditions(scope)], ' AND ');
  const statement = sql`SELECT json, owner, workspace FROM ${recordTable(collection)} WHERE ${conditions}`;
  statements.set(scope.kind, statement);
  return statement;
}

/** What lists are read with: one connection, and its caches. */
export interface ListReads {
  readonly db: Database;
  readonly schemas: Schemas;
  readonly totals: Totals;
  readonly pages: PageCache<PageBasis>;
  readonly lasting: LastingPages;
  readonly lists: CompiledLists;
  readonly costs: Costs;
  readonly marks: IndexMarks;
  readonly expensive: ExpensiveReads;
}

/**
 * The page is joined inside SQLite: no record is parsed and serialized again on its way out. If no index bounds the work it is
 * done elsewhere, and only the result is cached here.
 */
export function listRecords(reads: ListReads, plan: ListPlan, turn?: ReadTurn): Awaitable<ListAnswer> {
  const { db, schemas, pages, lasting, lists, costs } = reads;
  const compiled = lists.find(schemas, plan);
  db.hold();
  const counters = readCounters(db, compiled.collection, compiled.counters);
  const known = pages.find(compiled.key, counters.versions) ?? lasting.find(compiled, counters);
  if (known) return known;
  compiled.asked += 1;
  const basis = compiled.asked > 1 ? lasting.basisOf(compiled, plan, counters) : undefined;
  const keep = ({ versions, answer }: Pick<ListRead, 'versions' | 'answer'>) =>
    compiled.asked === 1 ? answer : pages.keep(compiled.key, versions, answer, basis);
  const way = costs.wayOf(compiled.collection, plan, counters);
  if (way === 'elsewhere') return readElsewhere(reads, plan, compiled, turn).then(keep);
  const answer = compiled.alongIndex
    ? readAlongIndex(reads, plan, compiled.alongIndex, counters)
    : readPage(reads, plan, way === 'here' ? compiled : compiled.boundedBy(way.by), counters);
  return answer
    ? keep({ versions: counters.versions, answer })
    : readElsewhere(reads, plan, compiled, turn).then(keep);
}

async function readElsewhere(
  { totals, expensive }: ListReads,
  plan: ListPlan,
  { where, question }: CompiledList,
  turn: ReadTurn | undefined,
): Promise<ListRead> {
  const filtered = where.text !== '';
  const read = await expensive(
    'list',
    { ...plan, known: filtered ? totals.known(question) : undefined },
    turn,
  );
  if (filtered) totals.keep(read.version, question, read.answer.total);
  return read;
}

function readPage(
  reads: Pick<ListReads, 'db' | 'totals'>,
  plan: ListPlan,
  compiled: CompiledPage,
  counters: ReadCounters,
): ListAnswer | undefined {
  const { records, joined, total } = findPage(reads, plan, compiled, counters);
  if (isPageLarge(reads.db, compiled.collection, plan.limit, records)) return undefined;
  const page = joined();
  return answerOf(reads.db, compiled.collection, plan, page, () => total(page));
}

interface FoundPage {
  /** A FROM item. */
  readonly records: () => Sql;
  readonly joined: () => JoinedPage;
  /** Needs the end of the page. */
  readonly total: (joined: JoinedPage) => number;
}

/** Must run in the snapshot that the counters were read in. */
function findPage(
  { db, totals }: Pick<ListReads, 'db' | 'totals'>,
  plan: ListPlan,
  compiled: CompiledPage,
  { version, total: all, seq: last }: ReadCounters,
): FoundPage {
  const { collection, where, numbered } = compiled;
  const gapless = numbered !== undefined && all === last;
  const page = gapless ? numbered(all) : (compiled.anchored?.(db, totals, version) ?? compiled.page());
  const order = () =>
    sql`ORDER BY ${orderBy(collection, plan.sort)} LIMIT ${plan.limit} OFFSET ${plan.offset}`;
  return {
    records: () => sql`(SELECT seq, json FROM ${recordTable(collection)}${where} ${order()})`,
    joined: () => readJoined(db, page),
    total: (joined) => (where.text === '' ? all : totals.find(collection, version, compiled, plan, joined)),
  };
}

function readAlongIndex(
  { db, marks }: Pick<ListReads, 'db' | 'marks'>,
  plan: ListPlan,
  order: IndexOrder,
  { version, total }: ReadCounters,
): ListAnswer | undefined {
  const { collection } = order;
  const marked = marks.of(order, version);
  const fits = plan.limit * largestOf(db, collection) <= Math.min(largePage, largestAnswer);
  const page = fits ? pageFromMark(db, order, plan, marked, total) : undefined;
  if (page) return answerOf(db, collection, plan, page, () => total);
  return unlessMuch(listSliced(db, collection, plan, undefined, marked))?.answer;
}

/** undefined: it includes too much. */
function answerOf(
  db: Database,
  collection: StoredCollection,
  plan: ListPlan,
  { found, seqs }: JoinedPage,
  total: () => number,
): ListAnswer | undefined {
  const include = includeRecords(db, collection, plan, { seqs: `[${seqs}]`, bytes: found.length });
  if (!include) return undefined;
  checkAnswerSize(found, include);
  return { total: total(), found, include };
}

/** Reads one page by one statement, and its includes in slices. Must run inside a transaction. */
export function* listByStatement(
  db: Database,
  collection: StoredCollection,
  plan: ListPlan,
): Sliced<ListRead> {
  const compiled = compileList(collection, plan, '');
  const counters = readCounters(db, collection, compiled.counters);
  const page = findPage({ db, totals: new Totals(db) }, plan, compiled, counters);
  const { found, joined } = isPageLarge(db, collection, plan.limit, page.records)
    ? yield* readInParts(db, collection, plan, page)
    : inOne(page.joined());
  const include = yield* includeSliced(db, collection, plan, {
    seqs: `[${joined.seqs}]`,
    bytes: lengthOf(found),
  });
  checkAnswerSize(found, include);
  const answer = { total: page.total(joined), found, include };
  return { version: counters.version, versions: counters.versions, answer };
}

const inOne = (joined: JoinedPage) => ({ found: joined.found, joined });

function* readInParts(db: Database, collection: StoredCollection, { extra }: ListPlan, page: FoundPage) {
  const seqs = db.rows(sql`SELECT seq FROM ${page.records()}`).map(([seq]) => Number(seq));
  const found = yield* readLarge(db, collection, seqs, extra);
  const joined = { count: seqs.length, found: '', seqs: seqs.join(), last: undefined };
  return { found, joined };
}
