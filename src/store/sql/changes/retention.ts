import { tables } from '../tables.ts';
import { sql } from '../tag.ts';
import type { Writes } from '../transaction.ts';

/** Rows that are removed in one transaction, and transactions of one call. */
const [slice, mostSlices] = [1_000, 20];

/**
 * Removes the changes from before a time but the newest of them: its mark stays, so whoever was up to date then goes
 * on. Slices begin at the oldest; a few rows that claim a later time, by a clock that was wrong, go with their neighbours.
 */
export async function removeOldChanges(writes: Writes, before: number): Promise<number | undefined> {
  let next: number | undefined;
  for (let count = 0, more = true; more && count < mostSlices; count++) {
    more = await writes.write(async ({ db }) => {
      const rows = await db.rows(sql`SELECT pos, at FROM ${tables.changes} ORDER BY pos LIMIT ${slice + 1}`);
      const last = rows.findLastIndex(([, at]) => Number(at) < before);
      if (last > 0) await db.run(sql`DELETE FROM ${tables.changes} WHERE pos < ${rows[last]?.[0] ?? 0}`);
      // The first that is left is kept for its mark; where nothing is known of what follows, it is old itself.
      const following = rows[Math.max(last, 0) + 1] ?? (last > 0 ? rows[last] : undefined);
      next = following && Number(following[1]);
      return last > 0;
    });
  }
  return next;
}
