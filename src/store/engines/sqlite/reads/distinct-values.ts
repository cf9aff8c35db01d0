import { Failure } from '../../../../failure.ts';
import type { ColumnValue, Field } from '../../../../model/field.ts';
import { fieldType } from '../../../../model/field-types.ts';
import { isIndexed } from '../../../../model/indexed.ts';
import type { Json } from '../../../../model/json.ts';
import { VersionedAnswers } from '../../../cache.ts';
import type { DistinctPlan } from '../../../plans.ts';
import { fieldOf, type StoredCollection } from '../../../schema.ts';
import { distinctTooLarge, largestAnswer, largestDistinct, valuesTooLarge } from '../../../sizes.ts';
import { column, recordTable, valueTable } from '../../../sql/names.ts';
import { whereClause } from '../../../sql/records/where.ts';
import { raw, type Sql, sql } from '../../../sql/tag.ts';
import type { Database } from '../connection/database.ts';
import { sqliteDialect } from '../dialect.ts';
import { countersOf, readCounters } from './current-schema.ts';

/** Characters. Enough for two hundred answers of ten thousand, the largest that are worth caching. */
const mostRemembered = 2_000_000;

/** Caches the distinct values of fields, until the next write to the collection. */
export class DistinctValues {
  readonly #db: Database;
  readonly #values = new VersionedAnswers<Json[]>({
    most: mostRemembered,
    weigh: (values) => 200 + JSON.stringify(values).length,
  });

  constructor(db: Database) {
    this.#db = db;
  }

  /** The cached values, if they are all that is asked for. */
  recall(version: number, plan: DistinctPlan): Map<string, Json[]> | undefined {
    const values = plan.fields.map((name) => this.#values.find(version, questionOf(plan, name)));
    if (values.includes(undefined)) return undefined;
    return new Map(plan.fields.map((name, index) => [name, values[index]?.answer ?? []]));
  }

  keep(version: number, plan: DistinctPlan, values: ReadonlyMap<string, Json[]>): void {
    for (const [name, found] of values) this.#values.keep(version, questionOf(plan, name), found);
  }

  find(collection: StoredCollection, plan: DistinctPlan): Map<string, Json[]> {
    const where = whereClause(sqliteDialect, collection, plan.where);
    const together = new AnswerSize();
    return this.#db.transaction('BEGIN', () => {
      const { version } = readCounters(this.#db, collection, countersOf(collection));
      const values = (name: string) =>
        this.#values.get(version, questionOf(plan, name), () =>
          valuesOf(this.#db, collection, name, where, plan.most, together),
        );
      return new Map(plan.fields.map((name) => [name, values(name)]));
    });
  }
}

const questionOf = ({ collection, where, most }: DistinctPlan, name: string) =>
  JSON.stringify([collection, name, most, where]);

function valuesOf(
  db: Database,
  collection: StoredCollection,
  name: string,
  where: Sql,
  most: number,
  together: AnswerSize,
): Json[] {
  const field = fieldOf(collection, name);
  const type = fieldType(field);
  const rows = readValues(db, field, sql`${distinctSql(collection, field, where)} LIMIT ${most + 1}`);
  const values = new FieldValues(field, most, together);
  for (const value of rows) values.add(value);
  return rows.map((value) => type.fromColumn(value, field));
}

/** All values of a field that is indexed. */
export function readBySkipScan(
  db: Database,
  collection: StoredCollection,
  field: Field,
  most: number,
): ColumnValue[] {
  return readValues(db, field, sql`${distinctSql(collection, field, raw(''))} LIMIT ${most + 1}`);
}

export function readValues(db: Database, field: Field, values: Sql): ColumnValue[] {
  if (fieldType(field).column(field) === 'text') {
    const [bytes] = db.row(sql`SELECT total(octet_length(value)) FROM (${values})`) ?? [0];
    if (Number(bytes) > largestDistinct) throw valuesTooLarge(field.name);
  }
  return db.rows(values).map(([value = null]) => value);
}

/** Bytes of all fields of an answer. */
export class AnswerSize {
  #bytes = 0;

  add(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes > largestAnswer) throw distinctTooLarge();
  }
}

/** The distinct values of a field; refuses more than may be answered as soon as they are found. */
export class FieldValues {
  readonly #field: Field;
  readonly #most: number;
  readonly #together: AnswerSize;
  readonly #values = new Set<ColumnValue>();
  #bytes = 0;

  constructor(field: Field, most: number, together: AnswerSize) {
    this.#field = field;
    this.#most = most;
    this.#together = together;
  }

  get values(): Iterable<ColumnValue> {
    return this.#values;
  }

  add(value: ColumnValue): void {
    const { size } = this.#values.add(value);
    const bytes = typeof value === 'string' ? Buffer.byteLength(JSON.stringify(value)) + 1 : 1;
    this.#bytes += bytes;
    if (this.#bytes > largestDistinct) throw valuesTooLarge(this.#field.name);
    if (size > this.#most) throw tooMany(this.#field, this.#most);
    this.#together.add(bytes);
  }

  has(value: ColumnValue): boolean {
    return this.#values.has(value);
  }
}

function tooMany({ name }: Field, most: number): Failure {
  return new Failure(
    'invalid',
    `${name}: has more than ${most} different values: narrow them down with filters or search`,
  );
}

function distinctSql(collection: StoredCollection, field: Field, where: Sql): Sql {
  const plural = fieldType(field).plural(field);
  const table = plural ? valueTable(collection, field.name) : recordTable(collection);
  const value = plural ? raw('value') : column(collection, field.name);
  const indexed = plural || isIndexed(collection.definition, field.name);
  if (where.text === '' && indexed) return skipScan(table, value);
  if (!plural) {
    return sql`SELECT DISTINCT ${value} AS value FROM ${table}${where}${raw(where.text ? ' AND ' : ' WHERE ')}${value} IS NOT NULL ORDER BY 1`;
  }
  const matching = sql`SELECT seq FROM ${recordTable(collection)}${where}`;
  return sql`SELECT DISTINCT value FROM ${table} WHERE seq IN (${matching}) ORDER BY 1`;
}

/** Skips from each value directly to the next in the index: the cost depends on the number of values, not of records. */
function skipScan(table: Sql, value: Sql): Sql {
  return sql`
    WITH RECURSIVE step(value) AS (
      SELECT min(${value}) FROM ${table}
      UNION ALL
      SELECT (SELECT min(${value}) FROM ${table} WHERE ${value} > step.value) FROM step WHERE step.value IS NOT NULL
    )
    SELECT value FROM step WHERE value IS NOT NULL`;
}
