import type { Scope } from '../../../../access/scope.ts';
import type { StoredCollection } from '../../../schema.ts';
import type { Connection, SearchText } from '../../../sql/dialect.ts';
import { recordTable } from '../../../sql/names.ts';
import { join, raw, type Sql, sql, table } from '../../../sql/tag.ts';
import { unnested } from '../tables/arrays.ts';
import { longText, shortText } from '../tables/text-index.ts';

/** A text is in one of these tables: in the second until it is indexed in the first. */
export const textTable = (key: number) => table(`s${key}`);
export const pendingTable = (key: number) => table(`p${key}`);

/**
 * Matches the records in which all of the folded words occur. With pg_trgm (`indexed`) an index finds them; texts that are too
 * long for it, and those not indexed yet, are scanned.
 */
export function searchCondition(
  indexed: boolean,
  collection: StoredCollection,
  words: readonly string[],
  scope: Scope,
): Sql {
  // The index covers everybody's records: its timing would reveal words that occur only in records of others.
  if (scope.kind !== 'all') return textCondition(collection, words);
  const occurs = allOccur(words);
  const texts = textTable(collection.key);
  const found = indexed
    ? sql`
      SELECT seq FROM ${texts} WHERE ${raw(shortText)} AND ${occurs}
      UNION ALL
      SELECT seq FROM ${texts} WHERE ${raw(longText)} AND ${occurs}`
    : sql`SELECT seq FROM ${texts} WHERE ${occurs}`;
  return sql`seq IN (${found} UNION ALL SELECT seq FROM ${pendingTable(collection.key)} WHERE ${occurs})`;
}

/** The same by looking at each record's text. */
export function textCondition(collection: StoredCollection, words: readonly string[]): Sql {
  const occurs = allOccur(words);
  const seq = sql`${recordTable(collection)}.seq`;
  return sql`coalesce(
    (SELECT ${occurs} FROM ${textTable(collection.key)} AS own WHERE own.seq = ${seq}),
    (SELECT ${occurs} FROM ${pendingTable(collection.key)} AS own WHERE own.seq = ${seq})
  )`;
}

const allOccur = (words: readonly string[]) =>
  join(
    words.map((word) => sql`text LIKE ${`%${escaped(word)}%`}`),
    ' AND ',
  );

const escaped = (word: string) => word.replace(/[\\%_]/g, '\\$&');

export async function addSearchTexts(db: Connection, to: Sql, texts: readonly SearchText[]): Promise<void> {
  if (texts.length === 0) return;
  const seqs = unnested(
    texts.map(({ seq }) => seq),
    'integer',
  );
  const column = unnested(
    texts.map(({ text }) => text),
    'text',
  );
  await db.run(sql`INSERT INTO ${to} (seq, text) SELECT ${seqs}, ${column}`);
}

/**
 * A job that moves the text to the index has locked it in the pending table. So it is deleted there first: the second statement
 * then sees what was moved in the meantime.
 */
export async function removeSearchText(db: Connection, key: number, seq: number): Promise<void> {
  await Promise.all([
    db.run(sql`DELETE FROM ${pendingTable(key)} WHERE seq = ${seq}`),
    db.run(sql`DELETE FROM ${textTable(key)} WHERE seq = ${seq}`),
  ]);
}

export async function renameSearchTables(db: Connection, from: number, to: number): Promise<void> {
  const { table: name } = db.dialect.style;
  await db.exec(`
    DROP TABLE ${name(`s${to}`)}, ${name(`p${to}`)};
    ALTER TABLE ${name(`s${from}`)} RENAME TO s${to};
    ALTER TABLE ${name(`p${from}`)} RENAME TO p${to};`);
}
