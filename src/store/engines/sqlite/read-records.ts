import type { ColumnValue } from '../../../model/field.ts';
import type { IncludePlan, ListAnswer, ListPlan, ViewPlan, WalkAnswer, WalkPlan } from '../../plans.ts';
import { StaleSchema, type StoredCollection, type StoredRelation } from '../../schema.ts';
import { behind } from '../../sql/keyset.ts';
import { column, recordTable } from '../../sql/names.ts';
import { orderBy } from '../../sql/order.ts';
import { join, raw, type Sql, sql } from '../../sql/tag.ts';
import { andScope, whereClause } from '../../sql/where.ts';
import type { Database } from './database.ts';
import { sqliteDialect } from './dialect.ts';
import type { Totals } from './totals.ts';

export function viewRecord(db: Database, { collection, id, scope }: ViewPlan): string | undefined {
  const row = db.row(sql`SELECT json FROM ${recordTable(collection)} WHERE id = ${id}${andScope(scope)}`);
  if (!row) checkLive(db, collection);
  return row?.[0]?.toString();
}

/** Throws StaleSchema where the collection's tables are not those of the current schema any more. */
export function checkLive(db: Database, collection: StoredCollection): void {
  if (!db.row(sql`SELECT 1 FROM counters WHERE collection = ${collection.key}`)) throw new StaleSchema();
}

/** The page is joined inside SQLite: no record is taken apart and put together again on its way out. */
export function listRecords(db: Database, totals: Totals, plan: ListPlan): ListAnswer {
  const { collection } = plan;
  const where = whereClause(sqliteDialect, collection, plan.where);
  const page = sql`
    SELECT ${raw(plan.include.length > 0 ? 'seq, ' : '')}${recordText(plan.extra)} AS json
    FROM ${recordTable(collection)}${where}
    ORDER BY ${orderBy(collection, plan.sort)} LIMIT ${plan.limit} OFFSET ${plan.offset}`;
  const seqs = raw(plan.include.length > 0 ? 'json_group_array(seq)' : 'NULL');
  const query = sql`
    SELECT total, version, count, found, seqs
    FROM counters, (SELECT count(*) AS count, group_concat(json, ',') AS found, ${seqs} AS seqs FROM (${page}))
    WHERE collection = ${collection.key}`;
  const answer = (): ListAnswer => {
    const row = db.row(query);
    if (!row) throw new StaleSchema();
    const [all, version, count, found, sequence] = row;
    const total =
      where.text === '' ? Number(all) : totals.find(collection, Number(version), where, plan, Number(count));
    return {
      total,
      found: found?.toString() ?? '',
      include: includeRecords(db, plan.include, sequence ?? '[]'),
    };
  };
  // One statement sees one moment; several need a transaction for that.
  return where.text === '' && plan.include.length === 0 ? answer() : db.transaction('BEGIN', answer);
}

/** One record more than asked for is looked for, to know whether there is a next page. */
export function walkRecords(db: Database, plan: WalkPlan): WalkAnswer {
  const { collection, sort, after } = plan;
  const where = whereClause(sqliteDialect, collection, plan.where);
  const keys = join([raw('seq'), ...sort.map(({ name }) => column(collection, name))], ', ');
  const select = sql`SELECT ${recordText(plan.extra)}, ${keys} FROM ${recordTable(collection)}${where}`;
  const ranges = after ? behind(collection, sort, after) : [undefined];
  return db.transaction('BEGIN', () => {
    checkLive(db, collection);
    const rows: ColumnValue[][] = [];
    for (const range of ranges) {
      const missing = plan.limit + 1 - rows.length;
      if (missing <= 0) break;
      const narrowed = range ? sql`${select}${raw(where.text ? ' AND ' : ' WHERE ')}${range}` : select;
      rows.push(...db.rows(sql`${narrowed} ORDER BY ${orderBy(collection, sort)} LIMIT ${missing}`));
    }
    const page = rows.slice(0, plan.limit);
    const last = rows.length > plan.limit ? page.at(-1) : undefined;
    return {
      found: page.map(([json]) => String(json)),
      end: last && { seq: Number(last[1]), values: last.slice(2) },
      include: includeRecords(db, plan.include, JSON.stringify(page.map(([, seq]) => seq))),
    };
  });
}

function recordText(extra: ListPlan['extra']): Sql {
  if (extra.length === 0) return raw('json');
  const added = extra.map((name) => {
    const held = name === '_owner' ? 'owner' : 'workspace';
    return ` || ',"${name}":' || CASE WHEN ${held} IS NULL THEN 'null' ELSE '"' || ${held} || '"' END`;
  });
  return raw(`substr(json, 1, length(json) - 1)${added.join('')} || '}'`);
}

/** The related records of a page, path by path; a path that begins like another shares its steps. */
function includeRecords(
  db: Database,
  paths: readonly IncludePlan[],
  seqs: ColumnValue,
): ReadonlyMap<string, string> {
  const reached = new Map<string, { found: string; seqs: ColumnValue }>();
  const include = new Map<string, string>();
  for (const { path, steps } of paths) {
    let place = '';
    let current = { found: '', seqs };
    for (const { relation, scope } of steps) {
      place += `.${relation.field.name}`;
      const known = reached.get(place);
      current =
        known ?? (scope ? follow(db, relation, current.seqs, andScope(scope)) : { found: '', seqs: '[]' });
      reached.set(place, current);
    }
    include.set(path, current.found);
  }
  return include;
}

function follow(db: Database, relation: StoredRelation, seqs: ColumnValue, scope: Sql) {
  checkLive(db, relation.to);
  const from = recordTable(relation.from);
  const these = sql`seq IN (SELECT value FROM json_each(${seqs}))`;
  const ids =
    relation.field.kind === 'multiple'
      ? sql`SELECT item.value FROM ${from}, json_each(${from}.json, ${`$.${relation.field.name}`}) AS item WHERE ${these}`
      : sql`SELECT ${column(relation.from, relation.field.name)} FROM ${from} WHERE ${these}`;
  const row = db.row(sql`
    SELECT group_concat(json, ','), json_group_array(seq)
    FROM ${recordTable(relation.to)} WHERE id IN (${ids})${scope}`);
  return { found: row?.[0]?.toString() ?? '', seqs: row?.[1] ?? '[]' };
}
