import type { ColumnValue } from '../../../../model/field.ts';
import { Lru, remember } from '../../../cache.ts';
import type { Schemas } from '../../../known-schemas.ts';
import type { ListAnswer, ListPlan } from '../../../plans.ts';
import { ProjectGone, StaleSchema, type StoredCollection } from '../../../schema.ts';
import { includeTooLarge, largestAnswer, largestInclude, pageTooLarge } from '../../../sizes.ts';
import type { Connection } from '../../../sql/dialect.ts';
import { recordTable } from '../../../sql/names.ts';
import { tables } from '../../../sql/tables.ts';
import { join, raw, type Sql, sql } from '../../../sql/tag.ts';
import { totalOf, versionOf } from '../versions.ts';
import { whereOf } from './conditions.ts';
import { includeOf } from './include-records.ts';
import { orderOf } from './order.ts';
import type { Totals } from './totals.ts';

/** Each read is one statement: one round trip, and one moment that all of the answer is of. */
export const schemaVersion = sql`(SELECT value FROM ${tables.meta} WHERE name = 'schema')`;

/** Refuses what was read under another schema than the one it was planned for. */
export function checkVersion(version: ColumnValue | undefined, collection: StoredCollection): void {
  if (version === null || version === undefined) throw new ProjectGone();
  if (version !== collection.ref.version) throw new StaleSchema();
}

interface CompiledList {
  readonly collection: StoredCollection;
  /** How often it was asked for. */
  asked: number;
  /** Names the filter, for what is remembered of it; undefined where everything matches. */
  readonly question: string | undefined;
  statement(known: Known | undefined): Sql;
  /** The same by the records' numbers; it finds that it can't where some were deleted. */
  readonly numbered: Sql | undefined;
}

type Known = NonNullable<ReturnType<Totals['find']>>;

/** What lists are read with, of one project. */
export interface ListReads {
  readonly schemas: Schemas;
  readonly totals: Totals;
  readonly lists: CompiledLists;
}

/** By the key of the plan, which the version of the schema is part of. As many as plans are kept. */
export type CompiledLists = Lru<string, CompiledList>;
export const compiledLists = (): CompiledLists => new Lru({ most: 1_500 });

export interface ReadPage {
  readonly answer: ListAnswer;
  /** Of the plan's collection, at the moment that the page is of. */
  readonly version: number;
  /** It was asked for before. */
  readonly again: boolean;
}

/** The page is joined inside PostgreSQL: no record is taken apart and put together again on its way out. */
export async function listRecords(db: Connection, reads: ListReads, plan: ListPlan): Promise<ReadPage> {
  const { schemas, totals, lists } = reads;
  const compiled = remember(lists, plan.key, () =>
    compileList(db, schemas.collection(plan.collection), plan),
  );
  const { collection, question, numbered } = compiled;
  compiled.asked += 1;
  const pageOf = (row: Row): ReadPage => ({
    answer: readList(plan, row),
    version: Number(row[1]),
    again: compiled.asked > 1,
  });
  if (numbered && !totals.hasGaps(collection)) {
    const row = await db.row(numbered);
    checkVersion(row?.[0], collection);
    if (row?.[2] === 1) return pageOf(row);
    totals.noteGaps(collection);
  }
  const row = await db.row(compiled.statement(question === undefined ? undefined : totals.find(question)));
  checkVersion(row?.[0], collection);
  if (question !== undefined) totals.remember(question, Number(row?.[1]), Number(row?.[3]));
  return pageOf(row ?? []);
}

/** The schema's version, the collection's, whether it has no gaps, the total, and what is of the page. */
type Row = readonly ColumnValue[];

function readList(plan: ListPlan, [, , , total, size, included, found, ...include]: Row): ListAnswer {
  if (Number(included) > largestInclude) throw includeTooLarge();
  if (Number(size) + Number(included) > largestAnswer) throw pageTooLarge();
  return {
    total: Number(total),
    found: found?.toString() ?? '',
    include: new Map(plan.include.map(({ path }, index) => [path, include[index]?.toString() ?? ''])),
  };
}

