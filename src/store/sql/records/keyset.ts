import type { ColumnValue } from '../../../model/field.ts';
import type { Position, SortKey } from '../../plans.ts';
import type { StoredCollection } from '../../schema.ts';
import { column, columnKind } from '../names.ts';
import { join, raw, type Sql, sql } from '../tag.ts';

/** How an engine finds records with a value of a key, and those after it, by its indexes. */
export interface KeyRanges {
  equals(collection: StoredCollection, name: string, value: ColumnValue): Sql;
  /** In this order. */
  beyond(collection: StoredCollection, key: SortKey, value: ColumnValue): Sql[];
}

const plainRanges: KeyRanges = {
  equals: (collection, name, value) => equals(column(collection, name), value),
  beyond: (collection, key, value) => beyond(collection, key, value),
};

/**
 * What comes after a position in a sort, as conditions to be queried one after the other: together they yield the rest of the
 * list in its order, and each by itself is a range that an index on its key can start from. A single condition with OR would be
 * evaluated from the start of the list for every page.
 */
export function rangesAfter(
  collection: StoredCollection,
  sort: readonly SortKey[],
  { values, seq }: Position,
  ranges: KeyRanges = plainRanges,
): Sql[] {
  const keys = placingKeys(sort);
  const descending = sort[keys.length]?.descending === true;
  const equal = keys.map(({ name }, index) => ranges.equals(collection, name, values[index] ?? null));
  const last = sql`seq ${raw(descending ? '<' : '>')} ${seq}`;
  const further = keys.map((key, index) => {
    const beyondKey = ranges.beyond(collection, key, values[index] ?? null);
    return beyondKey.map((range) => [...equal.slice(0, index), range]);
  });
  return [[...equal, last], ...further.reverse().flat()].map((parts) => join(parts, ' AND '));
}

/** The keys that determine a record's position: no two records are created at once, so nothing after `_createdAt` does. */
export function placingKeys(sort: readonly SortKey[]): readonly SortKey[] {
  const created = sort.findIndex(({ name }) => name === '_createdAt');
  return created < 0 ? sort : sort.slice(0, created);
}

export function equals(target: Sql, value: ColumnValue): Sql {
  return value === null ? sql`${target} IS NULL` : sql`${target} = ${value}`;
}

/** Unset values come first, or last in a descending sort. `target`: compared instead of the key's column. */
export function beyond(
  collection: StoredCollection,
  { name, descending }: SortKey,
  value: ColumnValue,
  target: Sql = column(collection, name),
): Sql[] {
  if (descending) return value === null ? [] : [sql`${target} < ${value}`, sql`${target} IS NULL`];
  return [value === null ? sql`${target} >= ${least(collection, name)}` : sql`${target} > ${value}`];
}

/** As a range, `IS NOT NULL` would start from the first unset value. */
function least(collection: StoredCollection, name: string): ColumnValue {
  return columnKind(collection, name) === 'text' ? '' : -Number.MAX_VALUE;
}
