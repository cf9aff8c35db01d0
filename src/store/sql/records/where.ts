import type { Scope } from '../../../access/scope.ts';
import type { ColumnKind, ColumnValue } from '../../../model/field.ts';
import { fieldType } from '../../../model/field-types.ts';
import type { Condition, Where } from '../../plans.ts';
import type { StoredCollection } from '../../schema.ts';
import type { Dialect } from '../dialect.ts';
import { column, columnKind, valueTable } from '../names.ts';
import { join, raw, type Sql, sql } from '../tag.ts';

/** The WHERE clause including its keyword, or nothing if every record matches. */
export function whereClause(dialect: Dialect, collection: StoredCollection, where: Where): Sql {
  const parts = [
    ...scopeConditions(where.scope),
    ...where.conditions.map((condition) => conditionSql(dialect, collection, condition)),
    ...(where.search.length > 0 ? [dialect.search(collection, where.search, where.scope)] : []),
  ];
  return parts.length === 0 ? raw('') : sql` WHERE ${join(parts, ' AND ')}`;
}

export function scopeConditions(scope: Scope): Sql[] {
  switch (scope.kind) {
    case 'all':
      return [];
    case 'owner':
      return [sql`owner = ${scope.owner}`];
    case 'workspace':
      return [sql`workspace = ${scope.workspace}`];
  }
}

/** The values of these conditions. */
export function scopeValues(scope: Scope): string[] {
  switch (scope.kind) {
    case 'all':
      return [];
    case 'owner':
      return [scope.owner];
    case 'workspace':
      return [scope.workspace];
  }
}

/** ` AND owner = ?`, to follow another condition. */
export function andScope(scope: Scope): Sql {
  const [condition] = scopeConditions(scope);
  return condition ? sql` AND ${condition}` : raw('');
}

/** `target`: compared instead of the field's column. */
export function conditionSql(
  dialect: Dialect,
  collection: StoredCollection,
  condition: Condition,
  target: Sql = column(collection, condition.name),
): Sql {
  if (condition.kind === 'compare') return sql`${target} ${raw(condition.operator)} ${condition.value}`;
  const field = collection.definition.fields.get(condition.name);
  return field && fieldType(field).plural(field)
    ? listCondition(dialect, collection, condition, fieldType(field).column(field))
    : valueCondition(dialect, collection, condition, target);
}

type Equality = Extract<Condition, { values: unknown }>;

function valueCondition(
  dialect: Dialect,
  collection: StoredCollection,
  condition: Equality,
  target: Sql,
): Sql {
  const values = heldValues(condition);
  const among = amongSql(dialect, target, values, columnKind(collection, condition.name));
  return equality(condition, {
    has: among,
    hasNot: sql`(${target} IS NULL OR NOT (${among}))`,
    unset: sql`${target} IS NULL`,
    set: sql`${target} IS NOT NULL`,
  });
}

function listCondition(
  dialect: Dialect,
  collection: StoredCollection,
  condition: Equality,
  kind: ColumnKind,
): Sql {
  const table = valueTable(collection, condition.name);
  const among = amongSql(dialect, raw('value'), heldValues(condition), kind);
  return equality(condition, {
    has: sql`seq IN (SELECT seq FROM ${table} WHERE ${among})`,
    hasNot: sql`seq NOT IN (SELECT seq FROM ${table} WHERE ${among})`,
    unset: sql`seq NOT IN (SELECT seq FROM ${table})`,
    set: sql`seq IN (SELECT seq FROM ${table})`,
  });
}

/** The values of a condition except null. */
export function heldValues({ values }: Equality): ColumnValue[] {
  return values.filter((value) => value !== null);
}

/** Conditions for records that have one of the named values, and for those that have any. */
interface Terms {
  readonly has: Sql;
  readonly hasNot: Sql;
  readonly unset: Sql;
  readonly set: Sql;
}

export function equality(condition: Equality, { has, hasNot, unset, set }: Terms): Sql {
  const { kind, values } = condition;
  if (!values.includes(null)) return kind === 'oneOf' ? has : hasNot;
  if (heldValues(condition).length === 0) return kind === 'oneOf' ? unset : set;
  return kind === 'oneOf' ? sql`(${unset} OR ${has})` : sql`(${set} AND ${hasNot})`;
}

function amongSql(dialect: Dialect, target: Sql, values: readonly ColumnValue[], kind: ColumnKind): Sql {
  const [only] = values;
  if (values.length === 1 && only !== undefined) return sql`${target} = ${only}`;
  return sql`${target} IN (${dialect.values(values, kind)})`;
}
