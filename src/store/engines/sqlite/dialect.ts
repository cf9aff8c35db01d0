import type { Dialect } from '../../sql/dialect.ts';
import { sql } from '../../sql/tag.ts';
import { searchCondition } from './search.ts';

export const sqliteDialect: Dialect = {
  // One parameter however many values: one statement text to keep prepared.
  values: (values) => sql`SELECT value FROM json_each(${JSON.stringify(values)})`,
  search: searchCondition,
};
