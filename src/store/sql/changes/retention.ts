import { tables } from '../tables.ts';
import { sql } from '../tag.ts';
import type { Writes } from '../transaction.ts';

/** Rows deleted per transaction, and transactions per call. */
const [slice, mostSlices] = [1_000, 20];

/**
 * Deletes the changes from before a time except the newest of them: its mark stays, so that whoever was up to date then can
 * continue. Starts from the oldest; a few rows with a later time, from a wrong clock, are deleted with their neighbours.
 */
export async function removeOldChanges(writes: Writes, before: number): Promise<number | undefined> {
  let next: number | undefined;
  for (let count = 0, more = true; more && count < mostSlices; count++) {
    more = await writes.write(async ({ db }) => {
      const rows = await db.rows(sql`SELECT pos, at FROM ${tables.changes} ORDER BY pos LIMIT ${slice + 1}`);
      const last = rows.findLastIndex(([, at]) => Number(at) < before);
      if (last > 0) await db.run(sql`DELETE FROM ${tables.changes} WHERE pos < ${rows[last]?.[0] ?? 0}`);
      // The first row left is kept for its mark, so the next one counts; if that was not read, the first is old itself.
      const following = rows[Math.max(last, 0) + 1] ?? (last > 0 ? rows[last] : undefined);
      next = following && Number(following[1]);
      return last > 0;
    });
  }
  return next;
}
