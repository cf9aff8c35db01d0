import { tables } from '../tables.ts';
import { sql } from '../tag.ts';
import type { Writes } from '../transaction.ts';

/** Rows that are removed in one transaction. */
const slice = 1_000;

/**
 * Removes the changes from before a time but the newest of them: its mark stays, so whoever was up to date then goes
 * on. Slices begin at the oldest; a few rows that claim a later time, by a clock that was wrong, go with their neighbours.
 */
export async function removeOldChanges(writes: Writes, before: number, signal?: AbortSignal): Promise<void> {
  for (let more = true; more && !signal?.aborted; ) {
    more = await writes.write(async ({ db }) => {
      const rows = await db.rows(sql`SELECT pos, at FROM ${tables.changes} ORDER BY pos LIMIT ${slice + 1}`);
      const last = rows.findLast(([, at]) => Number(at) < before)?.[0];
      if (last === undefined || last === null || last === rows[0]?.[0]) return false;
      await db.run(sql`DELETE FROM ${tables.changes} WHERE pos < ${last}`);
      return true;
    });
  }
}
