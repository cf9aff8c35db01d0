import type { Scope } from '../../../../access/scope.ts';
import type { ReadTurn } from '../../../../access/turns.ts';
import type { Awaitable } from '../../../../awaitable.ts';
import { Lru, perCollection, remember } from '../../../cache.ts';
import type { Schemas } from '../../../known-schemas.ts';
import type { ListAnswer, ListPlan, ViewPlan } from '../../../plans.ts';
import type { StoredCollection } from '../../../schema.ts';
import { checkAnswerSize } from '../../../sizes.ts';
import { recordTable } from '../../../sql/names.ts';
import { scopeConditions, whereClause } from '../../../sql/records/where.ts';
import { join, raw, type Sql, sql } from '../../../sql/tag.ts';
import type { Database } from '../connection/database.ts';
import { sqliteDialect } from '../dialect.ts';
import type { Costs } from './costs.ts';
import { checkSchema, countersOf, type ReadCounters, readCounters } from './current-schema.ts';
import type { ExpensiveReads } from './expensive.ts';
import { includeRecords } from './include-records.ts';
import { type IndexMarks, stride } from './index-marks.ts';
import { orderBy } from './order.ts';
import type { PageCache } from './page-cache.ts';
import { refuseLarge } from './page-size.ts';
import { recordText } from './record-text.ts';
import { relatedTo } from './related-to.ts';
import { isAlongIndex, isReversed } from './sliced/along-index.ts';
import { type ListRead, listSliced } from './sliced/list.ts';
import { atOnce } from './sliced/slices.ts';
import { Totals } from './totals.ts';

const viewStatements = perCollection(() => new Map<Scope['kind'], Sql>());

export function viewRecord(db: Database, schemas: Schemas, plan: ViewPlan): string | undefined {
  const { id, scope } = plan;
  const collection = schemas.collection(plan.collection);
  const conditions = scopeConditions(scope);
  const query = {
    ...viewStatement(collection, scope),
    values: [id, ...conditions.flatMap(({ values }) => values)],
  };
  db.hold();
  checkSchema(db, collection);
  return db.row(query)?.[0]?.toString();
}

/** The same text object each time: a Map finds it without hashing it anew. */
function viewStatement(collection: StoredCollection, scope: Scope): Sql {
  const statements = viewStatements(collection);
  const known = statements.get(scope.kind);
  if (known) return known;
  const conditions = join([sql`id = ${''}`, ...scopeConditions(scope)], ' AND ');
  const statement = sql`SELECT json FROM ${recordTable(collection)} WHERE ${conditions}`;
  statements.set(scope.kind, statement);
  return statement;
}

/** What lists are read with: one connection, and what is remembered of what was read by it. */
export interface ListReads {
  readonly db: Database;
  readonly schemas: Schemas;
  readonly totals: Totals;
  readonly pages: PageCache;
  readonly lists: CompiledLists;
  readonly costs: Costs;
  readonly marks: IndexMarks;
  readonly expensive: ExpensiveReads;
}

/** Of one project. As many as plans are kept: reading a query and compiling its plan cost about the same. */
export class CompiledLists {
  static #stores = 0;
  readonly #store = ++CompiledLists.#stores;
  readonly #lists = new Lru<string, CompiledList>({ most: 1_500 });

  find(schemas: Schemas, plan: ListPlan): CompiledList {
    return remember(this.#lists, plan.key, () => {
      return compileList(schemas.collection(plan.collection), plan, `${this.#store} ${plan.key}`);
    });
  }
}

/** What comes of a list's plan. It ends with the schema, whose version is part of the plan's key. */
export interface CompiledList {
  /** Names the plan among those of all projects. */
  readonly key: string;
  /** Most of what is asked for is not asked for again: it would only take the place of what is. */
  asked: number;
  readonly collection: StoredCollection;
  readonly where: Sql;
  /** Names the filter, for what is remembered of it. */
  readonly question: string;
  readonly counters: Sql;
  /** Whether the page is found entry by entry of an index: one statement would count off all records before it, or sort. */
  readonly alongIndex: boolean;
  /** The page by counting off the records before it. */
  page(): Sql;
  /** The same by their numbers, where none is missing. */
  readonly numbered: ((total: number) => Sql) | undefined;
  /** The same from its first record on, where that is remembered: counting off happens once per version. */
  readonly anchored: ((db: Database, totals: Totals, version: number) => Sql) | undefined;
}

/**
 * The page is joined inside SQLite: no record is taken apart and put together again on its way out. Where no index bounds
 * the work it is done elsewhere, and only what came of it is remembered here.
 */
