import type { ColumnKind } from '../../../../model/field.ts';

/** Compares by code point as SQLite does, whatever the database's own collation. */
export const text = 'text COLLATE "C"';

export const columnTypes: Readonly<Record<ColumnKind, string>> = {
  text,
  real: 'double precision',
  integer: 'bigint',
};
