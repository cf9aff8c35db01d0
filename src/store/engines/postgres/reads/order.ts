import type { ColumnValue } from '../../../../model/field.ts';
import type { SortKey } from '../../../plans.ts';
import type { StoredCollection } from '../../../schema.ts';
import { column } from '../../../sql/names.ts';
import type { KeyRanges } from '../../../sql/records/keyset.ts';
import { join, raw, type Sql, sql } from '../../../sql/tag.ts';
import { isWithinPrefix } from '../tables/text-index.ts';
import { hasPrefixIndex, prefix } from './conditions.ts';

/**
 * The same order as on SQLite, phrased to match the indexes: `id` is unique and never unset, and a text whose index holds only
 * prefixes is sorted by prefix first, which does not change the order.
 */
export function orderOf(collection: StoredCollection, sort: readonly SortKey[]): Sql {
  const keys: Sql[] = [];
  for (const { name, descending } of sort) {
    if (name === '_createdAt') return join([...keys, raw(descending ? 'seq DESC' : 'seq')], ', ');
    if (name === '_id') return join([...keys, raw(descending ? 'id DESC' : 'id')], ', ');
    const target = column(collection, name);
    const direction = raw(descending ? ' DESC NULLS LAST' : ' ASC NULLS FIRST');
    if (hasPrefixIndex(collection, name)) keys.push(sql`${prefix(target)}${direction}`);
    keys.push(sql`${target}${direction}`);
  }
  return join([...keys, raw('seq')], ', ');
}

/** For `rangesAfter`, phrased to match the indexes. */
export const keyRanges: KeyRanges = { equals, beyond };

function equals(collection: StoredCollection, name: string, value: ColumnValue): Sql {
  const target = column(collection, name);
  if (value === null) return sql`${target} IS NULL`;
  if (!hasPrefixIndex(collection, name)) return sql`${target} = ${value}`;
  return isWithinPrefix(String(value))
    ? sql`${prefix(target)} = ${value}`
    : sql`${prefix(target)} = ${prefix(sql`${value}`)} AND ${target} = ${value}`;
}

/** Unset values come first, or last in a descending sort. */
function beyond(collection: StoredCollection, { name, descending }: SortKey, value: ColumnValue): Sql[] {
  const target = column(collection, name);
  const prefixed = hasPrefixIndex(collection, name);
  const unset = prefixed ? sql`${prefix(target)} IS NULL` : sql`${target} IS NULL`;
  if (descending && value === null) return [];
  if (value === null) return [prefixed ? sql`${prefix(target)} IS NOT NULL` : sql`${target} IS NOT NULL`];
  const than = raw(descending ? '<' : '>');
  const range = sql`${target} ${than} ${value}`;
  const narrowed = prefixed ? sql`${prefix(target)} ${than}= ${prefix(sql`${value}`)} AND ${range}` : range;
  return descending ? [narrowed, unset] : [narrowed];
}