export function listRecords(reads: ListReads, plan: ListPlan, turn?: ReadTurn): Awaitable<ListAnswer> {
  const { db, schemas, pages, lists, costs, marks } = reads;
  const compiled = lists.find(schemas, plan);
  db.hold();
  const counters = readCounters(db, compiled.collection, compiled.counters);
  const known = pages.find(compiled.key, counters.versions);
  if (known) return known;
  compiled.asked += 1;
  const keep = ({ versions, answer }: Pick<ListRead, 'versions' | 'answer'>) =>
    compiled.asked === 1 ? answer : pages.keep(compiled.key, versions, answer);
  if (costs.isExpensive(compiled.collection, plan, counters)) {
    return readElsewhere(reads, plan, compiled, turn).then(keep);
  }
  const answer = compiled.alongIndex
    ? atOnce(listSliced(db, compiled.collection, plan, undefined, marks)).answer
    : readPage(reads, plan, compiled, counters);
  return keep({ versions: counters.versions, answer });
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

/** For the moment at which the counters were read. */
function readPage(
  { db, totals }: Pick<ListReads, 'db' | 'totals'>,
  plan: ListPlan,
  compiled: CompiledList,
  { version, total: all, seq: last }: ReadCounters,
): ListAnswer {
  const { collection, where, numbered } = compiled;
  const gapless = numbered !== undefined && all === last;
  const page = gapless ? numbered(all) : (compiled.anchored?.(db, totals, version) ?? compiled.page());
  refuseLarge(db, collection, plan.limit, () => {
    const order = sql`ORDER BY ${orderBy(collection, plan.sort)} LIMIT ${plan.limit} OFFSET ${plan.offset}`;
    return sql`(SELECT json FROM ${recordTable(collection)}${where} ${order})`;
  });
  const [count, texts, seqs] = db.row(page) ?? [];
  const found = texts?.toString() ?? '';
  const include = includeRecords(db, collection, plan, seqs ?? '[]');
  checkAnswerSize(found, include);
  const total = where.text === '' ? all : totals.find(collection, version, compiled, plan, Number(count));
  return { total, found, include };
}

function compileList(collection: StoredCollection, plan: ListPlan, key: string): CompiledList {
  const { limit, offset } = plan;
  const where = whereClause(sqliteDialect, collection, plan.where);
  const table = recordTable(collection);
  const included = plan.include.length > 0;
  const text = sql`SELECT ${raw(included ? 'seq, ' : '')}${recordText(plan.extra)} AS json FROM ${table}`;
  const order = sql`ORDER BY ${orderBy(collection, plan.sort)} LIMIT ${limit}`;
  const joined = (records: Sql) =>
    sql`SELECT count(*), group_concat(json, ','), ${raw(included ? 'json_group_array(seq)' : 'NULL')} FROM (${records})`;
  const [first] = plan.sort;
  const numbered = (total: number) =>
    joined(
      first?.descending
        ? sql`${text} WHERE seq <= ${total - offset} ${order}`
        : sql`${text} WHERE seq > ${offset} ${order}`,
    );
  const question = `${collection.key} ${where.text} ${JSON.stringify(where.values)}`;
  const place = `${question} ${first?.descending} ${offset}`;
  let last: { readonly anchor: number | undefined; readonly page: Sql } | undefined;
  const anchored = (db: Database, totals: Totals, version: number) => {
    const anchor = totals.anchor(version, place, () => {
      const row = db.row(sql`
        SELECT seq FROM ${table}${where} ORDER BY ${orderBy(collection, plan.sort)} LIMIT 1 OFFSET ${offset}`);
      return row ? Number(row[0]) : undefined;
    });
    if (last && last.anchor === anchor) return last.page;
    const from =
      anchor === undefined ? raw('FALSE') : sql`seq ${raw(first?.descending ? '<=' : '>=')} ${anchor}`;
    last = { anchor, page: joined(sql`${text}${where} AND ${from} ${order}`) };
    return last.page;
  };
  return {
    key,
    asked: 0,
    collection,
    where,
    question,
    counters: countersOf(collection, relatedTo(collection, plan)),
    alongIndex: isReversed(collection, plan) || (offset > stride && isAlongIndex(collection, plan)),
    page: () => joined(sql`${text}${where} ${order} OFFSET ${offset}`),
    numbered: where.text === '' && first?.name === '_createdAt' ? numbered : undefined,
    anchored: where.text !== '' && first?.name === '_createdAt' && offset > 0 ? anchored : undefined,
  };
}

/** One page by one statement, in a transaction that is there already. */
export function listByStatement(db: Database, collection: StoredCollection, plan: ListPlan): ListRead {
  const compiled = compileList(collection, plan, '');
  const counters = readCounters(db, collection, compiled.counters);
  const answer = readPage({ db, totals: new Totals(db) }, plan, compiled, counters);
  return { version: counters.version, versions: counters.versions, answer };
}
