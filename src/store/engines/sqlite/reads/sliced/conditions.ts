import { fieldType } from '../../../../../model/field-types.ts';
import type { Condition, Where } from '../../../../plans.ts';
import type { StoredCollection } from '../../../../schema.ts';
import { column, recordTable, valueTable } from '../../../../sql/names.ts';
import { beyond, equals, type KeyRanges } from '../../../../sql/records/keyset.ts';
import { conditionSql, equality, heldValues, scopeConditions } from '../../../../sql/records/where.ts';
import { join, type Sql, sql } from '../../../../sql/tag.ts';
import { sqliteDialect } from '../../dialect.ts';
import { isComputed } from '../../tables/collection-tables.ts';
import { textCondition, textTable } from '../../tables/search.ts';
import { perShape } from '../filter-shapes.ts';
import { compareValues } from './compare.ts';

export interface SlicedWhere extends Where {
  /** A further condition: the records that come after a position in the order. */
  readonly after?: Sql;
}

/** The places between which the records of a slice lie, and how many there are. */
export interface Window {
  readonly first: number;
  readonly last: number;
  readonly count: number;
}

/**
 * Conditions that check one record at a time, however much there is in other tables: a list of all matches would be computed
 * again for every slice. `window`: that of the slice, if there is one.
 */
export function rowConditions(
  collection: StoredCollection,
  where: SlicedWhere,
  window: Window | undefined,
): Sql[] {
  return [
    ...scopeConditions(where.scope),
    ...where.conditions.map((condition) => rowCondition(collection, condition, window)),
    ...(where.after ? [where.after] : []),
    ...(where.search.length > 0 ? [searchCondition(collection, where.search, window)] : []),
  ];
}

/** What is known to find few records by an index: the scope, or the condition at this position. */
export type Bound = 'scope' | number;

/**
 * The WHERE clause of a read that one condition bounds; the others are checked on the few records that it finds. By itself
 * SQLite does not know which index finds the fewest, and may go through all entries of another, or list all records that hold a
 * value.
 */
export const boundedWhere = perShape(composeBounded, (where, given) => given(where));

function composeBounded(collection: StoredCollection, where: Where, bound: Bound): Sql {
  const scope = scopeConditions(where.scope);
  const first = bound === 'scope' ? undefined : where.conditions[bound];
  const bounding = first ? sharingIndex(collection, where.conditions, first) : [];
  const parts = [
    ...(bound === 'scope' ? scope : scope.map(withoutIndex)),
    ...(first ? [boundingCondition(collection, bounding)] : []),
    ...where.conditions
      .filter((condition) => !bounding.includes(condition))
      .map((condition) => rowCondition(collection, condition)),
    ...(where.search.length > 0 ? [textCondition(collection, where.search)] : []),
  ];
  return sql` WHERE ${join(parts, ' AND ')}`;
}

/** The first condition, and those that the same index serves: both ends of a range, or more if the index is over several fields. */
function sharingIndex(
  { definition }: StoredCollection,
  conditions: readonly Condition[],
  first: Condition,
): readonly Condition[] {
  for (const { fields } of definition.indexes) {
    const of = (name: string | undefined) => conditions.filter((condition) => condition.name === name);
    const equal = fields.map((name) => of(name).find(isEquality));
    const end = equal.includes(undefined) ? equal.indexOf(undefined) : equal.length;
    const range = of(fields[end]).find(({ kind }) => kind === 'compare');
    const taken = [...equal.slice(0, end), ...(range ? rangeOf(conditions, range) : [])];
    if (taken.includes(first)) return taken.flatMap((condition) => condition ?? []);
  }
  return rangeOf(conditions, first);
}

const isEquality = (condition: Condition) => condition.kind === 'oneOf' && !condition.values.includes(null);

/**
 * A condition, or both ends of its range. Of several ends the tightest are taken: SQLite uses one lower and one upper end, and
 * would go through all entries that only another end excludes.
 */
export function rangeOf(conditions: readonly Condition[], one: Condition): readonly Condition[] {
  if (one.kind !== 'compare') return [one];
  const ends = conditions.flatMap((each) => (each.kind === 'compare' && each.name === one.name ? each : []));
  const taken = [tightest(ends, '>'), tightest(ends, '<')];
  return ends.filter((end) => taken.includes(end));
}

type End = Extract<Condition, { kind: 'compare' }>;

