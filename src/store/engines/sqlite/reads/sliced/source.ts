import { fieldType } from '../../../../../model/field-types.ts';
import { isIndexed } from '../../../../../model/indexed.ts';
import type { Condition, Where } from '../../../../plans.ts';
import type { StoredCollection } from '../../../../schema.ts';
import { recordTable, valueTable } from '../../../../sql/names.ts';
import { conditionSql, scopeConditions } from '../../../../sql/records/where.ts';
import { join, type Sql, sql } from '../../../../sql/tag.ts';
import type { Database } from '../../connection/database.ts';
import { sqliteDialect } from '../../dialect.ts';
import { rareMatches } from '../../tables/search.ts';
import { perShape } from '../filter-shapes.ts';
import { type Bound, rangeOf } from './conditions.ts';
import type { Sliced, Source } from './slices.ts';

/** Up to this many records found by an index, it is faster than scanning all. */
const mostFound = 20_000;
/** If it finds no more than this, it is not worth looking for a better one. */
const fewEnough = 500;
/** For a search: looking up a record takes longer than examining a text. */
const mostMatches = 5_000;
const mostProbes = 8;

/** What to scan for a filter: what the best index finds, or everything up to the last record. */
export function* chooseSource(
  db: Database,
  collection: StoredCollection,
  where: Where,
  last: number,
): Sliced<Source> {
  let best: readonly number[] | undefined;
  for (const { query } of probesOf(collection, where)) {
    const most = best ? best.length - 1 : mostFound;
    const rows = db.rows(sql`${query} LIMIT ${most + 1}`);
    if (rows.length <= most) best = rows.map(([seq]) => Number(seq));
    if (best && best.length <= fewEnough) break;
    yield;
  }
  // The search index covers everybody's records, so it is used only for those who may see them all: its timing would reveal
  // words of others.
  const searched = where.search.length > 0 && where.scope.kind === 'all';
  if (searched && (!best || best.length > fewEnough)) {
    const found = rareMatches(
      db,
      collection.key,
      where.search,
      Math.min(mostMatches, best?.length ?? mostMatches),
    );
    if (found && (!best || found.length < best.length)) best = found;
  }
  if (!best) return { kind: 'range', first: 1, last };
  return { kind: 'some', seqs: [...new Set(best)].sort((one, other) => one - other) };
}

/** Finds out by an index alone whether few records match: `query` selects the sequence numbers of candidates. */
export interface Probe {
  readonly of: Bound;
  readonly query: Sql;
}

export const probesOf = perShape(
  (collection: StoredCollection, where: Where) => indexedConditions(collection, where).slice(0, mostProbes),
  (probes, given) => probes.map(({ of, query }) => ({ of, query: given(query) })),
);

/** How many there are, counting up to `most` plus one. */
export function countUpTo(db: Database, { query }: Probe, most: number): number {
  const row = db.row(sql`SELECT count(*) FROM (${query} LIMIT ${most + 1})`);
  return Number(row?.[0]);
}

/** A probe for each condition with an index; equality first, as it finds fewer records. */
function indexedConditions(collection: StoredCollection, where: Where): Probe[] {
  const table = recordTable(collection);
  const scope = scopeConditions(where.scope).map(
    (condition): Probe => ({ of: 'scope', query: sql`SELECT seq FROM ${table} WHERE ${condition}` }),
  );
  const [equal, compared] = [[] as Probe[], [] as Probe[]];
  for (const [of, condition] of where.conditions.entries()) {
    const range = rangeOf(where.conditions, condition);
    if (range[0] !== condition) continue; // the other condition covers both bounds
    const query = probeOf(collection, condition, range);
    if (query) (condition.kind === 'compare' ? compared : equal).push({ of, query });
  }
  return [...scope, ...equal, ...compared];
}

/** `range`: the condition, or the bounds of its range. */
function probeOf(
  collection: StoredCollection,
  condition: Condition,
  range: readonly Condition[],
): Sql | undefined {
  const { definition } = collection;
  if (condition.kind === 'noneOf') return undefined;
  if (condition.kind === 'oneOf' && condition.values.includes(null)) return undefined;
  const field = definition.fields.get(condition.name);
  if (field && fieldType(field).plural(field) && condition.kind === 'oneOf') {
    const values = sqliteDialect.values(condition.values, fieldType(field).column(field));
    return sql`SELECT seq FROM ${valueTable(collection, condition.name)} WHERE value IN (${values})`;
  }
  if (condition.name === '_createdAt' || !isIndexed(definition, condition.name)) return undefined;
  const conditions = range.map((each) => conditionSql(sqliteDialect, collection, each));
  return sql`SELECT seq FROM ${recordTable(collection)} WHERE ${join(conditions, ' AND ')}`;
}
