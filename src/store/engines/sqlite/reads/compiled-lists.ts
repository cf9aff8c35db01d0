import { Lru, remember } from '../../../cache.ts';
import type { Schemas } from '../../../known-schemas.ts';
import type { ListPlan, Where } from '../../../plans.ts';
import type { StoredCollection } from '../../../schema.ts';
import { recordTable } from '../../../sql/names.ts';
import { raw, type Sql, sql } from '../../../sql/tag.ts';
import type { Database } from '../connection/database.ts';
import { countersOf } from './current-schema.ts';
import { filterClause } from './filter-shapes.ts';
import { stride } from './index-marks.ts';
import { type IndexOrder, indexOrderOf, isReversed } from './index-order.ts';
import { joinedPage, joinedRecords, shapeOf } from './joined-page.ts';
import { namedStatement } from './named-statement.ts';
import { orderBy } from './order.ts';
import { type Guard, guardsOf } from './page-guards.ts';
import { relatedTo } from './related-to.ts';
import { type Bound, boundedWhere } from './sliced/conditions.ts';
import type { Totals } from './totals.ts';

/** Those of one project. As many are kept as plans: reading a query and compiling its plan cost about the same. */
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

/** A compiled list. It is valid as long as the schema, whose version is part of the plan's key. */
export interface CompiledList extends CompiledPage {
  /** Identifies the plan among those of all projects. */
  readonly key: string;
  /** How often it was asked for. Most lists are not asked for again, and would only displace others in the cache. */
  asked: number;
  readonly counters: Sql;
  /** The collections that related records are included from. */
  readonly related: readonly StoredCollection[];
  /** By what it can be told that new records are not on the page. */
  readonly guards: readonly Guard[];
  /** An index along which the page is found, where a single statement would have to skip all records before it, or sort. */
  readonly alongIndex: IndexOrder | undefined;
  /** The same page, found by a condition that is known to find few records. */
  boundedBy(bound: Bound): CompiledPage;
}

/** How a page is read by one statement. */
export interface CompiledPage {
  readonly collection: StoredCollection;
  readonly where: Sql;
  /** Identifies the filter, for caches. */
  readonly question: string;
  /** Finds the page by skipping the records before it. */
  page(): Sql;
  /** The same by the records' numbers, if none is missing. */
  readonly numbered: ((total: number) => Sql) | undefined;
  /** The same from its first record on, if that is known: then records are skipped only once per version. */
  readonly anchored: ((db: Database, totals: Totals, version: number) => Sql) | undefined;
}

export function compileList(collection: StoredCollection, plan: ListPlan, key: string): CompiledList {
  const where = filterClause(collection, plan.where);
  const question = where.text === '' ? '' : `${collection.key} ${where.text} ${JSON.stringify(where.values)}`;
  const index = indexOrderOf(collection, plan);
  const page = compilePage(collection, plan, where, question);
  const bounded = new Map<Bound, CompiledPage>();
  const related = relatedTo(collection, plan);
  return {
    ...page,
    key,
    asked: 0,
    counters: countersOf(collection, related),
    related,
    guards: guardsOf(collection, plan),
    alongIndex: index && (isReversed(index) || plan.offset >= stride) ? index : undefined,
    boundedBy(bound) {
      if (isAlone(plan.where)) return page;
      const known = bounded.get(bound);
      if (known) return known;
      const made = compilePage(collection, plan, boundedWhere(collection, plan.where, bound), question);
      bounded.set(bound, made);
      return made;
    },
  };
}

/** Whether there is only one index by which SQLite could find the records. */
function isAlone({ scope, conditions, search }: Where): boolean {
  const [only] = conditions;
  if (search.length > 0 || conditions.length > 1) return false;
  return only === undefined || (scope.kind === 'all' && only.kind !== 'compare');
}

const orderName = ({ sort }: ListPlan) =>
  sort.map(({ name, descending }) => (descending ? `-${name}` : name)).join();

function compilePage(
  collection: StoredCollection,
  plan: ListPlan,
  where: Sql,
  question: string,
): CompiledPage {
  const { limit, offset } = plan;
  const [first] = plan.sort;
  const created = first?.name === '_createdAt';
  const descending = first?.descending === true;
  const last = where.text !== '' && created ? (descending ? 'least' : 'greatest') : undefined;
  const order = () => orderBy(collection, plan.sort);
  const joined = (rest: Sql) => joinedPage(sql`${joinedRecords(collection, plan)}${rest}`, plan, last);
  const numbered = (total: number) => {
    const from = descending ? total - offset : offset;
    return namedStatement(collection, `numbered ${descending} ${shapeOf(plan)}`, [from, limit], () =>
      joined(sql` WHERE seq ${raw(descending ? '<=' : '>')} ${from} ORDER BY ${order()} LIMIT ${limit}`),
    );
  };
  let lately: { readonly anchor: number | undefined; readonly page: Sql } | undefined;
  const anchored = (db: Database, totals: Totals, version: number) => {
    const anchor = totals.anchor(version, `${question} ${descending} ${offset}`, () => {
      const row = db.row(
        sql`SELECT seq FROM ${recordTable(collection)}${where} ORDER BY ${order()} LIMIT 1 OFFSET ${offset}`,
      );
      return row ? Number(row[0]) : undefined;
    });
    if (lately && lately.anchor === anchor) return lately.page;
    const from = anchor === undefined ? raw('FALSE') : sql`seq ${raw(descending ? '<=' : '>=')} ${anchor}`;
    lately = { anchor, page: joined(sql`${where} AND ${from} ORDER BY ${order()} LIMIT ${limit}`) };
    return lately.page;
  };
  return {
    collection,
    where,
    question,
    page: () =>
      namedStatement(
        collection,
        `page ${last} ${orderName(plan)} ${shapeOf(plan)}${where.text}`,
        [...where.values, limit, offset],
        () => joined(sql`${where} ORDER BY ${order()} LIMIT ${limit} OFFSET ${offset}`),
      ),
    numbered: where.text === '' && created ? numbered : undefined,
    anchored: where.text !== '' && created && offset > 0 ? anchored : undefined,
  };
}
