import type { SortKey } from '../../../plans.ts';
import type { StoredCollection } from '../../../schema.ts';
import { column } from '../../../sql/names.ts';
import { join, raw, type Sql, sql } from '../../../sql/tag.ts';

/**
 * Creation times never run backwards within a collection, so `_createdAt` is the order of `seq`, which also breaks ties: no
 * sort key after it can matter.
 */
export function orderBy(collection: StoredCollection, sort: readonly SortKey[]): Sql {
  const keys: Sql[] = [];
  for (const { name, descending } of sort) {
    if (name === '_createdAt') return join([...keys, raw(descending ? 'seq DESC' : 'seq')], ', ');
    const direction = raw(descending ? ' DESC NULLS LAST' : ' ASC NULLS FIRST');
    keys.push(sql`${column(collection, name)}${direction}`);
  }
  return join([...keys, raw('seq')], ', ');
}
