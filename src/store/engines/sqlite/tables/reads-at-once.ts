import type { ColumnValue } from '../../../../model/field.ts';
import type { Sql } from '../../../sql/tag.ts';

/** The reading part of a SQLite connection: it answers synchronously. */
export interface ReadsAtOnce {
  rows(query: Sql): ColumnValue[][];
  row(query: Sql): ColumnValue[] | undefined;
  /** Like `row`, for a query without parameters: within one snapshot it runs once, however many ask. */
  once(query: Sql): ColumnValue[] | undefined;
  exec(text: string): void;
}