function tightest(ends: readonly End[], side: '<' | '>'): End | undefined {
  return ends
    .filter(({ operator }) => operator.startsWith(side))
    .reduce<End | undefined>((best, end) => (best && !isTighter(end, best) ? best : end), undefined);
}

/** For two ends on the same side. */
function isTighter({ operator, value }: End, than: End): boolean {
  const order = compareValues(value, than.value);
  if (order === 0) return operator.length < than.operator.length; // `>` excludes a value that `>=` does not
  return operator.startsWith('>') ? order > 0 : order < 0;
}

/**
 * SQLite estimates that a range finds a quarter of all records. It may then prefer an index that has the order of the page, and
 * go through many records along that one. In a subquery, the condition that finds few uses its own index.
 */
function boundingCondition(collection: StoredCollection, bounding: readonly Condition[]): Sql {
  const direct = join(
    bounding.map((condition) => conditionSql(sqliteDialect, collection, condition)),
    ' AND ',
  );
  if (bounding.length === 1 && bounding[0]?.kind !== 'compare') return direct;
  return sql`seq IN (SELECT seq FROM ${recordTable(collection)} WHERE ${direct})`;
}

/** What comes after a position, among the few records of such a read. */
export const boundedRanges: KeyRanges = {
  equals: (collection, name, value) => equals(withoutIndex(column(collection, name)), value),
  beyond: (collection, key, value) =>
    beyond(collection, key, value, withoutIndex(column(collection, key.name))),
};

/** The unary plus keeps SQLite from using an index for it. */
const withoutIndex = (target: Sql) => sql`+${target}`;

function rowCondition(collection: StoredCollection, condition: Condition, window?: Window): Sql {
  const field = collection.definition.fields.get(condition.name);
  if (condition.kind === 'compare' || !field || !fieldType(field).plural(field)) {
    const target = withoutIndex(column(collection, condition.name));
    return conditionSql(sqliteDialect, collection, condition, target);
  }
  const table = valueTable(collection, condition.name);
  const values = heldValues(condition);
  const [only] = values;
  const among =
    values.length === 1 && only !== undefined
      ? sql`= ${only}`
      : sql`IN (${sqliteDialect.values(values, fieldType(field).column(field))})`;
  const held =
    window && isListedSooner(window, values.length)
      ? sql`seq IN (SELECT item.seq FROM ${table} AS item WHERE item.value ${among} AND item.seq BETWEEN ${window.first} AND ${window.last})`
      : sql`EXISTS (SELECT 1 FROM ${table} AS item WHERE item.value ${among} AND item.seq = ${recordTable(collection)}.seq)`;
  const length = sql`json_array_length(json, ${`$.${field.name}`})`;
  return equality(condition, {
    has: held,
    hasNot: sql`NOT ${held}`,
    unset: sql`${length} = 0`,
    set: sql`${length} > 0`,
  });
}

const fewValues = 8;

/** Whether listing all places in the window that hold one of so many values is faster than looking up each value in each record. */
const isListedSooner = ({ first, last, count }: Window, values: number) =>
  values > fewValues && last - first < count * values;

/** How many look-ups such a condition takes for each record: one for each value, if the field is a list. */
export function lookupsOf({ definition }: StoredCollection, condition: Condition): number {
  const field = definition.fields.get(condition.name);
  if (condition.kind === 'compare' || !field || !fieldType(field).plural(field)) return 0;
  return heldValues(condition).length;
}

/** Whether such a condition reads the text of a record, however long it is. Only the text shows that a list is empty. */
export function readsText({ definition }: StoredCollection, condition: Condition): boolean {
  const field = definition.fields.get(condition.name);
  if (!field) return false;
  if (!fieldType(field).plural(field)) return isComputed(definition, field);
  return condition.kind !== 'compare' && condition.values.includes(null);
}

/** The texts of neighbouring records lie together: reading them in one go takes a third of looking up each. */
function searchCondition(
  collection: StoredCollection,
  words: readonly string[],
  window: Window | undefined,
): Sql {
  if (!window || window.last - window.first >= window.count) return textCondition(collection, words);
  const occurs = join(
    words.map((word) => sql`instr(text, ${word}) > 0`),
    ' AND ',
  );
  const within = sql`seq BETWEEN ${window.first} AND ${window.last}`;
  return sql`seq IN (SELECT seq FROM ${textTable(collection.key)} WHERE ${within} AND ${occurs})`;
}
