import type { ListPlan, PickPlan } from '../../../plans.ts';
import type { StoredCollection } from '../../../schema.ts';
import type { Schemas } from '../../../schemas.ts';
import { recordTable } from '../../../sql/names.ts';
import { orderBy } from '../../../sql/records/order.ts';
import { andScope, whereClause } from '../../../sql/records/where.ts';
import { sql } from '../../../sql/tag.ts';
import type { Database } from '../connection/database.ts';
import { sqliteDialect } from '../dialect.ts';
import { checkSchema } from './current-schema.ts';
import { recordText } from './read-records.ts';

/** The places come out as one text: a million rows would take a hundred megabytes. */
export function arrangeRecords(
  db: Database,
  schemas: Schemas,
  plan: Omit<ListPlan, 'offset' | 'key'>,
): number[] | undefined {
  const { sort } = plan;
  const collection = schemas.collection(plan.collection);
  if (isIndexed(collection, sort[0]?.name ?? '_createdAt')) return undefined;
  const where = whereClause(sqliteDialect, collection, plan.where);
  const sorted = sql`SELECT seq FROM ${recordTable(collection)}${where} ORDER BY ${orderBy(collection, sort)}`;
  const places = db.transaction('BEGIN', () => {
    checkSchema(db, collection);
    return db.row(sql`SELECT json_group_array(seq) FROM (${sorted})`)?.[0] ?? '[]';
  });
  return JSON.parse(String(places)) as number[];
}

function isIndexed({ definition }: StoredCollection, name: string): boolean {
  if (name === '_createdAt' || name === '_id') return true;
  const field = definition.fields.get(name);
  return field !== undefined && (field.type === 'relation' || field.index === true || field.unique === true);
}

export function pickRecords(db: Database, schemas: Schemas, plan: PickPlan): string[] {
  const { where, extra, seqs } = plan;
  const collection = schemas.collection(plan.collection);
  return db.transaction('BEGIN', () => {
    checkSchema(db, collection);
    const rows = db.rows(sql`
      SELECT seq, ${recordText(extra)} FROM ${recordTable(collection)}
      WHERE seq IN (${sqliteDialect.values(seqs, 'integer')})${andScope(where.scope)}`);
    const found = new Map(rows.map(([seq, json]) => [Number(seq), String(json)]));
    return seqs.flatMap((seq) => found.get(seq) ?? []);
  });
}
