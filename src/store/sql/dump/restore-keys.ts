import type { StoredCollection } from '../../schema.ts';
import type { Connection } from '../dialect.ts';
import { recordTable } from '../names.ts';
import { keysOf } from '../records/folded-keys.ts';
import type { PlacedRecord } from '../records/placed-record.ts';
import { raw, sql } from '../tag.ts';

/** Addresses that differed only in case before uniqueness ignored it stay as they are: the oldest record has the key. */
export async function withoutTakenKeys<R extends PlacedRecord>(
  db: Connection,
  collection: StoredCollection,
  records: readonly R[],
): Promise<R[]> {
  const keyless = records.map(() => new Set<string>());
  for (const { column, key } of keysOf(collection)) {
    const keys = records.map(({ values }) => key(values));
    const named = keys.filter((one) => one !== null);
    const among = sql`${raw(column)} IN (${db.dialect.values(named, 'text')})`;
    const rows = await db.rows(sql`SELECT ${raw(column)} FROM ${recordTable(collection)} WHERE ${among}`);
    const taken = new Set(rows.map(([one]) => one));
    for (const [index, one] of keys.entries()) {
      if (one !== null && taken.has(one)) keyless[index]?.add(column);
      taken.add(one);
    }
  }
  return records.map((record, index) => {
    const without = keyless[index];
    return without?.size ? { ...record, keyless: without } : record;
  });
}
