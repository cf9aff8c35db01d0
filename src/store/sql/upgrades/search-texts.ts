import { isJsonObject, type Json, type JsonObject } from '../../../model/json.ts';
import { fold } from '../../../model/search.ts';
import type { Connection } from '../dialect.ts';
import { tables } from '../tables.ts';
import { raw, type Sql, sql, table } from '../tag.ts';
import type { UpgradeStep } from '../upgrade.ts';

const chunk = 100;
const separator = '\u0001';

/** What the engines do differently with a record's search text. */
export interface SearchTextWriter {
  /** Collapses each run of white space to one blank, in all texts of a collection. */
  collapse(db: Connection, key: number): Promise<void>;
  /** Replaces the text of a record, if it has one. */
  replace(db: Connection, key: number, seq: number, text: string): Promise<void>;
}

/** Search texts have white space collapsed, and include lists of email, url and content. */
export const upgradeSearchTexts =
  (writer: SearchTextWriter): UpgradeStep =>
  async (db) => {
    const rows = await db.rows(sql`SELECT key, definition FROM ${tables.collections}`);
    for (const [key, definition] of rows) {
      await writer.collapse(db, Number(key));
      const lists = newlySearched(JSON.parse(String(definition)) as JsonObject);
      if (lists.length > 0) await addLists(db, writer, Number(key), lists);
    }
  };

function newlySearched({ fields }: JsonObject): string[] {
  const all = isJsonObject(fields) ? Object.entries(fields) : [];
  return all.flatMap(([name, field]) => {
    const of = isJsonObject(field) && field.type === 'list' && isJsonObject(field.of) ? field.of.type : '';
    return ['email', 'url', 'content'].includes(String(of)) ? [name] : [];
  });
}

async function addLists(
  db: Connection,
  writer: SearchTextWriter,
  key: number,
  lists: readonly string[],
): Promise<void> {
  const [records, texts]: [Sql, Sql] = [table(`r${key}`), table(`s${key}`)];
  for (let last = 0; ; ) {
    const rows = await db.rows(sql`
      SELECT r.seq, r.json, s.text FROM ${records} AS r LEFT JOIN ${texts} AS s ON s.seq = r.seq
      WHERE r.seq > ${last} ORDER BY r.seq LIMIT ${raw(String(chunk))}`);
    for (const [seq, json, text] of rows) {
      last = Number(seq);
      const record = JSON.parse(String(json)) as Record<string, Json>;
      const items = lists.flatMap((name) => (record[name] ?? []) as string[]);
      if (items.length === 0) continue;
      const before = text === null ? [] : [String(text)];
      await writer.replace(db, key, last, [...before, ...items.map(fold)].join(separator));
    }
    if (rows.length < chunk) return;
  }
}
