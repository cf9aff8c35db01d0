import type { Scope } from '../../../../access/scope.ts';
import type { StoredCollection } from '../../../schema.ts';
import type { Connection, SearchText } from '../../../sql/dialect.ts';
import { recordTable } from '../../../sql/names.ts';
import { join, raw, type Sql, sql, table } from '../../../sql/tag.ts';
import { unnested } from '../tables/arrays.ts';
import { longText, shortText } from '../tables/text-index.ts';

const textTable = (key: number) => table(`s${key}`);

/**
 * True of the records in which every one of the folded words occurs. With pg_trgm, which is `indexed`, an index finds them;
 * the texts that are too long for it are looked at one by one.
 */
export function searchCondition(
  indexed: boolean,
  collection: StoredCollection,
  words: readonly string[],
  scope: Scope,
): Sql {
  const occurs = join(
    words.map((word) => sql`text LIKE ${`%${escaped(word)}%`}`),
    ' AND ',
  );
  const texts = textTable(collection.key);
  if (scope.kind === 'all') {
    if (!indexed) return sql`seq IN (SELECT seq FROM ${texts} WHERE ${occurs})`;
    return sql`
      seq IN (
        SELECT seq FROM ${texts} WHERE ${raw(shortText)} AND ${occurs}
        UNION ALL
        SELECT seq FROM ${texts} WHERE ${raw(longText)} AND ${occurs}
      )`;
  }
  // The index is of everybody's records: how long it takes would tell of words that only others' have.
  return sql`(SELECT ${occurs} FROM ${texts} AS own WHERE own.seq = ${recordTable(collection)}.seq)`;
}

const escaped = (word: string) => word.replace(/[\\%_]/g, '\\$&');

export async function addSearchTexts(
  db: Connection,
  key: number,
  texts: readonly SearchText[],
): Promise<void> {
  const seqs = unnested(
    texts.map(({ seq }) => seq),
    'integer',
  );
  const column = unnested(
    texts.map(({ text }) => text),
    'text',
  );
  await db.run(sql`INSERT INTO ${textTable(key)} (seq, text) SELECT ${seqs}, ${column}`);
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
