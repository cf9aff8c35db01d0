import { fieldType } from '../../../../../model/field-types.ts';
import type { Condition, Where } from '../../../../plans.ts';
import type { StoredCollection } from '../../../../schema.ts';
import { recordTable, valueTable } from '../../../../sql/names.ts';
import { conditionSql, equality, heldValues, scopeConditions } from '../../../../sql/records/where.ts';
import { join, type Sql, sql } from '../../../../sql/tag.ts';
import { sqliteDialect } from '../../dialect.ts';
import { textCondition, textTable } from '../../tables/search.ts';

export interface SlicedWhere extends Where {
  /** What has to be true beside all conditions: a place in the order that the records come after. */
  readonly after?: Sql;
}

/**
 * Conditions that look at one record at a time, whatever there is in other tables: a list of all that match would be made
 * anew for every slice. `window`: the places of the slice, where it is a range.
 */
export function rowConditions(
  collection: StoredCollection,
  where: SlicedWhere,
  window: readonly [number, number] | undefined,
): Sql[] {
  return [
    ...scopeConditions(where.scope),
    ...where.conditions.map((condition) => rowCondition(collection, condition)),
    ...(where.after ? [where.after] : []),
    ...(where.search.length > 0 ? [searchCondition(collection, where.search, window)] : []),
  ];
}

function rowCondition(collection: StoredCollection, condition: Condition): Sql {
  const field = collection.definition.fields.get(condition.name);
  if (condition.kind === 'compare' || !field || !fieldType(field).plural(field))
    return conditionSql(sqliteDialect, collection, condition);
  const table = valueTable(collection, condition.name);
  const values = heldValues(condition);
  const [only] = values;
  const among =
    values.length === 1 && only !== undefined
      ? sql`= ${only}`
      : sql`IN (${sqliteDialect.values(values, fieldType(field).column(field))})`;
  const held = sql`EXISTS (SELECT 1 FROM ${table} AS item WHERE item.value ${among} AND item.seq = ${recordTable(collection)}.seq)`;
  const length = sql`json_array_length(json, ${`$.${field.name}`})`;
  return equality(condition, {
    has: held,
    hasNot: sql`NOT ${held}`,
    unset: sql`${length} = 0`,
    set: sql`${length} > 0`,
  });
}

/** The texts of neighbours lie together: reading them in one go takes a third of looking each up. */
function searchCondition(
  collection: StoredCollection,
  words: readonly string[],
  window: readonly [number, number] | undefined,
): Sql {
  if (!window) return textCondition(collection, words);
  const occurs = join(
    words.map((word) => sql`instr(text, ${word}) > 0`),
    ' AND ',
  );
  const within = sql`seq BETWEEN ${window[0]} AND ${window[1]}`;
  return sql`seq IN (SELECT seq FROM ${textTable(collection.key)} WHERE ${within} AND ${occurs})`;
}
