import type { ColumnValue, Field } from '../../../../../model/field.ts';
import { fieldType } from '../../../../../model/field-types.ts';
import { isIndexed } from '../../../../../model/indexed.ts';
import type { Json } from '../../../../../model/json.ts';
import { isEverything } from '../../../../index-order.ts';
import type { DistinctPlan } from '../../../../plans.ts';
import { fieldOf, type StoredCollection } from '../../../../schema.ts';
import { column, valueTable } from '../../../../sql/names.ts';
import { sql } from '../../../../sql/tag.ts';
import type { Database } from '../../connection/database.ts';
import { largestOf } from '../../tables/sizes.ts';
import { countersOf, readCounters } from '../current-schema.ts';
import { AnswerSize, FieldValues, readBySkipScan, readValues } from '../distinct-values.ts';
import { compareValues } from './compare.ts';
import { eachSlice, largestSlice, rowsSliced, type Scan, type Sliced } from './slices.ts';
import { chooseSource } from './source.ts';

export interface DistinctRead {
  readonly version: number;
  readonly values: ReadonlyMap<string, Json[]>;
}

/** The distinct values of fields, if no index provides them or a filter has to be evaluated. */
export function* distinctSliced(
  db: Database,
  collection: StoredCollection,
  plan: DistinctPlan,
): Sliced<DistinctRead> {
  const counters = readCounters(db, collection, countersOf(collection));
  const source = yield* chooseSource(db, collection, plan.where, counters.seq);
  const scan = { collection, where: plan.where, source };
  const everything = isEverything(plan.where);
  let matching: ReadonlySet<number> | undefined;
  const values = new Map<string, Json[]>();
  const together = new AnswerSize();
  for (const name of plan.fields) {
    const field = fieldOf(collection, name);
    const type = fieldType(field);
    const plural = type.plural(field);
    if (plural && !everything) matching ??= yield* matchingOf(db, scan);
    const found = new FieldValues(field, plan.most, together);
    if (everything && (plural || isIndexed(collection.definition, name)))
      for (const value of readBySkipScan(db, collection, field, plan.most)) found.add(value);
    else if (matching && plural) yield* itemsOf(db, collection, field, matching, found);
    else yield* valuesOf(db, scan, field, plan.most, found);
    const sorted = [...found.values].sort(compareValues);
    values.set(
      name,
      sorted.map((value) => type.fromColumn(value, field)),
    );
    yield;
  }
  return { version: counters.version, values };
}

/** Bytes of records whose values are compared by one statement: SQLite holds them in memory. */
const mostCompared = 64 * 1024 * 1024;

function* valuesOf(db: Database, scan: Scan, field: Field, most: number, found: FieldValues): Sliced<void> {
  const value = column(scan.collection, field.name);
  const records = Math.max(1, Math.floor(mostCompared / largestOf(db, scan.collection)));
  yield* eachSlice({ ...scan, most: Math.min(largestSlice, records) }, (from) => {
    const here = sql`SELECT DISTINCT ${value} AS value FROM ${from} AND ${value} IS NOT NULL LIMIT ${most + 1}`;
    for (const one of readValues(db, field, here)) if (!found.has(one)) found.add(one);
    return 'more';
  });
}

function* matchingOf(db: Database, scan: Scan): Sliced<ReadonlySet<number>> {
  const seqs = new Set<number>();
  yield* rowsSliced(db, scan, [], (rows) => {
    for (const [seq] of rows) seqs.add(Number(seq));
    return 'more';
  });
  return seqs;
}

const mostItems = 4_000;

/** The items of lists in index order: for each value, as many records as are needed to find one that matches. */
function* itemsOf(
  db: Database,
  collection: StoredCollection,
  field: Field,
  matching: ReadonlySet<number>,
  found: FieldValues,
): Sliced<void> {
  const table = valueTable(collection, field.name);
  let [last, seq]: [ColumnValue, number] = [null, 0];
  for (;;) {
    const after = last === null ? sql`` : sql` WHERE (value, seq) > (${last}, ${seq})`;
    const rows = db.rows(sql`SELECT value, seq FROM ${table}${after} ORDER BY value, seq LIMIT ${mostItems}`);
    for (const [value = null, holder] of rows) {
      if (matching.has(Number(holder)) && !found.has(value)) found.add(value);
    }
    const end = rows.at(-1);
    if (!end || rows.length < mostItems) return;
    const [value = null, holder] = end;
    // If the last value has been found already, skips to the next one.
    [last, seq] = [value, found.has(value) ? Number.MAX_SAFE_INTEGER : Number(holder)];
    yield;
  }
}
