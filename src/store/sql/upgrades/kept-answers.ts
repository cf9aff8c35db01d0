import type { Connection } from '../dialect.ts';
import { tables } from '../tables.ts';
import { sql } from '../tag.ts';

/** Stored answers of batches over several collections are under `_batch`, a name that no collection can have. */
export async function renameBatchAnswers(db: Connection): Promise<void> {
  await db.run(sql`
    UPDATE ${tables.idempotency} SET realm = substr(realm, 1, length(realm) - 5) || '_batch'
    WHERE realm LIKE '% batch' AND realm NOT LIKE '% create batch' AND realm NOT LIKE '% batch batch'`);
}
