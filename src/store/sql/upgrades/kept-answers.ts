import type { Connection } from '../dialect.ts';
import { tables } from '../tables.ts';
import { sql } from '../tag.ts';

/** Kept answers of batches over collections are under `_batch`, which no collection can be named. */
export async function renameBatchAnswers(db: Connection): Promise<void> {
  await db.run(sql`
    UPDATE ${tables.idempotency} SET realm = substr(realm, 1, length(realm) - 5) || '_batch'
    WHERE realm LIKE '% batch' AND realm NOT LIKE '% create batch' AND realm NOT LIKE '% batch batch'`);
}
