import type { Scope } from '../../../access/scope.ts';
import { Failure } from '../../../failure.ts';
import type { ColumnValue } from '../../../model/field.ts';
import type { ListAnswer, ListPlan, ViewPlan } from '../../plans.ts';
import { ProjectGone, StaleSchema, type StoredCollection } from '../../schema.ts';
import type { Connection } from '../../sql/connection.ts';
import { recordTable } from '../../sql/names.ts';
import { join, raw, type Sql, sql } from '../../sql/tag.ts';
import { scopeConditions } from '../../sql/where.ts';
import { whereOf } from './conditions.ts';
import { includeOf } from './include-records.ts';
import { orderOf } from './order.ts';
import type { Totals } from './totals.ts';

/** Each read is one statement: one round trip, and one moment that all of the answer is of. */
export const schemaVersion = raw("(SELECT value FROM meta WHERE name = 'schema')");

/** Refuses what was read under another schema than the one it was planned for. */
export function checkVersion(version: ColumnValue | undefined, collection: StoredCollection): void {
  if (version === null || version === undefined) throw new ProjectGone();
  if (version !== collection.schemaVersion) throw new StaleSchema();
}

const viewTexts = new WeakMap<StoredCollection, Map<Scope['kind'], string>>();

export async function viewRecord(
  db: Connection,
  { collection, id, scope }: ViewPlan,
): Promise<string | undefined> {
  const conditions = scopeConditions(scope);
  const row = await db.row({
    text: viewText(collection, scope),
    values: [id, ...conditions.flatMap(({ values }) => values)],
  });
  checkVersion(row?.[0], collection);
  return row?.[1]?.toString();
}

/** The same text object each time: a Map finds it without hashing it anew. */
function viewText(collection: StoredCollection, scope: Scope): string {
  const texts = viewTexts.get(collection) ?? new Map<Scope['kind'], string>();
  viewTexts.set(collection, texts);
  const known = texts.get(scope.kind);
  if (known !== undefined) return known;
  const conditions = join([sql`id = ${''}`, ...scopeConditions(scope)], ' AND ');
  const { text } = sql`
    SELECT ${schemaVersion}, (SELECT json FROM ${recordTable(collection)} WHERE ${conditions})`;
  texts.set(scope.kind, text);
  return text;
}

interface CompiledList {
  /** Names the filter, for what is remembered of it; undefined where everything matches. */
  readonly question: string | undefined;
  statement(known: { readonly version: number; readonly total: number } | undefined): Sql;
}

/** Plans are remembered by whoever makes them, so what comes of a plan can be too. */
const compiledLists = new WeakMap<ListPlan, CompiledList>();

/** The page is joined inside PostgreSQL: no record is taken apart and put together again on its way out. */
export async function listRecords(db: Connection, totals: Totals, plan: ListPlan): Promise<ListAnswer> {
  const compiled = compiledLists.get(plan) ?? compileList(db, plan);
  compiledLists.set(plan, compiled);
  const { question } = compiled;
  const row = await db.row(compiled.statement(question === undefined ? undefined : totals.find(question)));
  const [schema, version, total, size, found, ...include] = row ?? [];
  checkVersion(schema, plan.collection);
  if (Number(size) > largestPage) throw tooLarge();
  if (question !== undefined) totals.remember(question, Number(version), Number(total));
  return {
    total: Number(total),
    found: found?.toString() ?? '',
    include: new Map(plan.include.map(({ path }, index) => [path, include[index]?.toString() ?? ''])),
  };
}

/** A record has at most the size of a body: only many of them can be too much for one answer. */
const mostUnmeasured = 64;
const largestPage = 64 * 1024 * 1024;

function tooLarge(): Failure {
  return new Failure('invalid', [
    {
      at: 'perPage',
      message: `the page would be larger than ${largestPage} bytes: ask for fewer records, or export them`,
    },
  ]);
}

function compileList(db: Connection, plan: ListPlan): CompiledList {
  const { collection, limit, offset } = plan;
  const where = whereOf(db.dialect, collection, plan.where);
  const include = includeOf(plan.include, 'page');
  const measured = limit > mostUnmeasured;
  const counters = sql`counters WHERE collection = ${raw(String(collection.key))}`;
  const size = measured ? raw('(SELECT sum(size) FROM page)') : raw('0');
  const text = raw("(SELECT string_agg(json, ',') FROM page)");
  const found = measured
    ? sql`CASE WHEN ${size} > ${raw(String(largestPage))} THEN NULL ELSE ${text} END`
    : text;
  const head = sql`WITH page AS MATERIALIZED (${pageOf(plan, where, include.needed, counters)})${include.tables}`;
  const tail = join([sql`${size}, ${found}`, ...include.found], ', ');
  const all = sql`(SELECT total FROM ${counters})`;
  const version = sql`(SELECT version FROM ${counters})`;
  if (where.text === '') {
    const statement = sql`${head} SELECT ${schemaVersion}, 0, ${all}, ${tail}`;
    return { question: undefined, statement: () => statement };
  }
  const here = raw('(SELECT count(*) FROM page)');
  const matching = sql`(SELECT count(*) FROM ${recordTable(collection)}${where})`;
  const start = sql`${offset}::bigint`;
  // How many records the page holds often tells the total without counting.
  const last = sql`WHEN ${here} < ${raw(String(limit))} AND (${here} > 0 OR ${start} = 0) THEN ${start} + ${here}`;
  return {
    question: `${matching.text} ${JSON.stringify(matching.values)}`,
    statement: (known) => sql`
      ${head} SELECT ${schemaVersion}, ${version}, CASE ${last}
        WHEN ${version} = ${known?.version ?? -1}::bigint THEN ${known?.total ?? 0}::bigint
        ELSE ${matching} END, ${tail}`,
  };
}

function pageOf(plan: ListPlan, where: Sql, needed: readonly string[], counters: Sql): Sql {
  const { collection, sort, offset } = plan;
  const columns = join(
    [
      sql`${recordText(plan.extra)} AS json`,
      ...(plan.limit > mostUnmeasured ? [raw('octet_length(json) AS size')] : []),
      ...needed.map(raw),
    ],
    ', ',
  );
  const records = sql`SELECT ${columns} FROM ${recordTable(collection)}`;
  const order = sql`ORDER BY ${orderOf(collection, sort)} LIMIT ${raw(String(plan.limit))}`;
  const [first] = sort;
  if (where.text !== '' || first?.name !== '_createdAt' || offset === 0) {
    return offset === 0
      ? sql`${records}${where} ${order}`
      : sql`${records}${where} ${order} OFFSET ${offset}`;
  }
  // Where none was ever deleted, the records are found by their numbers, without counting off those before.
  const gapless = sql`(SELECT total = seq FROM ${counters})`;
  const from = first.descending
    ? sql`seq <= (SELECT total FROM ${counters}) - ${offset}::bigint`
    : sql`seq > ${offset}`;
  return sql`
    (${records} WHERE ${gapless} AND ${from} ${order})
    UNION ALL
    (${records} WHERE NOT ${gapless} ${order} OFFSET ${offset})`;
}

export function recordText(extra: ListPlan['extra']): Sql {
  if (extra.length === 0) return raw('json');
  const added = extra.map((name) => {
    const held = name === '_owner' ? 'owner' : 'workspace';
    return ` || ',"${name}":' || CASE WHEN ${held} IS NULL THEN 'null' ELSE '"' || ${held} || '"' END`;
  });
  return raw(`left(json, -1)${added.join('')} || '}'`);
}
