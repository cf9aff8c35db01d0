import type { ColumnValue } from '../../../../model/field.ts';
import type { IncludePlan } from '../../../plans.ts';
import { relationOf, type StoredCollection, type StoredRelation } from '../../../schema.ts';
import { column, recordTable } from '../../../sql/names.ts';
import { andScope } from '../../../sql/records/where.ts';
import { type Sql, sql } from '../../../sql/tag.ts';
import type { Database } from '../connection/database.ts';

interface Reached {
  readonly found: string;
  readonly seqs: ColumnValue;
}

/**
 * The related records of a page, path by path; a path that begins like another shares its steps. For the transaction
 * in which the page was read: all collections of a plan are of one schema, so the page's check is theirs too.
 */
export function includeRecords(
  db: Database,
  collection: StoredCollection,
  paths: readonly IncludePlan[],
  seqs: ColumnValue,
): ReadonlyMap<string, string> {
  const reached = new Map<string, Reached>();
  const include = new Map<string, string>();
  for (const { path, steps } of paths) {
    let place = '';
    let current: Reached = { found: '', seqs };
    let from = collection;
    for (const { field, scope } of steps) {
      const relation = relationOf(from, field);
      from = relation.to;
      place += `.${field}`;
      const nothing = { found: '', seqs: '[]' };
      current = reached.get(place) ?? (scope ? follow(db, relation, current.seqs, andScope(scope)) : nothing);
      reached.set(place, current);
    }
    include.set(path, current.found);
  }
  return include;
}

function follow(db: Database, relation: StoredRelation, seqs: ColumnValue, scope: Sql): Reached {
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
