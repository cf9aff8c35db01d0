import type { ListPlan } from '../../../plans.ts';
import type { StoredCollection } from '../../../schema.ts';
import { largePage, largestAnswer, largestInclude } from '../../../sizes.ts';
import type { Connection } from '../../../sql/dialect.ts';
import { column, recordTable } from '../../../sql/names.ts';
import { placingKeys, rangesAfter } from '../../../sql/records/keyset.ts';
import { join, raw, type Sql, sql } from '../../../sql/tag.ts';
import { totalOf, versionOf } from '../versions.ts';
import { whereOf } from './conditions.ts';
import { includeOf } from './include-records.ts';
import { keyRanges, orderOf } from './order.ts';
import { longestValue, type Mark, markedList } from './page-marks.ts';
import { recordText } from './record-text.ts';
import { schemaVersion } from './schema-version.ts';
import type { Totals } from './totals.ts';

export interface CompiledList {
  readonly collection: StoredCollection;
  /** How often it was requested. */
  asked: number;
  /** Identifies the filter, for caching totals; undefined if everything matches. */
  readonly question: string | undefined;
  /** Returns no records if they are a large page. */
  statement(known: KnownTotal | undefined): Sql;
  /** The same with a row for each record after the first row, which has everything else. */
  inRows(known: KnownTotal | undefined): Sql;
  /**
   * The same by sequence number, which works only if there are no gaps; the statement reports whether it did. undefined: not
   * possible in this order.
   */
  numbered: (() => Sql) | undefined;
  /** The same starting from a mark; the statement reports if the records have changed since and it does not apply. */
  marked(mark: Mark, known: KnownTotal | undefined): Sql;
}

export type KnownTotal = NonNullable<ReturnType<Totals['find']>>;

const measures = raw('(SELECT page FROM measured), (SELECT include FROM measured)');
const isSmall = raw(`(SELECT page <= ${largePage} FROM measured)`);
const fits = () =>
  raw(`(SELECT page + include <= ${largestAnswer} AND include <= ${largestInclude} FROM measured)`);

/** What all pages of a list have in common. */
export interface ListShape {
  readonly collection: StoredCollection;
  readonly where: Sql;
  readonly records: Sql;
  readonly sorted: Sql;
  /** Number of records in the collection. */
  readonly all: Sql;
  readonly version: Sql;
  head(page: Sql, limit: number, before?: Sql): Sql;
  answer(from: Sql, total: Sql, found?: { readonly done: Sql; readonly version: Sql }): Sql;
  inRows(from: Sql, total: Sql): Sql;
}

/** Identifies the shape of a plan. */
export function shapeKey(collection: StoredCollection, plan: ListPlan): string {
  const { where, sort, include, extra } = plan;
  const { scope, conditions, search } = where;
  const marked = markedList(collection, plan) !== undefined;
  return JSON.stringify([
    collection.key,
    collection.ref.version,
    marked,
    ...[scope, conditions, search, sort, include, extra],
  ]);
}

export function shapeOf(db: Connection, collection: StoredCollection, plan: ListPlan): ListShape {
  const where = whereOf(db.dialect, collection, plan.where);
  const include = includeOf(collection, plan.include, 'page');
  const end = markedList(collection, plan) === undefined ? undefined : endOf(collection, plan);
  const ifFits = (text: Sql) => sql`CASE WHEN ${fits()} THEN ${text} END`;
  const tailWith = (found: Sql) =>
    join([measures, found, ...include.found.map(ifFits), ...(end?.found ?? [])], ', ');
  const all = raw("(SELECT string_agg(json, ',') FROM page)");
  const tail = tailWith(sql`CASE WHEN ${fits()} AND ${isSmall} THEN ${all} END`);
  const others = [...include.found, ...(end?.found ?? [])].map(() => ', NULL').join('');
  const needed = [...include.needed.map(raw), ...(end?.needed ?? [])];
  const version = versionOf(collection);
  return {
    collection,
    where,
    records: recordsOf(collection, plan, needed),
    sorted: sql`ORDER BY ${orderOf(collection, plan.sort)}`,
    all: totalOf(collection),
    version,
    // The size of an out-of-line value is known without reading it.
    head: (page, limit, before = raw('')) => sql`
      WITH ${before}page AS MATERIALIZED (${page})${include.tables}, measured AS MATERIALIZED (
        SELECT (SELECT coalesce(sum(size), 0) FROM page) AS page, ${include.size} AS include
      )${end?.table(limit) ?? raw('')}`,
    answer: (from, total, found = { done: raw('0'), version }) =>
      sql`${from} SELECT ${schemaVersion}, ${found.version}, ${found.done}, ${total}, ${tail}`,
    inRows: (from, total) => sql`
      ${from} SELECT ${schemaVersion}, ${version}, 0, ${total}, ${tailWith(raw('NULL'))}
      UNION ALL SELECT NULL, NULL, NULL, NULL, NULL, NULL, json${raw(others)} FROM page WHERE ${fits()}`,
  };
}