const measures = raw('(SELECT page FROM measured), (SELECT include FROM measured)');
const fits = raw(
  `(SELECT page + include <= ${largestAnswer} AND include <= ${largestInclude} FROM measured)`,
);

function compileList(db: Connection, collection: StoredCollection, plan: ListPlan): CompiledList {
  const { limit, offset } = plan;
  const where = whereOf(db.dialect, collection, plan.where);
  const include = includeOf(collection, plan.include, 'page');
  const texts = [raw("(SELECT string_agg(json, ',') FROM page)"), ...include.found];
  const tail = join([measures, ...texts.map((text) => sql`CASE WHEN ${fits} THEN ${text} END`)], ', ');
  // The size of a value that is stored apart is known without reading it.
  const head = (page: Sql, before = raw('')) => sql`
    WITH ${before}page AS MATERIALIZED (${page})${include.tables}, measured AS MATERIALIZED (
      SELECT (SELECT coalesce(sum(size), 0) FROM page) AS page, ${include.size} AS include
    )`;
  const records = recordsOf(collection, plan, include.needed);
  const order = sql`ORDER BY ${orderOf(collection, plan.sort)} LIMIT ${raw(String(limit))}`;
  const skipped = offset === 0 ? raw('') : sql` OFFSET ${offset}`;
  const page = head(sql`${records}${where} ${order}${skipped}`);
  const all = totalOf(collection);
  const version = versionOf(collection);
  const asked = 0;
  if (where.text === '') {
    const statement = sql`${page} SELECT ${schemaVersion}, ${version}, 0, ${all}, ${tail}`;
    const first = plan.sort[0];
    if (first?.name !== '_createdAt' || offset === 0)
      return { collection, asked, question: undefined, statement: () => statement, numbered: undefined };
    // Where all places up to the last have a record, they are found without counting off those before.
    const last = sql`(SELECT coalesce(max(seq), 0) FROM ${recordTable(collection)})`;
    const known = sql`known AS MATERIALIZED (SELECT ${all} AS total, ${last} AS last), `;
    const gapless = raw('(SELECT total = last FROM known)');
    const from = first.descending
      ? sql`seq <= (SELECT total FROM known) - ${offset}::bigint`
      : sql`seq > ${offset}`;
    const numbered = sql`
      ${head(sql`${records} WHERE ${gapless} AND ${from} ${order}`, known)}
      SELECT ${schemaVersion}, ${version}, CASE WHEN ${gapless} THEN 1 ELSE 0 END, (SELECT total FROM known), ${tail}`;
    return { collection, asked, question: undefined, statement: () => statement, numbered };
  }
  const here = raw('(SELECT count(*) FROM page)');
  const matching = sql`(SELECT count(*) FROM ${recordTable(collection)}${where})`;
  const start = sql`${offset}::bigint`;
  // How many records the page holds often tells the total without counting.
  const last = sql`WHEN ${here} < ${raw(String(limit))} AND (${here} > 0 OR ${start} = 0) THEN ${start} + ${here}`;
  return {
    collection,
    asked,
    question: `${matching.text} ${JSON.stringify(matching.values)}`,
    statement: (known) => sql`
      ${page} SELECT ${schemaVersion}, ${version}, 0, CASE ${last}
        WHEN ${version} = ${known?.version ?? -1}::bigint THEN ${known?.total ?? 0}::bigint
        ELSE ${matching} END, ${tail}`,
    numbered: undefined,
  };
}

function recordsOf(collection: StoredCollection, plan: ListPlan, needed: readonly string[]): Sql {
  const columns = [
    sql`${recordText(plan.extra)} AS json`,
    raw('octet_length(json) AS size'),
    ...needed.map(raw),
  ];
  return sql`SELECT ${join(columns, ', ')} FROM ${recordTable(collection)}`;
}

export function recordText(extra: ListPlan['extra']): Sql {
  if (extra.length === 0) return raw('json');
  const added = extra.map((name) => {
    const held = name === '_owner' ? 'owner' : 'workspace';
    return ` || ',"${name}":' || CASE WHEN ${held} IS NULL THEN 'null' ELSE '"' || ${held} || '"' END`;
  });
  return raw(`left(json, -1)${added.join('')} || '}'`);
}
