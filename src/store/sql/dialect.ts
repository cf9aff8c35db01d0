import type { ColumnValue } from '../../model/field.ts';
import type { StoredCollection } from '../schema.ts';
import type { Sql } from './tag.ts';

/** Every difference between the engines that shared SQL meets. */
export interface Dialect {
  /** The rows of a list of values, sent as one: `SELECT value FROM …`, usable behind IN. */
  values(values: readonly ColumnValue[]): Sql;
  /** True of the records (by `seq`) in which every one of the folded words occurs. */
  search(collection: StoredCollection, words: readonly string[]): Sql;
}
