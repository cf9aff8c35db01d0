import { mostLogged } from '../../changes.ts';
import type { Connection } from '../dialect.ts';
import { tables } from '../tables.ts';
import { sql } from '../tag.ts';
import type { Transaction } from '../transaction.ts';

/**
 * A large deletion is one operation of many transactions: counts how many records of which collections it has touched so far.
 * What exceeds the limit is not logged, but reported by `refetch` at the end.
 */
export async function countTouched({ db, log }: Transaction): Promise<void> {
  const before = await readTouched(db);
  const counts = log.counts();
  for (const [collection, count] of counts) {
    const changes = (before.get(collection) ?? 0) + count;
    await db.run(sql`
      INSERT INTO ${tables.touched} (collection, changes) VALUES (${collection}, ${changes})
      ON CONFLICT (collection) DO UPDATE SET changes = excluded.changes`);
  }
  if (sum(before) + sum(counts) > mostLogged) log.drop();
}

/** To be called at the end of the deletion. */
export async function tellTouched({ db, log, currentSchema }: Transaction): Promise<void> {
  const touched = await readTouched(db);
  if (sum(touched) > mostLogged) {
    const { byKey } = await currentSchema();
    for (const key of touched.keys()) {
      const found = byKey.get(key);
      if (found) log.noteRefetch(key, found.definition.id, null);
    }
  }
  await db.run(sql`DELETE FROM ${tables.touched}`);
}

async function readTouched(db: Connection): Promise<Map<number, number>> {
  const rows = await db.rows(sql`SELECT collection, changes FROM ${tables.touched}`);
  return new Map(rows.map(([collection, changes]) => [Number(collection), Number(changes)]));
}

const sum = (counts: ReadonlyMap<number, number>) =>
  [...counts.values()].reduce((all, count) => all + count, 0);
