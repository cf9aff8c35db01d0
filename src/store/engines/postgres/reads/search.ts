import type { StoredCollection } from '../../../schema.ts';
import type { Connection } from '../../../sql/dialect.ts';
import { join, type Sql, sql, table } from '../../../sql/tag.ts';

const textTable = (key: number) => table(`s${key}`);

/** True of the records in which every one of the folded words occurs. With pg_trgm an index on the texts finds them. */
export function searchCondition({ key }: StoredCollection, words: readonly string[]): Sql {
  const occurs = words.map((word) => sql`text LIKE ${`%${escaped(word)}%`}`);
  return sql`seq IN (SELECT seq FROM ${textTable(key)} WHERE ${join(occurs, ' AND ')})`;
}

const escaped = (word: string) => word.replace(/[\\%_]/g, '\\$&');

export async function addSearchText(db: Connection, key: number, seq: number, text: string): Promise<void> {
  await db.run(sql`INSERT INTO ${textTable(key)} (seq, text) VALUES (${seq}, ${text})`);
}

export async function removeSearchText(db: Connection, key: number, seq: number): Promise<void> {
  await db.run(sql`DELETE FROM ${textTable(key)} WHERE seq = ${seq}`);
}

export async function renameSearchTables(db: Connection, from: number, to: number): Promise<void> {
  const { table: name } = db.dialect.style;
  await db.exec(`
    DROP TABLE ${name(`s${to}`)};
    ALTER TABLE ${name(`s${from}`)} RENAME TO s${to};`);
}
