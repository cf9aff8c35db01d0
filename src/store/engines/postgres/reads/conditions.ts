import type { ColumnKind, ColumnValue } from '../../../../model/field.ts';
import { fieldType } from '../../../../model/field-types.ts';
import { hasIndex } from '../../../../model/indexed.ts';
import type { Condition, Where } from '../../../plans.ts';
import type { StoredCollection } from '../../../schema.ts';
import type { Dialect } from '../../../sql/dialect.ts';
import { column, recordTable, valueTable } from '../../../sql/names.ts';
import {
  conditionSql,
  equality,
  heldValues,
  scopeConditions,
  whereClause,
} from '../../../sql/records/where.ts';
import { join, raw, type Sql, sql } from '../../../sql/tag.ts';
import { arrayOf } from '../tables/arrays.ts';
import {
  fitsIndex,
  isLongValue,
  isWithinPrefix,
  longValue,
  prefixLength,
  shortValue,
} from '../tables/text-index.ts';
import { textCondition } from './search.ts';

/** The WHERE clause including its keyword, or nothing. Phrased so that PostgreSQL finds the indexes. */
export function whereOf(dialect: Dialect, collection: StoredCollection, where: Where): Sql {
  const conditions: Condition[] = [];
  const own: Sql[] = [];
  for (const condition of where.conditions) {
    const special = listCondition(collection, condition) ?? prefixCondition(collection, condition);
    if (special) own.push(special);
    else conditions.push(condition);
  }
  const shared = whereClause(dialect, collection, { ...where, conditions });
  if (own.length === 0) return shared;
  return sql`${shared}${raw(shared.text === '' ? ' WHERE ' : ' AND ')}${join(own, ' AND ')}`;
}

/**
 * The same for a few known records: each condition only looks at one of them, so that it never scans other tables, which it
 * would do for every few records.
 */
export function rowConditions(dialect: Dialect, collection: StoredCollection, where: Where): Sql[] {
  return [
    ...scopeConditions(where.scope),
    ...where.conditions.map(
      (condition) => rowListCondition(collection, condition) ?? conditionSql(dialect, collection, condition),
    ),
    ...(where.search.length > 0 ? [textCondition(collection, where.search)] : []),
  ];
}

function rowListCondition(collection: StoredCollection, condition: Condition): Sql | undefined {
  const terms = listTerms(collection, condition);
  if (!terms || condition.kind === 'compare') return undefined;
  const { own, among } = terms;
  const length = sql`json_array_length(json::json -> ${condition.name}::text)`;
  return equality(condition, {
    has: sql`EXISTS (${own} AND ${among})`,
    hasNot: sql`NOT EXISTS (${own} AND ${among})`,
    unset: sql`${length} = 0`,
    set: sql`${length} > 0`,
  });
}

/** A condition on a list or multiple relation. NOT EXISTS, as PostgreSQL evaluates a long NOT IN record by record. */
function listCondition(collection: StoredCollection, condition: Condition): Sql | undefined {
  const terms = listTerms(collection, condition);
  if (!terms || condition.kind === 'compare') return undefined;
  const { table, own, among } = terms;
  return equality(condition, {
    has: sql`seq IN (SELECT seq FROM ${table} WHERE ${among})`,
    hasNot: sql`NOT EXISTS (${own} AND ${among})`,
    unset: sql`NOT EXISTS (${own})`,
    set: sql`EXISTS (${own})`,
  });
}

/** For a field with several values: their table, those of a record, and those that the condition names. */
function listTerms(
  collection: StoredCollection,
  condition: Condition,
): Readonly<Record<'table' | 'own' | 'among', Sql>> | undefined {
  const field = collection.definition.fields.get(condition.name);
  if (!field || !fieldType(field).plural(field) || condition.kind === 'compare') return undefined;
  const table = valueTable(collection, condition.name);
  const values = heldValues(condition);
  const kind = fieldType(field).column(field);
  return {
    table,
    own: sql`SELECT 1 FROM ${table} WHERE ${table}.seq = ${recordTable(collection)}.seq`,
    among: fitsIndex(field) ? oneOf(raw('value'), values, kind) : either(values.map(String)),
  };
}

/** Short and long values have separate indexes. */
function either(values: readonly string[]): Sql {
  const long = values.filter(isLongValue);
  const short = values.filter((value) => !isLongValue(value));
  const value = raw('value');
  const parts = [
    ...(short.length > 0 ? [sql`(${oneOf(value, short, 'text')} AND ${raw(shortValue)})`] : []),
    ...(long.length > 0
      ? [
          sql`(${prefix(value)} IN (${prefixes(long)}) AND ${oneOf(value, long, 'text')} AND ${raw(longValue)})`,
        ]
      : []),
  ];
  return parts.length === 0 ? raw('FALSE') : sql`(${join(parts, ' OR ')})`;
}

/** For a field whose index holds only prefixes of its values; most values are shorter than that. */
function prefixCondition(collection: StoredCollection, condition: Condition): Sql | undefined {
  if (condition.kind !== 'oneOf' || !hasPrefixIndex(collection, condition.name)) return undefined;
  const target = column(collection, condition.name);
  const values = heldValues(condition).map(String);
  const has = values.every(isWithinPrefix)
    ? oneOf(prefix(target), values, 'text')
    : sql`(${prefix(target)} IN (${prefixes(values)}) AND ${oneOf(target, values, 'text')})`;
  if (!condition.values.includes(null)) return has;
  const unset = sql`${prefix(target)} IS NULL`;
  return values.length === 0 ? unset : sql`(${unset} OR ${has})`;
}

export function holds(collection: StoredCollection, name: string, value: ColumnValue): Sql {
  const condition = { kind: 'oneOf', name, values: [value] } as const;
  return prefixCondition(collection, condition) ?? sql`${column(collection, name)} = ${value}`;
}

function oneOf(target: Sql, values: readonly ColumnValue[], kind: ColumnKind): Sql {
  const [only] = values;
  if (values.length === 1 && only !== undefined) return sql`${target} = ${only}`;
  return sql`${target} = ANY (${arrayOf(values, kind)})`;
}

const prefixes = (values: readonly string[]) =>
  sql`SELECT ${prefix(raw('value'))} FROM unnest(${arrayOf(values, 'text')}) AS value`;

export const prefix = (text: Sql) => sql`left(${text}, ${raw(String(prefixLength))})`;

export function hasPrefixIndex({ definition }: StoredCollection, name: string): boolean {
  const field = definition.fields.get(name);
  return field !== undefined && hasIndex(field) && !fieldType(field).plural(field) && !fitsIndex(field);
}