export function compileList(shape: ListShape, plan: ListPlan): CompiledList {
  const { limit, offset } = plan;
  const { collection, where, records, sorted, all, version, head, answer, inRows } = shape;
  const order = sql`${sorted} LIMIT ${raw(String(limit))}`;
  const skipped = offset === 0 ? raw('') : sql` OFFSET ${offset}`;
  const page = once(() => head(sql`${records}${where} ${order}${skipped}`, limit));
  const asked = 0;

  const fromMark = ({ version: known, position, ...mark }: Mark) => {
    const skips = offset - mark.offset;
    const ranges = rangesAfter(collection, plan.sort, position, keyRanges).map(
      (range) => sql`(${records}${where}${raw(where.text ? ' AND ' : ' WHERE ')}${unchanged} AND ${range}
        ${sorted} LIMIT ${skips + limit}::bigint)`,
    );
    // The ranges are read one after the other until there are enough rows.
    const found = sql`
      SELECT * FROM (${join(ranges, ' UNION ALL ')}) AS ranges LIMIT ${limit}::bigint OFFSET ${skips}`;
    const same = sql`SELECT version, version = ${known}::bigint AS same FROM (SELECT ${version} AS version) AS read`;
    return head(found, limit, sql`known AS MATERIALIZED (${same}), `);
  };

  if (where.text === '') {
    const statement = once(() => answer(page(), all));
    const rows = () => inRows(page(), all);
    const marked = (mark: Mark) => answer(fromMark(mark), all, asBefore);
    const first = plan.sort[0];
    const compiled = { collection, asked, question: undefined, statement, inRows: rows, marked };
    if (first?.name !== '_createdAt' || offset === 0) return { ...compiled, numbered: undefined };
    const { descending } = first;
    // If there are no gaps in the sequence numbers, the page is found without counting off the records before it.
    const numbered = once(() => {
      const last = sql`(SELECT coalesce(max(seq), 0) FROM ${recordTable(collection)})`;
      const known = sql`known AS MATERIALIZED (SELECT ${all} AS total, ${last} AS last), `;
      const gapless = raw('(SELECT total = last FROM known)');
      const from = descending
        ? sql`seq <= (SELECT total FROM known) - ${offset}::bigint`
        : sql`seq > ${offset}`;
      return answer(
        head(sql`${records} WHERE ${gapless} AND ${from} ${order}`, limit, known),
        raw('(SELECT total FROM known)'),
        { done: sql`CASE WHEN ${gapless} THEN 1 ELSE 0 END`, version },
      );
    });
    return { ...compiled, numbered };
  }
  const here = raw('(SELECT count(*) FROM page)');
  const matching = sql`(SELECT count(*) FROM ${recordTable(collection)}${where})`;
  const start = sql`${offset}::bigint`;
  // The number of records on the page often gives the total without counting.
  const last = sql`WHEN ${here} < ${limit}::bigint AND (${here} > 0 OR ${start} = 0) THEN ${start} + ${here}`;
  const total = (known: KnownTotal | undefined) => sql`
    CASE ${last} WHEN ${version} = ${known?.version ?? -1}::bigint THEN ${known?.total ?? 0}::bigint ELSE ${matching} END`;
  return {
    collection,
    asked,
    question: `${matching.text} ${JSON.stringify(matching.values)}`,
    statement: (known) => answer(page(), total(known)),
    inRows: (known) => inRows(page(), total(known)),
    numbered: undefined,
    marked: (mark, known) =>
      answer(fromMark(mark), sql`CASE WHEN ${unchanged} THEN ${total(known)} END`, asBefore),
  };
}

/** Most lists need only one of the statements, and composing its text takes longer than sending it. */
function once(make: () => Sql): () => Sql {
  let made: Sql | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

const unchanged = raw('(SELECT same FROM known)');
const asBefore = {
  done: sql`CASE WHEN ${unchanged} THEN 1 ELSE 0 END`,
  version: raw('(SELECT version FROM known)'),
};

/**
 * What the statement of a page also has to return about its last record, to make a mark of it. Nothing if a value is long, or
 * if the list ends there.
 */
function endOf(collection: StoredCollection, plan: ListPlan) {
  const sorted = placingKeys(plan.sort);
  const keys = sorted.map((_, index) => `k${index}`);
  const short = keys.map((key) => `coalesce(octet_length(${key}::text), 0) <= ${longestValue}`);
  const isShort = short.length === 0 ? 'TRUE' : short.join(' AND ');
  const columns = ['place', ...keys];
  return {
    needed: [
      raw('seq AS place'),
      ...sorted.map(({ name }, index) => sql`${column(collection, name)} AS ${raw(`k${index}`)}`),
    ],
    table: (limit: number) =>
      sql`, last AS MATERIALIZED (SELECT ${raw(columns.join(', '))} FROM page LIMIT 1 OFFSET ${limit - 1})`,
    found: columns.map((name) => raw(`(SELECT ${name} FROM last WHERE ${isShort})`)),
  };
}

function recordsOf(collection: StoredCollection, { extra }: ListPlan, needed: readonly Sql[]): Sql {
  const columns = [sql`${recordText(extra)} AS json`, raw('octet_length(json) AS size'), ...needed];
  return sql`SELECT ${join(columns, ', ')} FROM ${recordTable(collection)}`;
}
