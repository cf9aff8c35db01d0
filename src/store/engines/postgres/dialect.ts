import postgres from 'postgres';
import type { Awaitable } from '../../../awaitable.ts';
import type { Connection, Dialect, SearchText } from '../../sql/dialect.ts';
import { raw, sql } from '../../sql/tag.ts';
import { holds } from './reads/conditions.ts';
import {
  addSearchTexts,
  pendingTable,
  removeSearchText,
  renameSearchTables,
  searchCondition,
  textTable,
} from './reads/search.ts';
import { arrayOf } from './tables/arrays.ts';
import { collectionTables } from './tables/collection-tables.ts';
import { addForeignKeys, dropForeignKeys, repointForeignKeys } from './tables/foreign-keys.ts';
import { isIndexedText } from './tables/text-index.ts';
import { countedApart, moveTouches, touch } from './versions.ts';
import { placeAll } from './writes/insert-group.ts';
import { logChanges } from './writes/log-changes.ts';
import { noteWrites, stopNoting } from './writes/noted-writes.ts';

/**
 * Milliseconds that a node's clock may be ahead of the server's. Times never run backwards, so all later times would follow one
 * that lies in the future.
 */
const mostAhead = 2_000;
const clock = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint';

/**
 * Called with the key of a collection and the number of characters to be added to its search index. Returns whether indexing
 * may be deferred.
 */
export type NoteTexts = (key: number, characters: number) => boolean;

/** `trigrams`: the schema that pg_trgm is installed in, as SQL; undefined if it is not available. */
export function postgresDialect(
  schema: string,
  trigrams: string | undefined,
  noteTexts: NoteTexts = () => false,
): Dialect {
  return {
    style: { table: (name) => `${schema}.${name}`, placeholder: (number) => `$${number}` },
    values: (values, kind) => sql`SELECT value FROM unnest(${arrayOf(values, kind)}) AS value`,
    search: (collection, words, scope) => searchCondition(trigrams !== undefined, collection, words, scope),
    forUpdate: raw(' FOR UPDATE'),
    forChange: raw(' FOR NO KEY UPDATE'),
    forReference: raw(' FOR KEY SHARE'),
    latestTime: raw(`${clock} + ${mostAhead}`),
    clock: raw(clock),
    async lockName(db, name) {
      await db.row(
        sql`SELECT 1 FROM (SELECT pg_advisory_xact_lock(hashtextextended(${`${schema} ${name}`}, 0))) AS held`,
      );
    },
    touch,
    countedApart,
    logChanges: (db, changes) => logChanges(db, schema, changes),
    // Pipelined, instead of one round trip for each.
    forEach: async (items, work) => void (await Promise.all(items.map(work))),
    attempt,
    isTaken,
    placeTogether: (db, collection, records, withSearchText) =>
      attempt(db, () => placeAll(db, collection, records, { withSearchText })),
    holds,
    async columnsOf(db, name) {
      const rows = await db.rows(sql`
        SELECT attname::text FROM pg_catalog.pg_attribute
        WHERE attrelid = to_regclass(${`${schema}.${name}`}) AND attnum > 0 AND NOT attisdropped
        ORDER BY attnum`);
      return rows.map(([column]) => String(column));
    },
    isComputed: () => false, // long values are stored outside the row, and compressed
    createTables: (db, key, collection, fieldKeys) =>
      db.exec(collectionTables(schema, key, collection, fieldKeys, trigrams)),
    noteWrites: (db, key) => noteWrites(db, schema, key),
    stopNoting: (db, key) => stopNoting(db, schema, key),
    noteSize() {},
    async repoint(db, from, to) {
      await dropForeignKeys(db, from);
      await addForeignKeys(db, to);
      await repointForeignKeys(db, from, to);
      await moveTouches(db, from.key, to.key);
    },
    async addValues(db, { table, kind, values, seq }) {
      await db.run(
        sql`INSERT INTO ${table} (value, seq) SELECT value, ${seq}::bigint FROM unnest(${arrayOf(values, kind)}) AS value`,
      );
    },
    async removeValues(db, { table, kind, values, seq }) {
      // Not by = ANY: with a generic plan every row would be compared with every element.
      const gone = sql`SELECT value FROM unnest(${arrayOf(values, kind)}) AS value`;
      await db.run(sql`DELETE FROM ${table} WHERE seq = ${seq} AND value IN (${gone})`);
    },
    async addSearchTexts(db, key, texts) {
      const isIndexed = ({ text }: SearchText) => trigrams !== undefined && isIndexedText(text);
      const indexed = texts.filter(isIndexed);
      const others = texts.filter((each) => !isIndexed(each));
      const mayWait = indexed.length > 0 && noteTexts(key, countCharacters(indexed));
      await Promise.all([
        addSearchTexts(db, textTable(key), others),
        addSearchTexts(db, mayWait ? pendingTable(key) : textTable(key), indexed),
      ]);
    },
    removeSearchText,
    async renameSearchTables(db, from, to) {
      await renameSearchTables(db, from, to);
      noteTexts(to, 0); // some may be pending there
    },
  };
}

const countCharacters = (texts: readonly SearchText[]) =>
  texts.reduce((sum, { text }) => sum + text.length, 0);

/** In PostgreSQL an error aborts the whole transaction, unless it rolls back to a savepoint. */
async function attempt<T>(db: Connection, work: () => Awaitable<T>): Promise<T> {
  // Neither this nor the release is awaited: if one of them fails, so does everything after it.
  unawaited(db.exec('SAVEPOINT attempt'));
  let result: T;
  try {
    result = await work();
  } catch (error) {
    await db.exec('ROLLBACK TO SAVEPOINT attempt; RELEASE SAVEPOINT attempt');
    throw error;
  }
  unawaited(db.exec('RELEASE SAVEPOINT attempt'));
  return result;
}

function unawaited(work: Awaitable<void>): void {
  Promise.resolve(work).catch(() => {});
}

/** A unique value is taken. r5_f2: the index of a field; r5_i0: the first index over several fields; r5_u2: a folded key. */
function isTaken(error: unknown): boolean {
  if (!(error instanceof postgres.PostgresError) || error.code !== '23505') return false;
  return /^r\d+_(?:f|i|u|ui)\d+$/.test(error.constraint_name ?? '');
}
