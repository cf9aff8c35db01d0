import type { ColumnKind } from '../../../../model/field.ts';

/** By code point, as SQLite compares, whatever the database's own order is. */
export const text = 'text COLLATE "C"';

export const columnTypes: Readonly<Record<ColumnKind, string>> = {
  text,
  real: 'double precision',
  integer: 'bigint',
};
