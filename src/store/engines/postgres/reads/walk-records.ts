import type { Schemas } from '../../../known-schemas.ts';
import type { WalkAnswer, WalkPlan } from '../../../plans.ts';
import type { StoredCollection } from '../../../schema.ts';
import { includeTooLarge, largestInclude, roomOf } from '../../../sizes.ts';
import type { Connection } from '../../../sql/dialect.ts';
import { column, recordTable } from '../../../sql/names.ts';
import { rangesAfter } from '../../../sql/records/keyset.ts';
import { join, raw, type Sql, sql } from '../../../sql/tag.ts';
import { whereOf } from './conditions.ts';
import { includeOf } from './include-records.ts';
import { keyRanges, orderOf } from './order.ts';
import { recordText } from './record-text.ts';
import { checkVersion, schemaVersion } from './schema-version.ts';

/**
 * Fetches one record more than requested, to know whether there is a next page. After the records come a row with the schema
 * version and whether there are more, one with the size of the includes, and one for each path of `include`, so that all of it
 * is one statement.
 */
export async function walkRecords(db: Connection, schemas: Schemas, plan: WalkPlan): Promise<WalkAnswer> {
  const collection = schemas.collection(plan.collection);
  const rows = await db.rows(walkStatement(db, collection, plan));
  const [state, sizes, ...include] = rows.splice(-2 - plan.include.length);
  checkVersion(state?.[0], collection);
  if (Number(sizes?.[0]) > largestInclude) throw includeTooLarge();
  const last = state?.[1] === 'more' ? rows.at(-1) : undefined;
  return {
    found: rows.map(([, json]) => String(json)),
    end: last && { seq: Number(last[0]), values: last.slice(2) },
    include: new Map(plan.include.map(({ path }, index) => [path, include[index]?.[1]?.toString() ?? ''])),
  };
}

function walkStatement(db: Connection, collection: StoredCollection, plan: WalkPlan): Sql {
  const { sort, limit, after } = plan;
  const where = whereOf(db.dialect, collection, plan.where);
  const include = includeOf(collection, plan.include, 'page');
  const keys = sort.map(({ name }) => column(collection, name).text);
  const columns = join(
    [
      raw('seq'),
      sql`${recordText(plan.extra)} AS json`,
      ...keys.map((key, index) => raw(`${key} AS k${index}`)),
      ...include.needed.map(raw),
    ],
    ', ',
  );
  const records = sql`SELECT ${columns} FROM ${recordTable(collection)}${where}`;
  const order = sql`ORDER BY ${orderOf(collection, sort)} LIMIT ${raw(String(limit + 1))}`;
  const ranges = after
    ? rangesAfter(collection, sort, after, keyRanges).map(
        (range) => sql`${records}${raw(where.text ? ' AND ' : ' WHERE ')}${range}`,
      )
    : [records];
  // The ranges are read one after the other until there are enough rows.
  const parts = ranges.map((range) => sql`(${range} ${order})`);
  const found = sql`SELECT * FROM (${join(parts, ' UNION ALL ')}) AS ranges LIMIT ${raw(String(limit + 1))}`;
  const names = keys.map((_, index) => `k${index}`);
  const nothing = names.map(() => ', NULL').join('');
  const room = raw(String(roomOf(plan)));
  const fits = sql`${include.size} <= ${raw(String(largestInclude))}`;
  return sql`
    WITH found AS MATERIALIZED (${found}),
    weighed AS MATERIALIZED (
      SELECT *, row_number() OVER () AS nth, sum(octet_length(json)) OVER (ROWS UNBOUNDED PRECEDING) AS weight
      FROM found
    ),
    page AS MATERIALIZED (
      SELECT * FROM weighed WHERE nth <= ${raw(String(limit))} AND (nth = 1 OR weight <= ${room})
    )${include.tables}
    SELECT ${raw(['seq', 'json', ...names].join(', '))} FROM page
    UNION ALL SELECT ${schemaVersion},
      CASE WHEN (SELECT count(*) FROM found) > (SELECT count(*) FROM page) THEN 'more' END${raw(nothing)}
    UNION ALL SELECT ${include.size}, NULL${raw(nothing)}
    ${join(
      include.found.map(
        (one) => sql`UNION ALL SELECT NULL, CASE WHEN ${fits} THEN ${one} END${raw(nothing)}`,
      ),
      ' ',
    )}`;
}
