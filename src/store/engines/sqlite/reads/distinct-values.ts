import { Failure } from '../../../../failure.ts';
import type { Field } from '../../../../model/field.ts';
import { fieldType } from '../../../../model/field-types.ts';
import type { Json } from '../../../../model/json.ts';
import { VersionedAnswers } from '../../../cache.ts';
import type { DistinctPlan } from '../../../plans.ts';
import type { StoredCollection } from '../../../schema.ts';
import type { Schemas } from '../../../schemas.ts';
import { column, recordTable, valueTable } from '../../../sql/names.ts';
import { whereClause } from '../../../sql/records/where.ts';
import { raw, type Sql, sql } from '../../../sql/tag.ts';
import type { Database } from '../connection/database.ts';
import { sqliteDialect } from '../dialect.ts';
import { countersOf, readCounters } from './current-schema.ts';

/** Characters. As much as two hundred answers of ten thousand, which are the largest that are worth it. */
const mostRemembered = 2_000_000;

/** Unique values of fields. They end with the next write to the collection. */
export class DistinctValues {
  readonly #db: Database;
  readonly #values = new VersionedAnswers<Json[]>({
    most: mostRemembered,
    weigh: (values) => 200 + JSON.stringify(values).length,
  });

  constructor(db: Database) {
    this.#db = db;
  }

  find(schemas: Schemas, plan: DistinctPlan): Map<string, Json[]> {
    const collection = schemas.collection(plan.collection);
    const where = whereClause(sqliteDialect, collection, plan.where);
    return this.#db.transaction('BEGIN', () => {
      const { version } = readCounters(this.#db, collection, countersOf(collection));
      const values = (name: string) => {
        const question = `${collection.key} ${name} ${plan.most} ${where.text} ${JSON.stringify(where.values)}`;
        return this.#values.get(version, question, () =>
          valuesOf(this.#db, collection, name, where, plan.most),
        );
      };
      return new Map(plan.fields.map((name) => [name, values(name)]));
    });
  }
}

function valuesOf(
  db: Database,
  collection: StoredCollection,
  name: string,
  where: Sql,
  most: number,
): Json[] {
  const field = collection.definition.fields.get(name);
  if (!field) throw new Error(`no field ${name}`);
  const type = fieldType(field);
  const values = sql`${distinctSql(collection, field, where)} LIMIT ${most + 1}`;
  if (type.column(field) === 'text') refuseLarge(db, values, name);
  const rows = db.rows(values);
  if (rows.length > most) {
    throw new Failure(
      'invalid',
      `${name}: has more than ${most} different values: narrow them down with filters or search`,
    );
  }
  return rows.map(([value = null]) => type.fromColumn(value, field));
}

const largestAnswer = 16 * 1024 * 1024;

function refuseLarge(db: Database, values: Sql, name: string): void {
  const [length] = db.row(sql`SELECT total(octet_length(value)) FROM (${values})`) ?? [0];
  if (Number(length) <= largestAnswer) return;
  throw new Failure('invalid', [
    {
      at: name,
      message: 'has values that are too long to be listed: narrow them down with filters or search',
    },
  ]);
}

function distinctSql(collection: StoredCollection, field: Field, where: Sql): Sql {
  const plural = fieldType(field).plural(field);
  const table = plural ? valueTable(collection, field.name) : recordTable(collection);
  const value = plural ? raw('value') : column(collection, field.name);
  const indexed = plural || field.index || field.unique || field.type === 'relation';
  if (where.text === '' && indexed) return leap(table, value);
  if (!plural) {
    return sql`SELECT DISTINCT ${value} AS value FROM ${table}${where}${raw(where.text ? ' AND ' : ' WHERE ')}${value} IS NOT NULL ORDER BY 1`;
  }
  const matching = sql`SELECT seq FROM ${recordTable(collection)}${where}`;
  return sql`SELECT DISTINCT value FROM ${table} WHERE seq IN (${matching}) ORDER BY 1`;
}

/** From each value straight to the next in the index: costs what there are values, not what there are records. */
function leap(table: Sql, value: Sql): Sql {
  return sql`
    WITH RECURSIVE step(value) AS (
      SELECT min(${value}) FROM ${table}
      UNION ALL
      SELECT (SELECT min(${value}) FROM ${table} WHERE ${value} > step.value) FROM step WHERE step.value IS NOT NULL
    )
    SELECT value FROM step WHERE value IS NOT NULL`;
}
