import { Failure, type Issue } from '../../../failure.ts';
import type { StoredCollection, StoredRelation } from '../../schema.ts';
import type { Connection } from '../dialect.ts';
import { column, recordTable, valueTable } from '../names.ts';
import { type Sql, sql } from '../tag.ts';

const mostReported = 3;

/** A relation to a record that does not exist is a fault in the dump: it is reported, and not restored. */
export async function refuseMissing(db: Connection, collection: StoredCollection): Promise<void> {
  const issues: Issue[] = [];
  for (const relation of collection.relations) {
    const { from, field } = relation;
    for (const [id, missing] of await db.rows(danglingOf(relation))) {
      issues.push({
        at: `${from.definition.id}.${field.name} of record '${id}'`,
        message: `there is no record '${missing}' in ${field.to}`,
      });
    }
  }
  if (issues.length > 0) throw new Failure('conflict', issues);
}

function danglingOf({ from, field, to }: StoredRelation): Sql {
  if (field.kind === 'multiple') {
    return sql`
      SELECT record.id, item.value
      FROM ${valueTable(from, field.name)} AS item JOIN ${recordTable(from)} AS record ON record.seq = item.seq
      WHERE NOT EXISTS (SELECT 1 FROM ${recordTable(to)} AS target WHERE target.id = item.value)
      LIMIT ${mostReported}`;
  }
  const value = sql`record.${column(from, field.name)}`;
  return sql`
    SELECT record.id, ${value} FROM ${recordTable(from)} AS record
    WHERE ${value} IS NOT NULL
      AND NOT EXISTS (SELECT 1 FROM ${recordTable(to)} AS target WHERE target.id = ${value})
    LIMIT ${mostReported}`;
}
