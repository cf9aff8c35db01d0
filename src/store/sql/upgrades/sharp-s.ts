import type { Connection } from '../dialect.ts';
import { tables } from '../tables.ts';
import { raw, sql, table } from '../tag.ts';
import type { UpgradeStep } from '../upgrade.ts';
import type { SearchTextWriter } from './search-texts.ts';

const chunk = 100;

/** A folded text has `ss` for `ẞ` too, as it had for `ß`. So wherever there is a `ß` it was a capital. */
export const foldSharpS =
  (
    { replace }: Pick<SearchTextWriter, 'replace'>,
    others?: (db: Connection, key: number) => Promise<void>,
  ): UpgradeStep =>
  async (db) => {
    for (const [key] of await db.rows(sql`SELECT key FROM ${tables.collections}`)) {
      await foldTexts(db, Number(key), replace);
      await others?.(db, Number(key));
    }
    await db.run(sql`
      UPDATE ${tables.users} SET folded_name = replace(folded_name, 'ß', 'ss') WHERE folded_name LIKE '%ß%'`);
  };

async function foldTexts(db: Connection, key: number, replace: SearchTextWriter['replace']): Promise<void> {
  for (let last = 0; ; ) {
    const rows = await db.rows(sql`
      SELECT seq, text FROM ${table(`s${key}`)} WHERE seq > ${last} AND text LIKE '%ß%'
      ORDER BY seq LIMIT ${raw(String(chunk))}`);
    for (const [seq, text] of rows) {
      last = Number(seq);
      await replace(db, key, last, String(text).replaceAll('ß', 'ss'));
    }
    if (rows.length < chunk) return;
  }
}
