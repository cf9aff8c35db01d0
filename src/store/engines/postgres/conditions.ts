import type { ColumnValue } from '../../../model/field.ts';
import { fieldType } from '../../../model/field-types.ts';
import type { Condition, Where } from '../../plans.ts';
import type { StoredCollection } from '../../schema.ts';
import type { Dialect } from '../../sql/dialect.ts';
import { column, recordTable, valueTable } from '../../sql/names.ts';
import { join, raw, type Sql, sql } from '../../sql/tag.ts';
import { whereClause } from '../../sql/where.ts';
import { arrayOf } from './arrays.ts';
import { fitsIndex, prefixLength } from './text-index.ts';

/** The WHERE clause, with its keyword, or nothing; with what PostgreSQL needs to find an index for it. */
export function whereOf(dialect: Dialect, collection: StoredCollection, where: Where): Sql {
  const conditions: Condition[] = [];
  const own: Sql[] = [];
  for (const condition of where.conditions) {
    const list = listCondition(collection, condition);
    if (list) own.push(list);
    else conditions.push(condition);
    own.push(...beginning(collection, condition));
  }
  const shared = whereClause(dialect, collection, { ...where, conditions });
  if (own.length === 0) return shared;
  return sql`${shared}${raw(shared.text === '' ? ' WHERE ' : ' AND ')}${join(own, ' AND ')}`;
}

/** Of a list or multiple relation. NOT EXISTS, as PostgreSQL goes through NOT IN record by record when it is long. */
function listCondition(collection: StoredCollection, condition: Condition): Sql | undefined {
  const field = collection.definition.fields.get(condition.name);
  if (!field || !fieldType(field).plural(field) || condition.kind === 'compare') return undefined;
  const table = valueTable(collection, condition.name);
  const values = arrayOf(condition.values, fieldType(field).column(field));
  const among = fitsIndex(field)
    ? sql`value = ANY (${values})`
    : sql`${prefix(raw('value'))} IN (${prefixes(condition.values)}) AND value = ANY (${values})`;
  if (condition.kind === 'oneOf') return sql`seq IN (SELECT seq FROM ${table} WHERE ${among})`;
  return sql`NOT EXISTS (SELECT 1 FROM ${table} WHERE ${table}.seq = ${recordTable(collection)}.seq AND ${among})`;
}

/** For a field whose index has but the beginnings of its values. */
function beginning(collection: StoredCollection, condition: Condition): Sql[] {
  if (condition.kind !== 'oneOf' || !hasPrefixIndex(collection, condition.name)) return [];
  const target = prefix(column(collection, condition.name));
  const [only] = condition.values;
  if (condition.values.length === 1) return [sql`${target} = ${prefix(sql`${only ?? null}`)}`];
  return [sql`${target} IN (${prefixes(condition.values)})`];
}

const prefixes = (values: readonly ColumnValue[]) =>
  sql`SELECT ${prefix(raw('value'))} FROM unnest(${arrayOf(values, 'text')}) AS value`;

export const prefix = (text: Sql) => sql`left(${text}, ${raw(String(prefixLength))})`;

export function hasPrefixIndex({ definition }: StoredCollection, name: string): boolean {
  const field = definition.fields.get(name);
  if (!field || fieldType(field).plural(field) || fitsIndex(field)) return false;
  return field.index === true || field.unique === true;
}
