import type { Awaitable } from '../../../../awaitable.ts';
import { Failure, within } from '../../../../failure.ts';
import type { StoredCollection } from '../../../schema.ts';
import type { Connection } from '../../../sql/dialect.ts';
import { columnNames, presentColumns } from '../../../sql/dump/dump-tables.ts';
import type { RestoredRecord, RestoreWriter } from '../../../sql/dump/restore.ts';
import { toConflict } from '../../../sql/records/unique.ts';
import { join, raw, sql, table } from '../../../sql/tag.ts';
import { unlimited, unlimitedTimes } from '../connection/transact.ts';
import { arrayOf } from '../tables/arrays.ts';
import { addForeignKeys } from '../tables/foreign-keys.ts';
import { placeAll } from './insert-group.ts';

/** Options of a long transaction. */
export const restoring = { begin: `BEGIN; ${unlimitedTimes}`, ...unlimited };

/** Writes many rows per statement. Indexes and foreign keys are added when all records are there. */
export function restoreWriter(schema: string): RestoreWriter {
  /** CREATE INDEX statements by the key of the collection. */
  const indexes = new Map<number, string[]>();
  return {
    async addRows(db, known, rows) {
      const dumped = presentColumns(known, rows);
      const columns = dumped.columns.map(({ name, kind }) =>
        arrayOf(
          rows.map((row) => row[name] ?? null),
          kind,
        ),
      );
      const names = raw(columnNames(dumped));
      await db.run(
        sql`INSERT INTO ${table(dumped.name)} (${names}) SELECT * FROM unnest(${join(columns, ', ')})`,
      );
    },
    async prepare(db, key) {
      indexes.set(key, await dropIndexes(db, schema, key));
    },
    async placeRecords(db, collection, records) {
      try {
        await place(db, collection, records);
      } catch (error) {
        for (const record of records) await placeAlone(db, collection, record);
        throw error;
      }
    },
    async complete(db, collection) {
      for (const text of indexes.get(collection.key) ?? []) await db.exec(text);
      await addForeignKeys(db, collection);
      const { table: name } = db.dialect.style;
      await db.exec(`ANALYZE ${name(`r${collection.key}`)}, ${name(`s${collection.key}`)}`);
    },
  };
}

/**
 * Building an index over complete data is faster: 100,000 records of eight fields take 11 s instead of 19. Unique indexes stay,
 * to report which record violates them.
 */
async function dropIndexes(db: Connection, schema: string, key: number): Promise<string[]> {
  const rows = await db.rows(sql`
    SELECT indexrelid::regclass::text, pg_get_indexdef(indexrelid)
    FROM pg_catalog.pg_index JOIN pg_catalog.pg_class ON pg_class.oid = indrelid
    WHERE NOT indisunique AND relnamespace = to_regnamespace(${schema})
      AND relname::text ~ ${`^([rs]${key}|l${key}_[0-9]+)$`}`);
  for (const [name] of rows) await db.exec(`DROP INDEX ${name}`);
  return rows.map(([, text]) => String(text));
}

function place(
  db: Connection,
  collection: StoredCollection,
  records: readonly RestoredRecord[],
): Awaitable<void> {
  return db.dialect.attempt(db, () => placeAll(db, collection, records));
}

/** To find the record that is refused. */
async function placeAlone(
  db: Connection,
  collection: StoredCollection,
  record: RestoredRecord,
): Promise<void> {
  try {
    await place(db, collection, [record]);
  } catch (error) {
    const refusal = await toConflict(error, db, collection, record);
    throw refusal instanceof Failure
      ? within(`${collection.definition.id}, record '${record.id}'`, refusal)
      : error;
  }
}
