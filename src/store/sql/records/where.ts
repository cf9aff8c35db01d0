import type { Scope } from '../../../access/scope.ts';
import type { ColumnKind } from '../../../model/field.ts';
import { fieldType } from '../../../model/field-types.ts';
import type { Condition, Where } from '../../plans.ts';
import type { StoredCollection } from '../../schema.ts';
import type { Dialect } from '../dialect.ts';
import { column, columnKind, valueTable } from '../names.ts';
import { join, raw, type Sql, sql } from '../tag.ts';

/** The WHERE clause, with its keyword, or nothing where every record matches. */
export function whereClause(dialect: Dialect, collection: StoredCollection, where: Where): Sql {
  const parts = [
    ...scopeConditions(where.scope),
    ...where.conditions.map((condition) => conditionSql(dialect, collection, condition)),
    ...(where.search.length > 0 ? [dialect.search(collection, where.search)] : []),
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

/** ` AND owner = ?`, behind a condition that is there already. */
export function andScope(scope: Scope): Sql {
  const [condition] = scopeConditions(scope);
  return condition ? sql` AND ${condition}` : raw('');
}

function conditionSql(dialect: Dialect, collection: StoredCollection, condition: Condition): Sql {
  const field = collection.definition.fields.get(condition.name);
  if (field && fieldType(field).plural(field) && condition.kind !== 'compare') {
    const table = valueTable(collection, condition.name);
    const among = amongSql(dialect, raw('value'), condition.values, fieldType(field).column(field));
    const not = raw(condition.kind === 'noneOf' ? 'NOT ' : '');
    return sql`seq ${not}IN (SELECT seq FROM ${table} WHERE ${among})`;
  }
  const target = column(collection, condition.name);
  const kind = columnKind(collection, condition.name);
  switch (condition.kind) {
    case 'oneOf':
      return amongSql(dialect, target, condition.values, kind);
    case 'noneOf':
      return sql`(${target} IS NULL OR NOT (${amongSql(dialect, target, condition.values, kind)}))`;
    case 'compare':
      return sql`${target} ${raw(condition.operator)} ${condition.value}`;
  }
}

function amongSql(
  dialect: Dialect,
  target: Sql,
  values: Extract<Condition, { values: unknown }>['values'],
  kind: ColumnKind,
): Sql {
  const [only] = values;
  if (values.length === 1 && only !== undefined) return sql`${target} = ${only}`;
  return sql`${target} IN (${dialect.values(values, kind)})`;
}
