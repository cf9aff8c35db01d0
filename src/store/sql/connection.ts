import type { Awaitable } from '../../awaitable.ts';
import type { ColumnValue } from '../../model/field.ts';
import type { Dialect } from './dialect.ts';
import type { Sql } from './tag.ts';

/**
 * What shared statements run on, inside a transaction or not. SQLite answers at once and PostgreSQL after a round
 * trip, so whoever shares code between them awaits.
 */
export interface Connection {
  readonly dialect: Dialect;
  rows(query: Sql): Awaitable<ColumnValue[][]>;
  row(query: Sql): Awaitable<ColumnValue[] | undefined>;
  /** How many rows were changed. */
  run(query: Sql): Awaitable<number>;
  /** One or several statements without values. */
  exec(text: string): Awaitable<void>;
}
