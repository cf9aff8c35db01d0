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
 * Any number of values as a column of rows: `SELECT` of several of them has a row for the first of each, one for the second and so
 * on. As functions in FROM each would be kept apart before its rows are put together: a change of the log with six columns took
 * half as much processor time again.
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
