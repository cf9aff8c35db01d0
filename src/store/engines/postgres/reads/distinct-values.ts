import { Failure } from '../../../../failure.ts';
import type { ColumnValue, Field } from '../../../../model/field.ts';
import { fieldType } from '../../../../model/field-types.ts';
import { isIndexed } from '../../../../model/indexed.ts';
import type { Json } from '../../../../model/json.ts';
import { Lru } from '../../../cache.ts';
import type { Schemas } from '../../../known-schemas.ts';
import type { DistinctPlan } from '../../../plans.ts';
import { fieldOf, type StoredCollection } from '../../../schema.ts';
import { distinctTooLarge, largestAnswer, largestDistinct, valuesTooLarge } from '../../../sizes.ts';
import type { Connection } from '../../../sql/dialect.ts';
import { column, recordTable, valueTable } from '../../../sql/names.ts';
import { join, raw, type Sql, sql } from '../../../sql/tag.ts';
import { fitsIndex, longValue, prefixLength, shortValue } from '../tables/text-index.ts';
import { versionOf } from '../versions.ts';
import { prefix, whereOf } from './conditions.ts';
import { checkVersion, schemaVersion } from './schema-version.ts';

/** Characters. Enough for two hundred answers of ten thousand, the largest that are worth caching. */
const mostRemembered = 2_000_000;

interface Remembered {
  readonly version: number;
  readonly values: ReadonlyMap<string, Json[]>;
  readonly size: number;
}

/**
 * Caches the distinct values of fields. The query carries the version of the cached answer, and PostgreSQL reads the values
 * again only if it is outdated.
 */
export class DistinctValues {
  readonly #known = new Lru<string, Remembered>({ most: mostRemembered, weigh: ({ size }) => size });

  async find(db: Connection, schemas: Schemas, plan: DistinctPlan): Promise<ReadonlyMap<string, Json[]>> {
    const collection = schemas.collection(plan.collection);
    const question = JSON.stringify([plan.collection, plan.fields, plan.most, plan.where]);
    const known = this.#known.get(question);
    const row = await db.row(statementOf(db, collection, plan, known?.version ?? -1));
    const [schema, version, ...answers] = row ?? [];
    checkVersion(schema, collection);
    if (known && version === known.version) return known.values;
    const values = new Map(
      plan.fields.map((name, index) => [
        name,
        readValues(fieldOf(collection, name), plan.most, answers.slice(index * 3)),
      ]),
    );
    const size = 200 + JSON.stringify([...values]).length;
    this.#known.set(question, { version: Number(version), values, size });
    return values;
  }
}

/**
 * For each field the number of values, their size and, unless that is too much, the values. All only if the collection's
 * version differs from `known`.
 */
function statementOf(
  db: Connection,
  collection: StoredCollection,
  { fields, where, most: limit }: DistinctPlan,
  known: number,
): Sql {
  const which = whereOf(db.dialect, collection, where);
  const isShared = which.text !== '' && fields.length > 1;
  const found = isShared ? sharedRecords : { table: recordTable(collection), where: which };
  const tables = fields.map((name, index) => {
    const values = distinctSql(collection, fieldOf(collection, name), found, limit + 1);
    return sql`${raw(`d${index}`)} AS MATERIALIZED (${values} LIMIT ${raw(String(limit + 1))})`;
  });
  if (isShared) tables.unshift(shareRecords(collection, fields, which));
  const answers = fields.map((name, index) => answerOf(fieldOf(collection, name), `d${index}`, limit));
  const version = versionOf(collection);
  const sizes = fields.map((name, index) => sizeOf(fieldOf(collection, name), `d${index}`));
  const together = raw(`together AS MATERIALIZED (SELECT ${sizes.join(' + ')} AS bytes)`);
  return sql`
      WITH RECURSIVE ${join(tables, ', ')}, ${together}
      SELECT ${schemaVersion}, ${version}, ${join(answers, ', ')}
      FROM (SELECT coalesce(${version} = ${known}::bigint, FALSE) AS same) AS old`;
}

/** The records whose values are requested. */
interface FoundRecords {
  readonly table: Sql;
  readonly where: Sql;
}

const sharedRecords: FoundRecords = { table: raw('matching'), where: raw('') };

/** Evaluates the filter once for several fields, reading only their columns: a filter may have thousands of conditions. */
function shareRecords(collection: StoredCollection, fields: readonly string[], where: Sql): Sql {
  const single = fields.filter((name) => !isPlural(fieldOf(collection, name)));
  const columns = [raw('seq'), ...single.map((name) => column(collection, name))];
  const { table } = sharedRecords;
  return sql`${table} AS MATERIALIZED (SELECT ${join(columns, ', ')} FROM ${recordTable(collection)}${where})`;
}

