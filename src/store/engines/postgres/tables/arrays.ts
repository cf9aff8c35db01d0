import type { ColumnKind, ColumnValue } from '../../../../model/field.ts';
import { raw, type Sql, sql } from '../../../sql/tag.ts';

const arrayTypes: Readonly<Record<ColumnKind, string>> = {
  text: 'text[]',
  real: 'double precision[]',
  integer: 'bigint[]',
};

/** Any number of values as one parameter. */
export function arrayOf(values: readonly ColumnValue[], kind: ColumnKind): Sql {
  return sql`${arrayText(values)}::${raw(arrayTypes[kind])}`;
}

/**
 * Any number of values as a column of rows: a `SELECT` of several of these zips them. As functions in FROM each would be
 * materialized before the rows are joined: inserting a change with six columns took half as much CPU time again.
 */
export function unnested(values: readonly ColumnValue[], kind: ColumnKind): Sql {
  return sql`unnest(${arrayText(values)}::${raw(arrayTypes[kind])})`;
}

/** `{1,"a \"b\"",NULL}` */
export function arrayText(values: readonly ColumnValue[]): string {
  const parts = values.map((value) => {
    if (value === null) return 'NULL';
    return typeof value === 'number' ? String(value) : `"${value.replace(/["\\]/g, '\\$&')}"`;
  });
  return `{${parts.join(',')}}`;
}
