import { isIndexed } from '../../../../model/indexed.ts';
import { isEverything } from '../../../index-order.ts';
import type { ListPlan, SortKey } from '../../../plans.ts';
import type { StoredCollection } from '../../../schema.ts';
import { orderOf } from './sliced/compare.ts';

/** All records by one field that has an index. */
export interface IndexOrder {
  readonly collection: StoredCollection;
  readonly key: SortKey;
  /** Of the places of records with the same value. In the index they go the way the values do. */
  readonly descending: boolean;
}

/** How a list is read along an index; undefined: it is not. */
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

/** Whether records with the same value are wanted the other way round than the index has them. */
export const isReversed = ({ key, descending }: IndexOrder): boolean => key.descending !== descending;

/** Whether no two records have the same value, though several may have none. */
export const isUnique = ({ collection, key }: IndexOrder): boolean =>
  key.name === '_id' || collection.definition.fields.get(key.name)?.unique === true;
