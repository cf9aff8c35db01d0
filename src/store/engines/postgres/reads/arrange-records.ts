import { isIndexed } from '../../../../model/indexed.ts';
import type { Schemas } from '../../../known-schemas.ts';
import type { ListPlan, PickAnswer, PickPlan } from '../../../plans.ts';
import { largestAnswer } from '../../../sizes.ts';
import type { Connection } from '../../../sql/dialect.ts';
import { recordTable } from '../../../sql/names.ts';
import { join, raw, sql } from '../../../sql/tag.ts';
import { rowConditions, whereOf } from './conditions.ts';
import { orderOf } from './order.ts';
import { recordText } from './record-text.ts';
import { checkVersion, schemaVersion } from './schema-version.ts';

/** The sequence numbers are returned as one text: as rows, a million of them would take a hundred megabytes. */
export async function arrangeRecords(
  db: Connection,
  schemas: Schemas,
  plan: Omit<ListPlan, 'offset' | 'key'>,
): Promise<number[] | undefined> {
  const { sort } = plan;
  const collection = schemas.collection(plan.collection);
  if (isIndexed(collection.definition, sort[0]?.name ?? '_createdAt')) return undefined;
  const where = whereOf(db.dialect, collection, plan.where);
  const ordered = sql`SELECT seq FROM ${recordTable(collection)}${where} ORDER BY ${orderOf(collection, sort)}`;
  const row = await db.row(sql`
    SELECT ${schemaVersion}, (SELECT string_agg(seq::text, ',') FROM (${ordered}) AS ordered)`);
  checkVersion(row?.[0], collection);
  return JSON.parse(`[${row?.[1] ?? ''}]`) as number[];
}

/**
 * The last row holds the schema version. If the records are too large together, their texts are left out, and half of them is
 * tried.
 */
export async function pickRecords(db: Connection, schemas: Schemas, plan: PickPlan): Promise<PickAnswer> {
  const { where, extra, seqs, most } = plan;
  const collection = schemas.collection(plan.collection);
  const these = sql`seq IN (${db.dialect.values(seqs, 'integer')})`;
  const matches = rowConditions(db.dialect, collection, where);
  const room = raw(String(seqs.length > 1 ? Math.min(most, largestAnswer) : Number.MAX_SAFE_INTEGER));
  const rows = await db.rows(sql`
    WITH found AS MATERIALIZED (
      SELECT seq, ${recordText(extra)} AS json FROM ${recordTable(collection)}
      WHERE ${join([these, ...matches], ' AND ')}
    )
    SELECT seq, CASE WHEN (SELECT sum(octet_length(json)) <= ${room} FROM found) THEN json END
    FROM found
    UNION ALL SELECT ${schemaVersion}, NULL`);
  checkVersion(rows.pop()?.[0], collection);
  const isTooLarge = rows.some(([, json]) => json === null);
  if (isTooLarge)
    return pickRecords(db, schemas, { ...plan, seqs: seqs.slice(0, Math.ceil(seqs.length / 2)) });
  const found = new Map(rows.map(([seq, json]) => [Number(seq), String(json)]));
  return { found: seqs.flatMap((seq) => found.get(seq) ?? []), taken: seqs.length };
}
