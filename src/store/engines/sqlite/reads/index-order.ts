import { isIndexed } from '../../../../model/indexed.ts';
import { isEverything } from '../../../index-order.ts';
import type { ListPlan, SortKey } from '../../../plans.ts';
import type { StoredCollection } from '../../../schema.ts';
import { orderOf } from './sliced/compare.ts';

/** All records ordered by one indexed field. */
export interface IndexOrder {
  readonly collection: StoredCollection;
  readonly key: SortKey;
  /** The order of records with the same value. In the index it is the same as that of the values. */
  readonly descending: boolean;
}

/** The index along which a list is read; undefined: none. */
export function indexOrderOf(
  collection: StoredCollection,
  { where, sort }: Pick<ListPlan, 'where' | 'sort'>,
): IndexOrder | undefined {
  const { keys, descending } = orderOf(sort);
  const [key] = keys;
  if (!key || keys.length > 1 || !isEverything(where) || !isIndexed(collection.definition, key.name))
    return undefined;
  return { collection, key, descending };
}

/** Whether records with the same value are wanted in the opposite order to that of the index. */
export const isReversed = ({ key, descending }: IndexOrder): boolean => key.descending !== descending;

/** Whether no two records have the same value, though several may have none. */
export const isUnique = ({ collection, key }: IndexOrder): boolean =>
  key.name === '_id' || collection.definition.fields.get(key.name)?.unique === true;
