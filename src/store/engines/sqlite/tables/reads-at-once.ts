import type { ColumnValue } from '../../../../model/field.ts';
import type { Sql } from '../../../sql/tag.ts';

/** A connection of SQLite as far as it is asked: it answers at once. */
export interface ReadsAtOnce {
  rows(query: Sql): ColumnValue[][];
  row(query: Sql): ColumnValue[] | undefined;
  /** Like row, for a query without values: where many ask the same of one moment, it is run once. */
  once(query: Sql): ColumnValue[] | undefined;
  exec(text: string): void;
}
