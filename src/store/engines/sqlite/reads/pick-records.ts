import type { PickPlan } from '../../../plans.ts';
import type { Schemas } from '../../../schemas.ts';
import { recordTable } from '../../../sql/names.ts';
import { andScope } from '../../../sql/records/where.ts';
import { sql } from '../../../sql/tag.ts';
import type { Database } from '../connection/database.ts';
import { sqliteDialect } from '../dialect.ts';
import { checkSchema } from './current-schema.ts';
import { recordText } from './record-text.ts';

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
