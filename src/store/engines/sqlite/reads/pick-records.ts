import type { Schemas } from '../../../known-schemas.ts';
import type { PickAnswer, PickPlan } from '../../../plans.ts';
import { recordTable } from '../../../sql/names.ts';
import { join, sql } from '../../../sql/tag.ts';
import type { Database } from '../connection/database.ts';
import { sqliteDialect } from '../dialect.ts';
import { checkSchema } from './current-schema.ts';
import { recordText } from './record-text.ts';
import { rowConditions } from './sliced/conditions.ts';
import { fittingPlaces } from './walk-records.ts';

export function pickRecords(db: Database, schemas: Schemas, plan: PickPlan): PickAnswer {
  const { where, extra, most } = plan;
  const collection = schemas.collection(plan.collection);
  return db.transaction('BEGIN', () => {
    checkSchema(db, collection);
    const wanted = { limit: plan.seqs.length, include: [], most };
    const { seqs } = fittingPlaces(db, collection, plan.seqs, wanted);
    const these = sql`seq IN (${sqliteDialect.values(seqs, 'integer')})`;
    const conditions = join([these, ...rowConditions(collection, where, undefined)], ' AND ');
    const rows = db.rows(
      sql`SELECT seq, ${recordText(extra)} FROM ${recordTable(collection)} NOT INDEXED WHERE ${conditions}`,
    );
    const found = new Map(rows.map(([seq, json]) => [Number(seq), String(json)]));
    return { found: seqs.flatMap((seq) => found.get(seq) ?? []), taken: seqs.length };
  });
}
