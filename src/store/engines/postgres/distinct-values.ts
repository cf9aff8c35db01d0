import { Failure } from '../../../failure.ts';
import type { ColumnValue, Field } from '../../../model/field.ts';
import { fieldType } from '../../../model/field-types.ts';
import type { Json } from '../../../model/json.ts';
import type { DistinctPlan } from '../../plans.ts';
import type { StoredCollection } from '../../schema.ts';
import type { Connection } from '../../sql/connection.ts';
import { column, recordTable, valueTable } from '../../sql/names.ts';
import { join, raw, type Sql, sql } from '../../sql/tag.ts';
import { prefix, whereOf } from './conditions.ts';
import { checkVersion, schemaVersion } from './read-records.ts';
import { fitsIndex, prefixLength } from './text-index.ts';

/** Unique values of fields: for each how many there are, their size and, unless that is too much, the values. */
export async function findDistinct(db: Connection, plan: DistinctPlan): Promise<Map<string, Json[]>> {
  const { collection } = plan;
  const where = whereOf(db.dialect, collection, plan.where);
  const tables = plan.fields.map((name, index) => {
    const values = sql`${distinctSql(collection, fieldOf(collection, name), where)} LIMIT ${raw(String(plan.most + 1))}`;
    return sql`d${raw(String(index))} AS MATERIALIZED (${values})`;
  });
  const answers = plan.fields.map((name, index) =>
    answerOf(fieldOf(collection, name), `d${index}`, plan.most),
  );
  const row = await db.row(sql`
    WITH RECURSIVE ${join(tables, ', ')} SELECT ${join([schemaVersion, ...answers], ', ')}`);
  checkVersion(row?.[0], collection);
  return new Map(
    plan.fields.map((name, index) => [name, readValues(plan, name, row?.slice(1 + index * 3) ?? [])]),
  );
}

function fieldOf({ definition }: StoredCollection, name: string): Field {
  const field = definition.fields.get(name);
  if (!field) throw new Error(`no field ${name}`);
  return field;
}

const largestAnswer = 16 * 1024 * 1024;

function answerOf(field: Field, table: string, most: number): Sql {
  const count = `(SELECT count(*) FROM ${table})`;
  const isText = fieldType(field).column(field) === 'text';
  const size = isText ? `(SELECT coalesce(sum(octet_length(value)), 0) FROM ${table})` : '0';
  return raw(`
    ${count}, ${size},
    CASE WHEN ${count} <= ${most} AND ${size} <= ${largestAnswer} THEN (SELECT json_agg(value)::text FROM ${table}) END`);
}

function readValues(
  { collection, most }: DistinctPlan,
  name: string,
  [count, size, values]: readonly ColumnValue[],
): Json[] {
  const field = fieldOf(collection, name);
  if (Number(size) > largestAnswer) {
    throw new Failure('invalid', [
      {
        at: name,
        message: 'has values that are too long to be listed: narrow them down with filters or search',
      },
    ]);
  }
  if (Number(count) > most) {
    throw new Failure(
      'invalid',
      `${name}: has more than ${most} different values: narrow them down with filters or search`,
    );
  }
  const read = (values == null ? [] : JSON.parse(String(values))) as ColumnValue[];
  return read.map((value) => fieldType(field).fromColumn(value, field));
}

function distinctSql(collection: StoredCollection, field: Field, where: Sql): Sql {
  const plural = fieldType(field).plural(field);
  const table = plural ? valueTable(collection, field.name) : recordTable(collection);
  const value = plural ? raw('value') : column(collection, field.name);
  const indexed = plural || field.index || field.unique || field.type === 'relation';
  if (where.text === '' && indexed) {
    return fitsIndex(field) ? leap(table, value) : leapByBeginning(table, value);
  }
  if (!plural) {
    return sql`SELECT DISTINCT ${value} AS value FROM ${table}${where}${raw(where.text ? ' AND ' : ' WHERE ')}${value} IS NOT NULL ORDER BY 1`;
  }
  const matching = sql`SELECT seq FROM ${recordTable(collection)}${where}`;
  return sql`SELECT DISTINCT value FROM ${table} WHERE seq IN (${matching}) ORDER BY 1`;
}

/** From each value straight to the next in the index: costs what there are values, not what there are records. */
function leap(table: Sql, value: Sql): Sql {
  return sql`
    WITH RECURSIVE step (value) AS (
      SELECT min(${value}) FROM ${table}
      UNION ALL
      SELECT (SELECT min(${value}) FROM ${table} WHERE ${value} > step.value) FROM step WHERE step.value IS NOT NULL
    )
    SELECT value FROM step WHERE value IS NOT NULL`;
}

/** The same where the index has only beginnings: what is no longer than a beginning is all of the value. */
function leapByBeginning(table: Sql, value: Sql): Sql {
  const length = raw(String(prefixLength));
  return sql`
    SELECT found.value FROM (${leap(table, prefix(value))}) AS step, LATERAL (
      SELECT step.value AS value WHERE char_length(step.value) < ${length}
      UNION ALL
      (SELECT DISTINCT ${value} FROM ${table}
      WHERE char_length(step.value) >= ${length} AND ${prefix(value)} = step.value ORDER BY 1)
    ) AS found`;
}