const isPlural = (field: Field) => fieldType(field).plural(field);

/** Bytes of a field's values as JSON. */
function sizeOf(field: Field, table: string): string {
  const isText = fieldType(field).column(field) === 'text';
  return isText ? `(SELECT coalesce(sum(octet_length(to_json(value)::text) + 1), 0) FROM ${table})` : '0';
}

function answerOf(field: Field, table: string, limit: number): Sql {
  const count = `(SELECT count(*) FROM ${table})`;
  const size = sizeOf(field, table);
  const all = '(SELECT bytes FROM together)';
  const fits = `${count} <= ${limit} AND ${size} <= ${largestDistinct} AND ${all} <= ${largestAnswer}`;
  return raw(`
    CASE WHEN NOT old.same THEN ${count} END,
    CASE WHEN NOT old.same THEN ${size} END,
    CASE WHEN NOT old.same AND ${fits} THEN (SELECT json_agg(value)::text FROM ${table}) END`);
}

function readValues(field: Field, most: number, [count, size, values]: readonly ColumnValue[]): Json[] {
  const { name } = field;
  if (Number(size) > largestDistinct) throw valuesTooLarge(name);
  if (Number(count) > most) {
    throw new Failure(
      'invalid',
      `${name}: has more than ${most} different values: narrow them down with filters or search`,
    );
  }
  if (values == null && Number(count) > 0) throw distinctTooLarge();
  const read = (values == null ? [] : JSON.parse(String(values))) as ColumnValue[];
  return read.map((value) => fieldType(field).fromColumn(value, field));
}

function distinctSql(collection: StoredCollection, field: Field, found: FoundRecords, limit: number): Sql {
  const plural = isPlural(field);
  const value = plural ? raw('value') : column(collection, field.name);
  const indexed = plural || isIndexed(collection.definition, field.name);
  const { table, where } = found;
  if (found !== sharedRecords && where.text === '' && indexed) {
    const all = plural ? valueTable(collection, field.name) : table;
    if (fitsIndex(field)) return skipScan(all, value);
    return plural ? skipScanShort(all, limit) : skipScanPrefixes(all, value);
  }
  if (!plural) {
    const set = raw(where.text ? ' AND ' : ' WHERE ');
    return sql`SELECT DISTINCT ${value} AS value FROM ${table}${where}${set}${value} IS NOT NULL ORDER BY 1`;
  }
  const values = valueTable(collection, field.name);
  return sql`SELECT DISTINCT value FROM ${values} WHERE seq IN (SELECT seq FROM ${table}${where}) ORDER BY 1`;
}

/** Skips from each value directly to the next in the index: the cost depends on the number of values, not of records. */
function skipScan(table: Sql, value: Sql, which: Sql = raw('')): Sql {
  return sql`
    WITH RECURSIVE step (value) AS (
      SELECT min(${value}) FROM ${table} WHERE ${value} IS NOT NULL${which}
      UNION ALL
      SELECT (SELECT min(${value}) FROM ${table} WHERE ${value} > step.value${which})
      FROM step WHERE step.value IS NOT NULL
    )
    SELECT value FROM step WHERE value IS NOT NULL`;
}

/** Values too long for the index are few: all of them are read. */
function skipScanShort(table: Sql, limit: number): Sql {
  const most = raw(String(limit));
  return sql`
    SELECT value FROM (
      (${skipScan(table, raw('value'), raw(` AND ${shortValue}`))} LIMIT ${most})
      UNION ALL
      (SELECT DISTINCT value FROM ${table} WHERE ${raw(longValue)} ORDER BY 1 LIMIT ${most})
    ) AS both_of_them ORDER BY 1`;
}

/** The same for an index that holds only prefixes: a value shorter than a full prefix is complete in the index. */
function skipScanPrefixes(table: Sql, value: Sql): Sql {
  const length = raw(String(prefixLength));
  return sql`
    SELECT found.value FROM (${skipScan(table, prefix(value))}) AS step, LATERAL (
      SELECT step.value AS value WHERE char_length(step.value) < ${length}
      UNION ALL
      (SELECT DISTINCT ${value} FROM ${table}
      WHERE char_length(step.value) >= ${length} AND ${prefix(value)} = step.value ORDER BY 1)
    ) AS found`;
}
